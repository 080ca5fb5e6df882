//! The claim server's service of its core: leases, names, bodies, dates, histories, replies.
//!
//! It follows from effects and their requests, and never decides by a claim's status.

use std::collections::{BTreeSet, HashMap};

use turnstile_claim_core::message::{Caller, Message, ResourceName, Response};
use turnstile_claim_core::number::ClaimId;
use turnstile_claim_core::record::{Notice, Records, Saved, SavedClaim, State, Status, Timer};
use turnstile_host::store::Batch;
use turnstile_host::{Moment, Service, StepIo};
use turnstile_ids::number::Token;

use crate::server::audit::{AuditedChange, audit};
use crate::server::state::index::ClaimIndex;
use crate::server::state::record::ClaimRecord;
use crate::server::state::reply::Reply;
use crate::server::state::retention::Retention;
use crate::server::state::saved::{self, Meta};
use crate::server::web::call::{Call, FIRST_WATCH, OutgoingReply, RequestContext};
use crate::server::web::metrics::Metrics;

/// The interval in microseconds at which the store records that the server is alive, while leases
/// run.
const HEARTBEAT_US: u64 = 1_000_000;

/// The number of changed claims of a step for which memory is kept.
const CHANGED_KEPT: usize = 64;

/// The context of all claims, and the requests that wait.
#[derive(Debug)]
pub(crate) struct ClaimService {
    pub(crate) index: ClaimIndex,
    /// The claims that the current step has changed, in any order, each at least once.
    changed: Vec<u64>,
    /// The claims that the current step has removed. Their records are needed until its end.
    removed: Vec<u64>,
    /// The claims that the current step has ended.
    over: Vec<u64>,
    /// The responses of the current step, which are sent after its changes are collected.
    responses: Vec<(Caller, Response)>,
    pub(crate) meta: Meta,
    /// The id of the server, until it is written.
    pub(crate) new_server: Option<u128>,
    pub(crate) calls: HashMap<u64, Call>,
    /// The long polls for the end of a claim, by claim.
    pub(crate) watches: HashMap<u64, BTreeSet<u64>>,
    pub(crate) last_caller: u64,
    /// The last caller that waits for the end of a claim.
    pub(crate) last_watch: u64,
    pub(crate) retention: Retention,
    /// The server is stopping: requests do not wait any more.
    pub(crate) is_ending: bool,
    pub(crate) metrics: Metrics,
}

impl ClaimService {
    pub(crate) fn new(index: ClaimIndex, meta: Meta, retention: Retention) -> Self {
        Self {
            index,
            changed: Vec::new(),
            removed: Vec::new(),
            over: Vec::new(),
            responses: Vec::new(),
            meta,
            new_server: None,
            calls: HashMap::new(),
            watches: HashMap::new(),
            last_caller: 0,
            last_watch: FIRST_WATCH,
            retention,
            is_ending: false,
            metrics: Metrics::default(),
        }
    }
}

impl Service for ClaimService {
    type Core = Records;
    type Context = RequestContext;
    type Outgoing = OutgoingReply;

    /// A ttl starts at the activation and at each PATCH; after a restart a lease keeps its
    /// remaining time.
    fn due_us(&mut self, step: &mut StepIo<'_, Self>, timer: Timer) -> Option<u64> {
        let now_us = step.now.at_us;
        match timer {
            Timer::Ttl(claim) => self.lease_end_us(step, claim.number()),
            Timer::Wait(claim) => {
                let request = step.context.request.as_ref()?;
                if let Some(call) = self.calls.get_mut(&request.caller) {
                    call.claim = Some(claim.number());
                }
                let is_full = self.calls.len() > self.retention.waits_max;
                let is_now = self.is_ending || is_full;
                Some(if is_now { now_us } else { now_us.saturating_add(request.wait_us) })
            }
            Timer::Idle(claim) => {
                let longest_us = now_us.saturating_add(self.retention.unasked_us);
                let said_us = step.context.request.as_ref().and_then(|request| request.timeout_us);
                let said_us = said_us.map(|timeout_us| now_us.saturating_add(timeout_us));
                let until_us = self.until_us(claim, said_us);
                Some(until_us.map_or(longest_us, |until_us| {
                    longest_us.min(until_us.saturating_add(self.retention.leave_us))
                }))
            }
            // Counted from the end of the ttl, which is saved.
            Timer::Lapse(claim) => {
                let entry = self.index.entry(claim.number());
                let due_us = entry.and_then(|entry| entry.due_us).unwrap_or(now_us);
                Some(due_us.saturating_add(self.retention.lapse_us))
            }
        }
    }

    fn save(&mut self, _step: &mut StepIo<'_, Self>, saved: Saved) {
        self.meta.last_claim = saved.last_claim.number();
        self.meta.last_token = saved.last_token.number();
        for (id, kept) in saved.claims {
            let id = id.number();
            self.changed.push(id);
            if kept.is_none() {
                self.removed.push(id);
            }
        }
    }

    fn notify(&mut self, step: &mut StepIo<'_, Self>, notice: Notice) {
        match notice {
            Notice::Over { claim } => self.over.push(claim.number()),
            Notice::Became { claim, status, token } => {
                self.became(step, claim.number(), status, token);
            }
        }
    }

    fn send(&mut self, _step: &mut StepIo<'_, Self>, to: Caller, message: Message) {
        match message {
            Message::Response(response) => self.responses.push((to, response)),
            Message::Request(_) | Message::Act { .. } | Message::Over { .. } => {}
        }
    }

    fn finish(&mut self, step: &mut StepIo<'_, Self>) {
        self.put_changed(step.state, step.batch);
        for id in self.removed.drain(..) {
            self.index.remove(id);
        }
        // The long polls get the claim's new state.
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
        if let Some(server) = self.new_server.take() {
            saved::put_server(batch, server);
        }
    }

    fn is_wait_timeout(&self, timer: Timer) -> bool {
        match timer {
            Timer::Wait(_) => true,
            Timer::Ttl(_) | Timer::Idle(_) | Timer::Lapse(_) => false,
        }
    }

    fn end_waits(&mut self, step: &mut StepIo<'_, Self>) {
        let mut watched: Vec<u64> = self.watches.keys().copied().collect();
        watched.sort_unstable();
        for id in watched {
            self.end_watches(id, step.now, step.outgoing);
        }
    }

    fn heartbeat_us(&self) -> Option<u64> {
        Some(HEARTBEAT_US)
    }
}

impl ClaimService {
    fn lease_end_us(&mut self, step: &mut StepIo<'_, Self>, id: u64) -> Option<u64> {
        let entry = self.index.entry_mut(id)?;
        let renewed_us = step.context.request.as_mut().and_then(|request| request.ttl_us.take());
        entry.ttl_us = renewed_us.unwrap_or(entry.ttl_us);
        let left_us = entry.due_us.filter(|_| step.is_restart);
        let due_us = left_us.unwrap_or(step.now.at_us.saturating_add(entry.ttl_us));
        entry.due_us = Some(due_us);
        if left_us.is_none() {
            self.changed.push(id);
        }
        if let Some(ttl_us) = renewed_us {
            self.audit(step, id, AuditedChange::Ttl(ttl_us));
        }
        Some(due_us)
    }

    /// Until when a claim's client waits for the lock, according to this request or an earlier one.
    fn until_us(&mut self, claim: ClaimId, said_us: Option<u64>) -> Option<u64> {
        let entry = self.index.entry_mut(claim.number())?;
        if said_us.is_some() {
            entry.until_us = said_us;
            self.changed.push(claim.number());
        }
        entry.until_us
    }

    fn became(
        &mut self,
        step: &mut StepIo<'_, Self>,
        id: u64,
        status: Status,
        token: Option<Token>,
    ) {
        let token = token.map(Token::number);
        self.metrics.became(status);
        if self.index.entry(id).is_some() {
            self.index.became(id, status, token, step.now);
        } else if let Some(new) =
            step.context.request.as_mut().and_then(|request| request.new.take())
        {
            let entry = ClaimRecord { token, ..ClaimRecord::new(new, vec![(status, step.now)]) };
            if !self.retention.is_volatile {
                saved::put_data(step.batch, id, &entry);
            }
            self.index.add(id, entry);
        }
        if let Some(entry) = self.index.entry(id) {
            let (resource, status) = (&*entry.resource, status.name());
            match entry.status() {
                // The holder or the waiter did not ask for these.
                Status::Expired | Status::Revoked => {
                    tracing::info!(claim = id, resource, status, "claim changed its status");
                }
                Status::Waiting
                | Status::Active
                | Status::Released
                | Status::Aborted
                | Status::Withdrawn => {
                    tracing::debug!(
                        claim = id,
                        resource,
                        status,
                        token,
                        "claim changed its status"
                    );
                }
            }
        }
        self.audit(step, id, AuditedChange::Became(status));
    }

    fn audit(&self, step: &mut StepIo<'_, Self>, id: u64, change: AuditedChange) {
        if let Some(entry) = self.index.entry(id).filter(|_| self.retention.is_audited) {
            audit(step.log, step.now, step.context.cause.as_ref(), (id, entry), change);
        }
    }

    /// Records what the core has of all claims that the step has changed, and writes them with
    /// their context, if there is a store.
    fn put_changed(&mut self, state: &State, batch: &mut Batch) {
        let is_volatile = self.retention.is_volatile;
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        for id in changed.drain(..) {
            match (state.claim(ClaimId::new(id)), self.index.entry_mut(id)) {
                (Some(record), Some(entry)) => {
                    entry.keep(SavedClaim::of(record));
                    if !is_volatile {
                        saved::put_claim(batch, id, entry, self.meta.outages_us);
                    }
                }
                (None, _) | (_, None) if is_volatile => {}
                (None, _) | (_, None) => saved::remove_claim(batch, id),
            }
        }
        // A restart may have changed all claims.
        changed.shrink_to(CHANGED_KEPT);
        self.changed = changed;
    }

    /// Replies to a request: the current one directly, others after the commit.
    fn respond(&mut self, step: &mut StepIo<'_, Self>, to: Caller, response: Response) {
        let Some(call) = self.calls.remove(&to.0) else { return };
        let reply = self.reply(step, &call, response);
        let is_current = step.context.request.as_ref().is_some_and(|now| now.caller == to.0);
        match call.reply {
            Some(sender) => step.outgoing.push(OutgoingReply(sender, reply)),
            None if is_current => step.context.reply = Some(reply),
            // In a cluster: another member has received it, and responds.
            None => {}
        }
    }

    fn reply(&mut self, step: &StepIo<'_, Self>, call: &Call, response: Response) -> Reply {
        let id = response.claim.map(ClaimId::number).or(call.claim);
        let entry = id.and_then(|id| Some((id, self.index.entry(id)?)));
        self.metrics.answered(response.status);
        match (response.status, entry) {
            (200..=202, Some((id, entry))) => {
                Reply::claim(response.status, id, entry, &call.origin, step.now.at_us)
            }
            (status, entry) => {
                let resource = entry.map(|(_, entry)| entry.number).or(call.resource);
                let holder = resource.and_then(|number| holder(step.state, number));
                Reply::without_claim(status, call.kind, entry, holder)
            }
        }
    }
}

/// The claim that holds a resource, given the resource's number.
pub(crate) fn holder(state: &State, number: u32) -> Option<u64> {
    state.holder(ResourceName(number)).map(ClaimId::number)
}
