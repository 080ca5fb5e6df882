//! What requests do with the claims: each is one input of the core, with its context.
//!
//! It does no IO and never looks at where a claim stands to decide anything: what it refuses, it
//! refuses for its bounds, its owner or its key.

use std::ops::{Deref, DerefMut};

use tokio::sync::oneshot;
use turnstile_core::claim::message::{Ask, Asked as To, Caller, Message, Request, ResourceName};
use turnstile_core::claim::record::Command;
use turnstile_core::number::{CallId, ClaimId, IdempotencyKey};
use turnstile_host::HostState;
use turnstile_step::Input;

use super::audit::Cause;
use super::call::{Answer, Call, NewClaim, Origin, Pending, RequestContext, RequestData, Turn};
use super::digest;
use super::entry::Entry;
use super::listing::Listing;
use super::reply::{Asked, Reply};
use super::service::Claims;
use crate::wire::ask::{Patch, Post};

/// The claims, while a caller has the host's lock.
#[derive(Debug)]
pub(crate) struct Engine<'a>(pub(super) &'a mut HostState<Claims>);

impl Deref for Engine<'_> {
    type Target = Claims;

    fn deref(&self) -> &Claims {
        &self.0.engine.service
    }
}

impl DerefMut for Engine<'_> {
    fn deref_mut(&mut self) -> &mut Claims {
        &mut self.0.engine.service
    }
}

impl Engine<'_> {
    /// Posts a claim.
    pub(crate) fn post(&mut self, post: Post, key: Option<u64>, origin: &Origin) -> Turn {
        if self.0.is_failed() {
            return Turn::Now(Reply::storage_in_trouble());
        }
        let digest = digest::of_post(&post);
        let owner = origin.identity.name.clone();
        if key.is_some_and(|key| self.is_otherwise(key, digest, owner.as_deref())) {
            let text = "The idempotency key was used with another ttl or other user data";
            return self.answer_read(Reply::message(422, text));
        }
        if let Some(refused) = self.refuse_beyond_quotas(&post.resource, key, origin) {
            return self.answer_read(refused);
        }
        let (number, resource) = self.book.number(&post.resource);
        let name = resource.clone();
        let ask = Ask::Post {
            resource: ResourceName(number),
            key: key.map(IdempotencyKey::new),
            wait: origin.wait_us.is_some(),
        };
        let call = Call {
            asked: Asked::Post,
            claim: None,
            resource: Some(number),
            origin: origin.clone(),
            reply: None,
        };
        let Post { resource: _, ttl_us, user_data } = post;
        let new = NewClaim { number, resource, ttl_us, user_data, digest, owner };
        let turn = self.ask(ask, call, Some(new), None);
        self.book.tidy(number, &name);
        turn
    }

    /// Whether an earlier POST with this key said something else, or was another's whose key has by
    /// chance or by design the same number.
    fn is_otherwise(&self, key: u64, digest: u64, owner: Option<&str>) -> bool {
        let first = self.0.engine.state().keyed(IdempotencyKey::new(key));
        let first = first.and_then(|first| self.book.entry(first.number()));
        first.is_some_and(|first| first.digest != digest || first.owner.as_deref() != owner)
    }

    /// Changes a claim.
    pub(crate) fn patch(&mut self, id: u64, patch: Patch, origin: &Origin) -> Turn {
        if self.0.is_failed() {
            return Turn::Now(Reply::storage_in_trouble());
        }
        let entry = self.book.entry(id);
        if entry.is_some_and(|entry| !origin.identity.may_change(entry.owner.as_deref())) {
            return self.answer_read(Reply::forbidden(id));
        }
        let claim = ClaimId::new(id);
        let (ask, field, ttl_us) = match patch {
            Patch::Ttl(ttl_us) => (Ask::Ttl { claim }, "ttl", Some(ttl_us)),
            Patch::Status(to) => (Ask::Status { claim, to }, "status", None),
        };
        let call = Call {
            asked: Asked::Patch(field),
            claim: Some(id),
            resource: entry.map(|entry| entry.number),
            origin: origin.clone(),
            reply: None,
        };
        self.ask(ask, call, None, ttl_us)
    }

    /// Takes a claim from whoever has it.
    pub(crate) fn revoke(&mut self, id: u64, origin: &Origin) -> Turn {
        self.patch(id, Patch::Status(To::Revoked), origin)
    }

    /// One claim.
    pub(crate) fn show(&mut self, id: u64, origin: &Origin) -> Turn {
        let reply = match self.book.entry(id) {
            Some(entry) => Reply::claim(200, id, entry, origin, self.now_us()),
            None => Reply::message(404, "No claim found"),
        };
        self.answer_read(reply)
    }

    /// The next slice of a listing. An answer, where there is enough to send or nothing more.
    pub(crate) fn list(&mut self, listing: &mut Listing) -> Option<Turn> {
        let seen = listing.read(&self.book, self.now_us());
        let goes_on = !listing.is_full() && !listing.is_over();
        self.metrics.listed(seen, !goes_on);
        (!goes_on).then(|| self.answer_read(Reply::text(200, listing.take())))
    }

    /// An answer that says nothing of its own: once it is there, what can be read now is on disk.
    pub(crate) fn read_nothing(&mut self) -> Turn {
        self.answer_read(Reply::text(200, Vec::new()))
    }

    /// So many claims from an id on that are not over, for the status page.
    pub(crate) fn live<T>(
        &self,
        from: u64,
        max: usize,
        each: impl Fn(u64, &Entry, u64) -> T,
    ) -> Vec<T> {
        let now_us = self.now_us();
        self.book.live(from).take(max).map(|(id, entry)| each(id, entry, now_us)).collect()
    }

    pub(crate) fn calls_open(&self) -> usize {
        self.calls.len()
    }

    pub(crate) fn counts(&self) -> (usize, usize) {
        self.book.counts()
    }

    /// The client of a request has gone away, or its answer has been sent.
    pub(crate) fn hang_up(&mut self, caller: u64) {
        if self.end_watch(caller).is_some() {
            return;
        }
        let Some(call) = self.calls.remove(&caller) else { return };
        if let Some(claim) = call.claim.map(ClaimId::new) {
            let cause = Some(Cause::new(call.origin.identity, "hang-up"));
            let (from, call) = (Caller(caller), CallId::new(0));
            let input = Input::Command(Command::HungUp { claim, from, call });
            self.0.apply(input, &mut RequestContext { cause, ..RequestContext::default() });
        }
    }

    /// The server is going to stop: nobody's patience lasts longer than that.
    pub(crate) fn end_waits(&mut self) {
        self.is_ending = true;
        self.0.end_waits();
    }

    pub(super) const fn now_us(&self) -> u64 {
        self.0.now().at_us
    }

    /// An answer about what is so; it waits until that is on disk.
    pub(super) fn answer_read(&mut self, reply: Reply) -> Turn {
        if self.0.is_failed() {
            return Turn::Now(Reply::storage_in_trouble());
        }
        self.settle(reply)
    }

    fn settle(&mut self, reply: Reply) -> Turn {
        if self.0.is_durable() {
            return Turn::Now(reply);
        }
        let (sender, receiver) = oneshot::channel();
        self.0.push(Answer(sender, reply));
        Turn::Later(Pending { caller: 0, reply: receiver, until: None })
    }

    fn ask(&mut self, ask: Ask, call: Call, new: Option<NewClaim>, ttl_us: Option<u64>) -> Turn {
        self.last_caller += 1;
        let caller = self.last_caller;
        let cause = Some(Cause::of(&ask, &call.origin));
        let Origin { wait_us, timeout_us, .. } = call.origin;
        self.calls.insert(caller, call);
        let wait_us = wait_us.unwrap_or(0);
        let request = Some(RequestData { caller, new, ttl_us, wait_us, timeout_us });
        let mut context = RequestContext { cause, request, reply: None };
        let message = Message::Request(Request { call: CallId::new(0), ask });
        self.0.apply(Input::Message { from: Caller(caller), message }, &mut context);
        match context.reply {
            Some(reply) => self.settle(reply),
            None => {
                let (sender, receiver) = oneshot::channel();
                let call = self.calls.get_mut(&caller).expect("a call stays until answered");
                call.reply = Some(sender);
                Turn::Later(Pending { caller, reply: receiver, until: None })
            }
        }
    }
}
