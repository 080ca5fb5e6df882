//! What the claim server adds to its core: leases, names, bodies, dates, histories, answers.
//!
//! Everything here follows from an effect and the request that caused it; nothing looks at a
//! claim's status to decide anything.

use std::collections::{BTreeSet, HashMap};

use turnstile_core::claim::message::{Caller, Message, ResourceName, Response};
use turnstile_core::claim::record::{Kept, Notice, Records, Saved, State, Status, Timer};
use turnstile_core::number::{ClaimId, Token};
use turnstile_host::store::Batch;
use turnstile_host::{Moment, Service, Step};

use super::audit::{Change, audit};
use super::book::Book;
use super::call::{Answer, Call, RequestContext};
use super::entry::Entry;
use super::metrics::Metrics;
use super::open::Terms;
use super::reply::Reply;
use super::saved::{self, Meta};

/// While claims are active the store is told this often that the server is alive.
const ALIVE_US: u64 = 1_000_000;

/// The context of all claims, and the requests that wait.
#[derive(Debug)]
pub(crate) struct Claims {
    pub(super) book: Book,
    /// Claims that the step in hand has changed.
    changed: BTreeSet<u64>,
    /// Claims that the step in hand has ended while they were watched, or may have been.
    over: Vec<u64>,
    /// What the step in hand has answered: told once all that it says is so.
    responses: Vec<(Caller, Response)>,
    pub(super) meta: Meta,
    pub(super) calls: HashMap<u64, Call>,
    /// The calls that wait until a claim is over, by claim.
    pub(super) watches: HashMap<u64, BTreeSet<u64>>,
    pub(super) last_caller: u64,
    pub(super) terms: Terms,
    /// Nobody is to wait any longer.
    pub(super) is_ending: bool,
    pub(crate) metrics: Metrics,
}

impl Claims {
    pub(super) fn new(book: Book, meta: Meta, terms: Terms) -> Self {
        Self {
            book,
            changed: BTreeSet::new(),
            over: Vec::new(),
            responses: Vec::new(),
            meta,
            calls: HashMap::new(),
            watches: HashMap::new(),
            last_caller: 0,
            terms,
            is_ending: false,
            metrics: Metrics::default(),
        }
    }
}

impl Service for Claims {
    type Core = Records;
    type Context = RequestContext;
    type Outgoing = Answer;

    /// A ttl counts from now, and anew with what a PATCH brings; after a restart a lease has what
    /// it had left.
    fn due_us(&mut self, step: &mut Step<'_, Self>, timer: Timer) -> Option<u64> {
        let now_us = step.now.at_us;
        match timer {
            Timer::Ttl(claim) => self.lease_end_us(step, claim.number()),
            Timer::Wait(claim) => {
                let request = step.context.request.as_ref()?;
                if let Some(call) = self.calls.get_mut(&request.caller) {
                    call.claim = Some(claim.number());
                }
                let is_full = self.calls.len() > self.terms.waits_max;
                let is_now = self.is_ending || is_full;
                Some(if is_now { now_us } else { now_us.saturating_add(request.wait_us) })
            }
            Timer::Idle(claim) => {
                let longest_us = now_us.saturating_add(self.terms.unasked_us);
                let said_us = step.context.request.as_ref().and_then(|request| request.timeout_us);
                let said_us = said_us.map(|timeout_us| now_us.saturating_add(timeout_us));
                let until_us = self.until_us(claim, said_us);
                Some(until_us.map_or(longest_us, |until_us| {
                    longest_us.min(until_us.saturating_add(self.terms.leave_us))
                }))
            }
            // It is counted from the end of the ttl, which is saved.
            Timer::Lapse(claim) => {
                let entry = self.book.entry(claim.number());
                let due_us = entry.and_then(|entry| entry.due_us).unwrap_or(now_us);
                Some(due_us.saturating_add(self.terms.lapse_us))
            }
        }
    }

    fn save(&mut self, _step: &mut Step<'_, Self>, saved: Saved) {
        self.meta.last_claim = saved.last_claim.number();
        self.meta.last_token = saved.last_token.number();
        for (id, kept) in saved.claims {
            let id = id.number();
            self.changed.insert(id);
            if kept.is_none() {
                self.book.remove(id);
            }
        }
    }

    fn notify(&mut self, step: &mut Step<'_, Self>, notice: Notice) {
        match notice {
            Notice::Over { claim } => self.over.push(claim.number()),
            Notice::Became { claim, status, token } => {
                self.became(step, claim.number(), status, token);
            }
        }
    }

    fn send(&mut self, _step: &mut Step<'_, Self>, to: Caller, message: Message) {
        match message {
            Message::Response(response) => self.responses.push((to, response)),
            Message::Request(_) | Message::Act { .. } | Message::Over { .. } => {}
        }
    }

    fn finish(&mut self, step: &mut Step<'_, Self>) {
        self.put_changed(step.state, step.batch);
        // Whoever watches is told what the claim is now.
        for id in std::mem::take(&mut self.over) {
            self.end_watches(id, step.now, step.outgoing);
        }
        let mut responses = std::mem::take(&mut self.responses);
        for (to, response) in responses.drain(..) {
            self.respond(step, to, response);
        }
        self.responses = responses;
    }

    fn seal(&mut self, now: Moment, batch: &mut Batch) {
        self.meta.alive = now;
        saved::put_meta(batch, self.meta);
    }

    fn is_patience(&self, timer: Timer) -> bool {
        match timer {
            Timer::Wait(_) => true,
            Timer::Ttl(_) | Timer::Idle(_) | Timer::Lapse(_) => false,
        }
    }

    fn end_waits(&mut self, step: &mut Step<'_, Self>) {
        let mut watched: Vec<u64> = self.watches.keys().copied().collect();
        watched.sort_unstable();
        for id in watched {
            self.end_watches(id, step.now, step.outgoing);
        }
    }

    fn alive_us(&self) -> Option<u64> {
        Some(ALIVE_US)
    }
}

impl Claims {
    fn lease_end_us(&mut self, step: &mut Step<'_, Self>, id: u64) -> Option<u64> {
        let entry = self.book.entry_mut(id)?;
        let renewed_us = step.context.request.as_mut().and_then(|request| request.ttl_us.take());
        entry.ttl_us = renewed_us.unwrap_or(entry.ttl_us);
        let left_us = entry.due_us.filter(|_| step.is_restart);
        let due_us = left_us.unwrap_or(step.now.at_us.saturating_add(entry.ttl_us));
        entry.due_us = Some(due_us);
        if left_us.is_none() {
            self.changed.insert(id);
        }
        if let Some(ttl_us) = renewed_us {
            self.audit(step, id, Change::Ttl(ttl_us));
        }
        Some(due_us)
    }

    /// Until when a claim's client waits for the lock, by what it says now or has said before.
    fn until_us(&mut self, claim: ClaimId, said_us: Option<u64>) -> Option<u64> {
        let entry = self.book.entry_mut(claim.number())?;
        if said_us.is_some() {
            entry.until_us = said_us;
            self.changed.insert(claim.number());
        }
        entry.until_us
    }

    fn became(&mut self, step: &mut Step<'_, Self>, id: u64, status: Status, token: Option<Token>) {
        let token = token.map(Token::number);
        self.metrics.became(status);
        if self.book.entry(id).is_some() {
            self.book.became(id, status, token, step.now);
        } else if let Some(new) = step.context.request.as_mut().and_then(|hand| hand.new.take()) {
            let entry = Entry { token, ..Entry::new(new, vec![(status, step.now)]) };
            if !self.terms.is_volatile {
                saved::put_data(step.batch, id, &entry);
            }
            self.book.add(id, entry);
        }
        self.audit(step, id, Change::Became(status));
    }

    fn audit(&self, step: &mut Step<'_, Self>, id: u64, change: Change) {
        if let Some(entry) = self.book.entry(id).filter(|_| self.terms.is_audited) {
            audit(step.log, step.now, step.context.cause.as_ref(), (id, entry), change);
        }
    }

    /// Writes every claim that the step has changed, the core's part and its context together.
    fn put_changed(&mut self, state: &State, batch: &mut Batch) {
        if self.terms.is_volatile {
            return self.changed.clear();
        }
        for id in std::mem::take(&mut self.changed) {
            match (state.claim(ClaimId::new(id)), self.book.entry(id)) {
                (Some(record), Some(entry)) => {
                    let outages_us = self.meta.outages_us;
                    saved::put_claim(batch, id, &Kept::of(record), entry, outages_us);
                }
                (None, _) | (_, None) => saved::remove_claim(batch, id),
            }
        }
    }

    /// Answers a call: at once the one whose request is in hand, any other once it is saved.
    fn respond(&mut self, step: &mut Step<'_, Self>, to: Caller, response: Response) {
        let Some(call) = self.calls.remove(&to.0) else { return };
        let reply = self.reply(step, &call, response);
        match call.reply {
            Some(sender) => step.outgoing.push(Answer(sender, reply)),
            None => step.context.reply = Some(reply),
        }
    }

    fn reply(&mut self, step: &Step<'_, Self>, call: &Call, response: Response) -> Reply {
        let id = response.claim.map(ClaimId::number).or(call.claim);
        let entry = id.and_then(|id| Some((id, self.book.entry(id)?)));
        self.metrics.answered(response.status);
        match (response.status, entry) {
            (200..=202, Some((id, entry))) => {
                Reply::claim(response.status, id, entry, &call.origin, step.now.at_us)
            }
            (status, entry) => {
                let resource = entry.map(|(_, entry)| entry.number).or(call.resource);
                let holder = resource.and_then(|number| holder(step.state, number));
                Reply::without_claim(status, call.asked, entry, holder)
            }
        }
    }
}

/// The claim that holds a resource, by the resource's number.
pub(super) fn holder(state: &State, number: u32) -> Option<u64> {
    state.holder(ResourceName(number)).map(ClaimId::number)
}
