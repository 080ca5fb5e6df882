//! The text format of the claim system: clients, keychains, the claim server, the store.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::client::{self, Client};
use crate::keychain::{self, Keychain};
use crate::message::{Caller, Message, Request, ResourceName, Response, Server};
use crate::number::{ClaimId, IdempotencyKey};
use crate::record::{self, Limits, Records, Saved};
use crate::store::Store;
use turnstile_claim_machines::{claim, claim_record};
use turnstile_ids::never::Never;
use turnstile_ids::number::{CallId, Token};
use turnstile_machine::Rules;
#[cfg(not(feature = "serde"))]
use turnstile_scenario::CoreNode as NodeOf;
#[cfg(feature = "serde")]
use turnstile_scenario::trace::TraceableNode as NodeOf;
use turnstile_scenario::{Deliverable, Node, NodeFactory, Protocol, TextFormat};

/// The protocol of claims: its nodes and their messages as text.
pub const PROTOCOL: Protocol = Protocol::of::<ClaimNodes>();

/// The nodes of the claim system, by the compiled tables.
#[derive(Clone, Copy, Debug)]
struct ClaimNodes;

impl NodeFactory for ClaimNodes {
    type Message = Message;

    const NODE_KINDS: &'static str = "`claim client of resource N`, `keychain`, both perhaps `that \
                                 waits`, `claim server`, perhaps `with room for N waiting and N \
                                 over`, and `fence`";

    fn node(_name: &str, what: &str) -> Option<Box<dyn Node<Message>>> {
        let (what, waits) = match what.strip_suffix(" that waits") {
            Some(what) => (what, true),
            None => (what, false),
        };
        if let Some(number) = what.strip_prefix("claim client of resource ") {
            let resource = ResourceName(number.parse().ok()?);
            return Some(Box::new(NodeOf::new(Client { waits, ..Client::new(resource) })));
        }
        if what == "keychain" {
            return Some(Box::new(NodeOf::new(Keychain { waits, ..Keychain::new() })));
        }
        match what {
            _ if waits => None,
            "claim server" => Some(Box::new(NodeOf::new(Records::new(Limits::DEFAULT)))),
            "fence" => Some(Box::new(NodeOf::new(Store))),
            _ => {
                let room = what.strip_prefix("claim server with room for ")?;
                let (waiters_max, finished_max) = match room.split_once(" waiting and ") {
                    Some((waiting, over)) => (waiting, over.strip_suffix(" over")?),
                    None => (room, room),
                };
                let (waiters_max, finished_max) =
                    (waiters_max.parse().ok()?, finished_max.parse().ok()?);
                Some(Box::new(NodeOf::new(Records::new(Limits { waiters_max, finished_max }))))
            }
        }
    }
}

/// The kind of a claim server with these limits, as after `is a`.
#[must_use]
pub fn server_words(limits: Limits) -> String {
    let Limits { waiters_max, finished_max } = limits;
    format!("claim server with room for {waiters_max} waiting and {finished_max} over")
}

impl Deliverable for Message {
    fn altered(&self) -> Vec<Self> {
        match self {
            Self::Response(response) => {
                [response.lapsed(), response.brief()].map(Self::Response).into()
            }
            Self::Request(_) | Self::Act { .. } | Self::Over { .. } => Vec::new(),
        }
    }

    fn unanswered(&self) -> Vec<Self> {
        match self {
            Self::Request(Request { call, kind: _ }) => {
                let (call, bare) = (*call, Response::bare(*call, UNAVAILABLE));
                let instead = [Response::unanswered(call), Response::refused(call), bare];
                instead.map(Self::Response).into()
            }
            Self::Response(_) | Self::Act { .. } | Self::Over { .. } => Vec::new(),
        }
    }
}

/// The status of an overloaded server or proxy, whether or not it handled the request.
const UNAVAILABLE: u16 = 503;

impl<R: Rules<claim::Machine>> TextFormat for Client<R> {
    const COMMANDS: &'static str = "it is told to claim with key N, to release, to end, to act";

    fn peer_name(peer: Server) -> String {
        peer.to_string()
    }

    fn peer(name: &str) -> Option<Server> {
        [Server::Claims, Server::Store].into_iter().find(|peer| peer.to_string() == name)
    }

    fn command(words: &str) -> Option<client::Command> {
        match words {
            "to release" => Some(client::Command::Release),
            "to end" => Some(client::Command::Signal),
            "to act" => Some(client::Command::Act),
            _ => {
                let key = words.strip_prefix("to claim with key ")?.parse().ok()?;
                Some(client::Command::Claim { key: IdempotencyKey::new(key) })
            }
        }
    }

    fn saved((): &()) -> String {
        String::new()
    }
}

impl<R: Rules<claim::Machine>> TextFormat for Keychain<R> {
    const COMMANDS: &'static str = "it is told to claim resource N with key N, to go on with \
                                    resource N by key N, to release resource N, to act on \
                                    resource N, to close";

    fn peer_name(peer: Server) -> String {
        peer.to_string()
    }

    fn peer(name: &str) -> Option<Server> {
        <Client<R> as TextFormat>::peer(name)
    }

    fn command(words: &str) -> Option<keychain::Command> {
        let resource = |number: &str| number.parse().ok().map(ResourceName);
        if words == "to close" {
            return Some(keychain::Command::Close);
        }
        if let Some(number) = words.strip_prefix("to release resource ") {
            return Some(keychain::Command::Release { resource: resource(number)? });
        }
        if let Some(number) = words.strip_prefix("to act on resource ") {
            return Some(keychain::Command::Act { resource: resource(number)? });
        }
        if let Some(words) = words.strip_prefix("to go on with resource ") {
            let (number, key) = words.split_once(" by key ")?;
            let key = IdempotencyKey::new(key.parse().ok()?);
            return Some(keychain::Command::GoOn { resource: resource(number)?, key });
        }
        let (number, key) = words.strip_prefix("to claim resource ")?.split_once(" with key ")?;
        let key = IdempotencyKey::new(key.parse().ok()?);
        Some(keychain::Command::Claim { resource: resource(number)?, key })
    }

    fn saved((): &()) -> String {
        String::new()
    }
}

fn caller(name: &str) -> Option<Caller> {
    name.strip_prefix("client ")?.parse().ok().map(Caller)
}

impl<R: Rules<claim_record::Machine>> TextFormat for Records<R> {
    const COMMANDS: &'static str = "it is told that client N hung up call N on claim N";

    fn peer_name(peer: Caller) -> String {
        peer.to_string()
    }

    fn peer(name: &str) -> Option<Caller> {
        caller(name)
    }

    fn command(words: &str) -> Option<record::Command> {
        let (from, rest) = words.strip_prefix("that ")?.split_once(" hung up call ")?;
        let (call, claim) = rest.split_once(" on claim ")?;
        Some(record::Command::HungUp {
            claim: ClaimId::new(claim.parse().ok()?),
            from: caller(from)?,
            call: CallId::new(call.parse().ok()?),
        })
    }

    fn saved(saved: &Saved) -> String {
        saved.to_string()
    }
}

impl TextFormat for Store {
    const COMMANDS: &'static str = "a fence has no commands";

    fn peer_name(peer: Caller) -> String {
        peer.to_string()
    }

    fn peer(name: &str) -> Option<Caller> {
        caller(name)
    }

    fn command(_: &str) -> Option<Never> {
        None
    }

    fn saved(saved: &Option<Token>) -> String {
        saved.map_or_else(String::new, |token| token.to_string())
    }
}
