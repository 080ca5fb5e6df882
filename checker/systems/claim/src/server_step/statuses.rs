//! Checks of the server's steps: the status of a claim changes only by its cause in the wire
//! protocol, its timers count from there, and the end of a lease is announced.
//!
//! It compares the server's state before and after a step, from outside, and knows no row.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a promise is about some states; what holds in every other one is one case"
)]

use std::collections::BTreeSet;

use turnstile_claim_core::message::{
    Caller, Message, Request, RequestKind, ResourceName, TargetStatus,
};
use turnstile_claim_core::number::ClaimId;
use turnstile_claim_core::record::{Command, Limits, Notice, Record, State, Status, Timer};
use turnstile_claim_machines::claim_record::{Resource, State as At};
use turnstile_ids::number::CallId;
use turnstile_machine::Rules as _;
use turnstile_step::{Effect, EffectOf, Input, InputOf};

use crate::claim::{ClaimSystem, ServerCore};

/// Why the server took a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    Request(Caller, Request),
    Fired(Timer),
    HungUp(ClaimId, Caller, CallId),
    Restarted,
    Other,
}

/// A step of the server.
pub(crate) struct ServerStep<'a> {
    pub(crate) before: State,
    pub(crate) cause: Cause,
    pub(crate) limits: Limits,
    pub(crate) effects: &'a [EffectOf<ServerCore>],
    /// A waiter whose client is silent is skipped, and then expires. By the protocol it waits.
    expires_waiters: bool,
    pub(crate) after: &'a State,
    /// The changes of status that the server notified, in order.
    changes: Vec<(ClaimId, Status)>,
}

impl Cause {
    pub(crate) fn of(input: &InputOf<ServerCore>) -> Self {
        match input {
            Input::Message { from, message: Message::Request(request) } => {
                Self::Request(*from, *request)
            }
            Input::Fired(timer) => Self::Fired(*timer),
            Input::Command(Command::HungUp { claim, from, call }) => {
                Self::HungUp(*claim, *from, *call)
            }
            Input::Restart(_) => Self::Restarted,
            Input::Message { .. } => Self::Other,
        }
    }
}

impl<'a> ServerStep<'a> {
    pub(crate) fn new(
        system: &ClaimSystem,
        before: State,
        cause: Cause,
        after: &'a State,
        effects: &'a [EffectOf<ServerCore>],
    ) -> Self {
        let changes = effects.iter().filter_map(|effect| match effect {
            Effect::Notify(Notice::Became { claim, status, token: _ }) => Some((*claim, *status)),
            Effect::Send { .. }
            | Effect::Arm(_)
            | Effect::Disarm(_)
            | Effect::Save(_)
            | Effect::Notify(_) => None,
        });
        let (limits, changes) = (system.limits, changes.collect());
        let expires_waiters = system.record.holds(At::Waiting).contains(&Resource::IdleTimer);
        Self { before, cause, limits, effects, expires_waiters, after, changes }
    }

    /// Whether the status of each claim changed exactly if there was a cause.
    pub(crate) fn has_promised_statuses(&self) -> bool {
        if self.cause == Cause::Restarted {
            return self.after.claims().all(|(_, record)| self.is_cut_off(record));
        }
        let known: BTreeSet<ClaimId> =
            self.before.claims().chain(self.after.claims()).map(|(id, _)| id).collect();
        known.into_iter().all(|claim| self.is_as_promised(claim))
    }

    fn is_as_promised(&self, claim: ClaimId) -> bool {
        let (was, is) = (self.at_before(claim), self.after.claim(claim).map(|record| record.at));
        let is_kept = is.is_some() || self.is_surplus();
        let may = match (self.status_before(claim), self.status(claim)) {
            (Some(was), Some(is)) if was == is => {
                !self.is_ended_by_request(claim) || was.is_final()
            }
            (None, Some(Status::Waiting | Status::Active)) => self.added() == Some(claim),
            // Whose turn it is, is another property.
            (Some(Status::Waiting), Some(Status::Active)) => true,
            (Some(Status::Waiting), Some(Status::Expired)) => self.fired(Timer::Idle(claim)),
            (Some(Status::Active), Some(Status::Expired)) => self.loses_its_lease(claim),
            (Some(_), Some(is)) => is.is_final() && self.asks_for(claim, is),
            (_, None) | (None, _) => false,
        };
        is_kept && may && was.zip(is).is_none_or(|(was, is)| self.may_move(claim, was, is))
    }

    /// Whether a claim is where its client's connection and its lease put it.
    fn may_move(&self, claim: ClaimId, was: At, is: At) -> bool {
        let record = self.after.claim(claim).expect("a claim that moved is stored");
        let listens = record.open_request.is_some() == (is == At::Listening);
        listens
            && match is {
                At::Active => was != At::Lapsed || self.restarts_ttl(claim),
                At::Lapsed if was == At::Lapsed => {
                    let is_contended = self.contended() == Some(record.resource);
                    !self.fired(Timer::Lapse(claim))
                        && !self.restarts_ttl(claim)
                        && (self.wants_lock(claim) || !is_contended)
                }
                At::Lapsed => was == At::Active && self.fired(Timer::Ttl(claim)),
                At::Absent => self.disconnects(claim) || was == is && !self.wants_lock(claim),
                At::Waiting | At::Listening => {
                    !self.disconnects(claim)
                        && !self.fired(Timer::Idle(claim))
                        && (was != At::Absent || self.wants_lock(claim))
                }
                _ => true,
            }
            && (is != At::Active || !self.fired(Timer::Ttl(claim)))
            && (is != At::Absent || !self.fired(Timer::Idle(claim)))
    }

    /// Whether a claim waits for no request over a connection that a restart has closed.
    fn is_cut_off(&self, record: &Record) -> bool {
        let skips = self.expires_waiters;
        record.open_request.is_none()
            && record.at != At::Listening
            && !(skips && record.at == At::Waiting)
    }

    /// Whether each timer counts from when the protocol says.
    pub(crate) fn counts_as_promised(&self) -> bool {
        if self.cause == Cause::Restarted {
            return true;
        }
        let is_armed = |timer| self.effects.contains(&Effect::Arm(timer));
        let is_wrong = |(claim, record): &(ClaimId, &Record)| {
            let was = self.at_before(*claim);
            let ttl =
                record.at == At::Active && (was != Some(At::Active) || self.restarts_ttl(*claim));
            let waits = matches!(record.at, At::Waiting | At::Absent);
            let wait = record.at == At::Listening && self.wants_lock(*claim);
            is_armed(Timer::Ttl(*claim)) != ttl
                || is_armed(Timer::Wait(*claim)) != wait
                || waits
                    && self.expires_waiters
                    && self.wants_lock(*claim)
                    && !is_armed(Timer::Idle(*claim))
        };
        !self.after.claims().any(|claim| is_wrong(&claim))
    }

    /// Whether the ends of leases by another than their client are announced, and nothing else is.
    pub(crate) fn announces_ends(&self) -> bool {
        let announced = self.effects.iter().filter_map(|effect| match effect {
            Effect::Notify(Notice::Over { claim }) => Some(*claim),
            Effect::Send { .. }
            | Effect::Arm(_)
            | Effect::Disarm(_)
            | Effect::Save(_)
            | Effect::Notify(_) => None,
        });
        let is_over = |(claim, status): &&(ClaimId, Status)| {
            matches!(status, Status::Revoked | Status::Expired)
                && self.status_before(*claim) == Some(Status::Active)
        };
        let ended: BTreeSet<ClaimId> =
            self.changes.iter().filter(is_over).map(|(claim, _)| *claim).collect();
        let announced: BTreeSet<ClaimId> = announced.collect();
        announced == ended
    }

    /// Whether a step may delete a finished claim: as many as the limit are kept after it.
    fn is_surplus(&self) -> bool {
        finished(self.after).count() == self.limits.finished_max
    }

    /// The status of a claim after the step, also if the step deleted the claim.
    pub(crate) fn status(&self, claim: ClaimId) -> Option<Status> {
        let changed = self.changes.iter().rev().find(|(changed, _)| *changed == claim);
        let kept = || self.after.claim(claim).or_else(|| self.before.claim(claim));
        changed.map(|(_, status)| *status).or_else(|| kept().and_then(Record::status))
    }

    fn at_before(&self, claim: ClaimId) -> Option<At> {
        self.before.claim(claim).map(|record| record.at)
    }

    pub(crate) fn status_before(&self, claim: ClaimId) -> Option<Status> {
        self.before.claim(claim).and_then(Record::status)
    }

    /// The claim that the step's POST added.
    pub(crate) fn added(&self) -> Option<ClaimId> {
        let Cause::Request(_, Request { kind: RequestKind::Post { key, .. }, .. }) = self.cause
        else {
            return None;
        };
        if key.is_some_and(|key| self.before.keyed(key).is_some()) {
            return None;
        }
        let mut after = self.after.claims().map(|(id, _)| id);
        after.find(|id| self.before.claim(*id).is_none())
    }

    /// Whether no further claim of the resource may wait; a resource without claims has room.
    pub(crate) fn is_full(&self, resource: ResourceName) -> bool {
        let open = self.before.claims();
        let open = open.filter(|(_, one)| one.resource == resource && !is_finished(one.at));
        let open: Vec<_> = open.map(|(_, record)| record.status()).collect();
        let waiting = open.iter().filter(|status| **status == Some(Status::Waiting));
        !open.is_empty() && waiting.count() >= self.limits.waiters_max
    }

    /// Whether the step's request asks for the lock for this claim.
    pub(crate) fn wants_lock(&self, claim: ClaimId) -> bool {
        let Cause::Request(_, Request { kind, .. }) = self.cause else { return false };
        match kind {
            RequestKind::Post { key, .. } => {
                key.and_then(|key| self.before.keyed(key)).or_else(|| self.added()) == Some(claim)
            }
            RequestKind::Status { claim: of, to: TargetStatus::Active { .. } } => of == claim,
            RequestKind::Ttl { .. } | RequestKind::Status { .. } => false,
        }
    }

    /// Whether the step's request restarts the ttl of this claim, if it holds the lock.
    fn restarts_ttl(&self, claim: ClaimId) -> bool {
        let Cause::Request(_, Request { kind, .. }) = self.cause else { return false };
        match kind {
            RequestKind::Post { key, .. } => {
                key.and_then(|key| self.before.keyed(key)) == Some(claim)
            }
            RequestKind::Ttl { claim: of } => of == claim,
            RequestKind::Status { .. } => false,
        }
    }

    /// Whether the step's request demands this final status for the claim.
    fn asks_for(&self, claim: ClaimId, status: Status) -> bool {
        let Cause::Request(_, Request { kind, .. }) = self.cause else { return false };
        let RequestKind::Status { claim: of, to } = kind else { return false };
        of == claim && self.may_end(claim, status) && status.name() == to.name()
    }

    /// Whether the step's request ends the claim, or did so before.
    pub(crate) fn is_ended_by_request(&self, claim: ClaimId) -> bool {
        let Cause::Request(_, Request { kind, .. }) = self.cause else { return false };
        let RequestKind::Status { claim: of, to } = kind else { return false };
        let status = Status::from_name(to.name());
        of == claim && status.is_some_and(|status| status.is_final() && self.may_end(claim, status))
    }

    /// Whether a request may give a claim this final status, or it has it.
    fn may_end(&self, claim: ClaimId, status: Status) -> bool {
        match self.status_before(claim) {
            Some(Status::Waiting) => status != Status::Released,
            Some(Status::Active) => true,
            before => before == Some(status),
        }
    }

    /// Whether an active claim expires: its ttl has expired, and another claim contends or listens,
    /// or none did within the retention time.
    fn loses_its_lease(&self, claim: ClaimId) -> bool {
        let Some(record) = self.before.claim(claim) else { return false };
        let is_other =
            |(id, other): &(ClaimId, &Record)| *id != claim && other.resource == record.resource;
        if record.at == At::Lapsed {
            return self.fired(Timer::Lapse(claim))
                || self.contended().is_some_and(|resource| resource == record.resource);
        }
        let mut others = self.before.claims().filter(is_other);
        self.fired(Timer::Ttl(claim)) && others.any(|(_, other)| other.at == At::Listening)
    }

    /// The resource for which the step's request contends.
    fn contended(&self) -> Option<ResourceName> {
        let Cause::Request(_, Request { kind, .. }) = self.cause else { return None };
        match kind {
            // A repeated POST of a claim that has ended makes none.
            RequestKind::Post { resource, key, .. } => {
                let known = key.and_then(|key| self.before.keyed(key));
                let status = known.and_then(|known| self.status_before(known));
                // It is the claim of its key, whatever resource it names.
                let known = known.and_then(|known| self.before.claim(known));
                let resource = known.map_or(resource, |record| record.resource);
                (!status.is_some_and(Status::is_final)).then_some(resource)
            }
            RequestKind::Status { claim, to: TargetStatus::Active { .. } } => {
                self.before.claim(claim).map(|record| record.resource)
            }
            RequestKind::Ttl { .. } | RequestKind::Status { .. } => None,
        }
    }

    fn fired(&self, timer: Timer) -> bool {
        self.cause == Cause::Fired(timer)
    }

    /// Whether the long poll of a claim has timed out in this step.
    pub(crate) fn wait_timed_out(&self, claim: ClaimId) -> bool {
        self.fired(Timer::Wait(claim))
    }

    /// Whether the step is the disconnect of the claim's open request.
    fn disconnects(&self, claim: ClaimId) -> bool {
        let open = self.before.claim(claim).and_then(|record| record.open_request);
        open.is_some_and(|open| self.cause == Cause::HungUp(claim, open.from, open.call))
    }
}

/// Whether a claim in this state has ended, or was removed.
pub(crate) fn is_finished(at: At) -> bool {
    Status::of(at).is_none_or(Status::is_final)
}

/// The finished claims that a server keeps, the oldest first.
pub(crate) fn finished(state: &State) -> impl Iterator<Item = ClaimId> {
    state.claims().filter(|(_, record)| is_finished(record.at)).map(|(claim, _)| claim)
}
