//! Messages and saves of the claim system from their words: the other way round of how they are
//! shown. Whether the words are the very same again is for whoever asks.

use turnstile_machines::claim_record;

use crate::claim::message::{Ask, Asked, Lease, Message, Request, ResourceName, Response};
use crate::claim::record::{Kept, Saved};
use crate::number::{CallId, ClaimId, IdempotencyKey, Token};

/// The message that reads so.
pub(super) fn message(words: &str) -> Option<Message> {
    if let Some(words) = words.strip_prefix("act with") {
        let token = match words {
            "out a token" => None,
            token => Some(Token::new(token.strip_prefix(" token ")?.parse().ok()?)),
        };
        return Some(Message::Act { token });
    }
    if let Some(claim) = words.strip_prefix("claim ") {
        let claim = claim.strip_suffix(" is over")?.parse().ok()?;
        return Some(Message::Over { claim: ClaimId::new(claim) });
    }
    let (call, words) = words.strip_prefix("call ")?.split_once(": ")?;
    let call = CallId::new(call.parse().ok()?);
    if words.starts_with('P') {
        return Some(Message::Request(Request { call, ask: ask(words)? }));
    }
    response(call, words).map(Message::Response)
}

fn ask(words: &str) -> Option<Ask> {
    let (words, wait) = match words.strip_suffix(" and wait") {
        Some(words) => (words, true),
        None => (words, false),
    };
    if let Some(words) = words.strip_prefix("POST resource ") {
        let (resource, key) = match words.split_once(" key ") {
            Some((resource, key)) => (resource, Some(IdempotencyKey::new(key.parse().ok()?))),
            None => (words, None),
        };
        return Some(Ask::Post { resource: ResourceName(resource.parse().ok()?), key, wait });
    }
    let (claim, change) = words.strip_prefix("PATCH claim ")?.split_once(' ')?;
    let claim = ClaimId::new(claim.parse().ok()?);
    if change == "ttl" {
        return Some(Ask::Ttl { claim });
    }
    let status = change.strip_prefix("status ")?;
    let known =
        [Asked::Active { wait }, Asked::Released, Asked::Aborted, Asked::Withdrawn, Asked::Revoked];
    let to = known.into_iter().find(|to| to.name() == status)?;
    Some(Ask::Status { claim, to })
}

fn response(call: CallId, words: &str) -> Option<Response> {
    if words == "no answer" {
        return Some(Response::unanswered(call));
    }
    if words == "refused" {
        return Some(Response::refused(call));
    }
    let (words, lease) = match words.strip_suffix(", its lease lapsed") {
        Some(words) => (words, Lease::Lapsed),
        None => (words, Lease::Live),
    };
    let mut words = words.split(' ').peekable();
    let mut response = Response { lease, ..Response::bare(call, words.next()?.parse().ok()?) };
    response.is_expired = words.next_if_eq(&"expired").is_some();
    while let Some(name) = words.next() {
        let number = words.next()?.parse().ok()?;
        match name {
            "claim" => response.claim = Some(ClaimId::new(number)),
            "token" => response.token = Some(Token::new(number)),
            _ => return None,
        }
    }
    Some(response)
}

/// What a claim server has saved, if it reads so.
pub(super) fn saved(words: &str) -> Option<Saved> {
    let mut saved = Saved::default();
    for part in words.split(", ") {
        if let Some(claim) = part.strip_prefix("last claim ") {
            saved.last_claim = ClaimId::new(claim.parse().ok()?);
        } else if let Some(token) = part.strip_prefix("last token ") {
            saved.last_token = Token::new(token.parse().ok()?);
        } else if let Some(claim) = part.strip_prefix("no claim ") {
            saved.claims.insert(ClaimId::new(claim.parse().ok()?), None);
        } else {
            let (id, kept) = kept(part)?;
            saved.claims.insert(id, Some(kept));
        }
    }
    Some(saved)
}

fn kept(words: &str) -> Option<(ClaimId, Kept)> {
    let mut words = words.strip_prefix("claim ")?.split(' ');
    let id = ClaimId::new(words.next()?.parse().ok()?);
    let (of, resource, number) = (words.next()?, words.next()?, words.next()?);
    if (of, resource) != ("of", "resource") {
        return None;
    }
    let resource = ResourceName(number.parse().ok()?);
    let at = claim_record::State::from_name(words.next()?)?;
    let mut kept = Kept { resource, at, token: None, key: None };
    while let Some(name) = words.next() {
        let number = words.next()?.parse().ok()?;
        match name {
            "token" => kept.token = Some(Token::new(number)),
            "key" => kept.key = Some(IdempotencyKey::new(number)),
            _ => return None,
        }
    }
    Some((id, kept))
}
