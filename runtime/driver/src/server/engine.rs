//! One core, one writer: takes inputs in order and carries out the effects of each step.
//!
//! It does no IO: what is to be written and who is to be answered collects in an [`Outbox`], which
//! the committer empties. It never looks at where a claim stands to decide anything; durations,
//! dates and bodies are all it adds.

use std::collections::{BTreeSet, HashMap};

use tokio::sync::oneshot;
use turnstile_core::claim::message::{Ask, Asked as To, Caller, Message, Request, ResourceName};
use turnstile_core::claim::record::{Command, Records, State, Timer};
use turnstile_core::number::{CallId, ClaimId, IdempotencyKey};
use turnstile_step::{Input, OutOf};

use super::audit::Cause;
use super::book::Book;
use super::call::{Call, Data, Hand, Origin, Outbox, Pending, Turn};
use super::clock::Clock;
use super::digest;
use super::entry::Entry;
use super::listing::Listing;
use super::metrics::Metrics;
use super::open::Terms;
use super::reply::{Asked, Reply};
use super::saved::{self, Meta};
use crate::trace::Trace;
use crate::wire::ask::{Patch, Post};
use turnstile_host::Timers;

/// While claims are active the store is told this often that the server is alive.
const ALIVE_US: u64 = 1_000_000;

/// The server's state and what is waiting to go out.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(super) core: Records,
    pub(super) state: State,
    pub(super) out: OutOf<Records>,
    pub(super) book: Book,
    pub(super) changed: BTreeSet<u64>,
    pub(super) meta: Meta,
    pub(super) timers: Timers<Alarm, u64>,
    pub(super) calls: HashMap<u64, Call>,
    /// The calls that wait until a claim is over, by claim.
    pub(super) watches: HashMap<u64, BTreeSet<u64>>,
    pub(super) last_caller: u64,
    pub(super) clock: Clock,
    pub(super) outbox: Outbox,
    /// Something that was answered may not be on disk yet.
    pub(super) is_unsynced: bool,
    /// The store has refused something and does not have it yet: nothing is granted.
    pub(super) is_failed: bool,
    pub(super) terms: Terms,
    /// Nobody is to wait any longer.
    pub(super) is_ending: bool,
    pub(crate) metrics: Metrics,
    /// Whose request the step in hand carries out; none: the server does it of itself.
    pub(super) cause: Option<Cause>,
    pub(super) trace: Option<Trace>,
}

/// What the server waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Alarm {
    /// A timer of the core.
    Core(Timer),
    /// For how long a GET waits until its claim is over.
    Watch(u64),
}

impl Engine {
    /// Posts a claim.
    pub(crate) fn post(&mut self, post: Post, key: Option<u64>, origin: &Origin) -> Turn {
        if self.is_failed {
            return Turn::Now(Reply::storage_in_trouble());
        }
        self.drive_due();
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
        let data = Data { number, resource, ttl_us, user_data, digest, owner };
        let turn = self.ask(ask, call, Some(data), None);
        self.book.tidy(number, &name);
        turn
    }

    /// Whether an earlier POST with this key said something else, or was another's whose key has by
    /// chance or by design the same number.
    fn is_otherwise(&self, key: u64, digest: u64, owner: Option<&str>) -> bool {
        let first = self.state.keyed(IdempotencyKey::new(key));
        let first = first.and_then(|first| self.book.entry(first.number()));
        first.is_some_and(|first| first.digest != digest || first.owner.as_deref() != owner)
    }

    /// Changes a claim.
    pub(crate) fn patch(&mut self, id: u64, patch: Patch, origin: &Origin) -> Turn {
        if self.is_failed {
            return Turn::Now(Reply::storage_in_trouble());
        }
        self.drive_due();
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
            resource: self.book.entry(id).map(|entry| entry.number),
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
        self.drive_due();
        let now_us = self.clock.now_us();
        let reply = match self.book.entry(id) {
            Some(entry) => Reply::claim(200, id, entry, origin, now_us),
            None => Reply::message(404, "No claim found"),
        };
        self.answer_read(reply)
    }

    /// The next slice of a listing. An answer, where there is enough to send or nothing more.
    pub(crate) fn list(&mut self, listing: &mut Listing) -> Option<Turn> {
        self.drive_due();
        let seen = listing.read(&self.book, self.clock.now_us());
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
        let now_us = self.clock.now_us();
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
            self.cause = Some(Cause::new(call.origin.identity, "hang-up"));
            let (from, call) = (Caller(caller), CallId::new(0));
            self.drive(Input::Command(Command::HungUp { claim, from, call }), None);
            self.cause = None;
        }
    }

    /// Fires what is due; while a claim is active, notes now and then that the server is alive.
    pub(crate) fn tick(&mut self) {
        self.drive_due();
        let now_us = self.clock.now_us();
        let is_stale = now_us >= self.meta.alive.at_us + ALIVE_US;
        if is_stale && self.timers.next().is_some() {
            self.put_meta();
        }
    }

    /// When [`Engine::tick`] is to be called next, if nothing happens before.
    pub(crate) fn next_tick(&self) -> Option<tokio::time::Instant> {
        let next_us = self.timers.next()?;
        Some(self.clock.instant(next_us.min(self.meta.alive.at_us + ALIVE_US)))
    }

    /// The server is going to stop: nobody's patience lasts longer than that.
    pub(crate) fn end_waits(&mut self) {
        self.is_ending = true;
        self.fire_waits();
        self.put_meta();
    }

    /// Whoever waits for a lock, or until it is over, is answered now.
    fn fire_waits(&mut self) {
        let is_wait = |alarm: &Alarm| match alarm {
            Alarm::Core(Timer::Wait(_)) | Alarm::Watch(_) => true,
            Alarm::Core(Timer::Ttl(_) | Timer::Idle(_) | Timer::Lapse(_)) => false,
        };
        let waits: Vec<Alarm> = self.timers.armed().filter(is_wait).collect();
        for alarm in waits {
            self.timers.disarm(alarm);
            self.fire(alarm);
        }
    }

    /// What is to be written and answered; the next outbox begins empty.
    pub(crate) fn take_outbox(&mut self, empty: Outbox) -> Outbox {
        if !self.outbox.batch.is_empty() {
            self.put_meta();
        }
        self.is_unsynced = true;
        std::mem::replace(&mut self.outbox, empty)
    }

    /// A commit is done: all that was taken so far is synced, or none of it is known to be.
    pub(crate) fn committed(&mut self, is_written: bool) {
        self.is_unsynced = !is_written;
        let was_failed = std::mem::replace(&mut self.is_failed, !is_written);
        if self.is_failed && !was_failed {
            // Nobody knows for how long: there is nothing to wait for.
            self.fire_waits();
        }
        self.metrics.commits += 1;
    }

    /// In memory, the answers that are ready; they wait for nothing.
    pub(crate) fn take_volatile(&mut self) -> Option<Outbox> {
        if !self.terms.is_volatile || self.is_outbox_empty() {
            return None;
        }
        Some(std::mem::take(&mut self.outbox))
    }

    pub(super) fn holder(&self, number: u32) -> Option<u64> {
        self.state.holder(ResourceName(number)).map(ClaimId::number)
    }

    pub(crate) fn is_outbox_empty(&self) -> bool {
        let Outbox { batch, answers, audit } = &self.outbox;
        batch.is_empty() && answers.is_empty() && audit.is_empty()
    }

    /// Whether somebody waits for what is to be written.
    pub(crate) fn is_awaited(&self) -> bool {
        !self.outbox.answers.is_empty()
    }

    fn put_meta(&mut self) {
        self.meta.alive = self.clock.now();
        if self.terms.is_volatile {
            return;
        }
        saved::put_meta(&mut self.outbox.batch, self.meta);
    }

    /// An answer about what is so; it waits until that is on disk.
    pub(super) fn answer_read(&mut self, reply: Reply) -> Turn {
        if self.is_failed {
            return Turn::Now(Reply::storage_in_trouble());
        }
        self.settle(reply)
    }

    pub(super) fn settle(&mut self, reply: Reply) -> Turn {
        if !self.is_unsynced && self.outbox.batch.is_empty() {
            return Turn::Now(reply);
        }
        let (sender, receiver) = oneshot::channel();
        self.outbox.answers.push((sender, reply));
        Turn::Later(Pending { caller: 0, reply: receiver })
    }

    fn ask(&mut self, ask: Ask, call: Call, post: Option<Data>, ttl_us: Option<u64>) -> Turn {
        self.last_caller += 1;
        let caller = self.last_caller;
        self.cause = Some(Cause::of(&ask, &call.origin));
        let Origin { wait_us, timeout_us, .. } = call.origin;
        self.calls.insert(caller, call);
        let wait_us = wait_us.unwrap_or(0);
        let mut hand = Hand { caller, post, ttl_us, wait_us, timeout_us };
        let message = Message::Request(Request { call: CallId::new(0), ask });
        let input = Input::Message { from: Caller(caller), message };
        let reply = self.drive(input, Some(&mut hand));
        self.cause = None;
        match reply {
            Some(reply) => self.settle(reply),
            None => {
                let (sender, receiver) = oneshot::channel();
                let call = self.calls.get_mut(&caller).expect("a call stays until answered");
                call.reply = Some(sender);
                Turn::Later(Pending { caller, reply: receiver })
            }
        }
    }

    pub(super) fn drive_due(&mut self) {
        let now_us = self.clock.now_us();
        while let Some(alarm) = self.timers.take_due(now_us) {
            self.fire(alarm);
        }
    }

    fn fire(&mut self, alarm: Alarm) {
        match alarm {
            Alarm::Core(timer) => drop(self.drive(Input::Fired(timer), None)),
            Alarm::Watch(caller) => self.answer_watch(caller),
        }
    }
}
