//! One step of the claim server: the events of one claim, and those that follow for other claims of
//! the resource.
//!
//! The save of a step comes before its other effects, so that no response says what a crash could
//! undo.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use turnstile_claim_machines::claim_record::{self as machine, Event, Guard, Machine, Resource};
use turnstile_machine::Rules;
use turnstile_step::{Effect, EffectOf, Out, OutOf, RowOutcome, step_machine};

use super::records::{Notice, Records, timer};
use super::saved::{Saved, SavedClaim};
use super::state::{OpenRequest, Record, State, Status};
use crate::message::{Caller, Message, ResourceName, Response};
use crate::number::{ClaimId, IdempotencyKey};

pub(super) const MACHINE: &str = <Machine as turnstile_machine::Machine>::TABLE.machine;

/// The request that this step handles.
#[derive(Clone, Copy, Debug)]
pub(super) struct CurrentRequest {
    pub(super) request: OpenRequest,
    /// Whether it is a long poll.
    pub(super) waits: bool,
}

/// The step in progress.
pub(super) struct StepContext<'a, R: Rules<Machine>> {
    pub(super) rules: &'a R,
    pub(super) state: &'a mut State,
    pub(super) rows: &'a mut Vec<RowOutcome>,
    pub(super) effects: &'a mut Vec<EffectOf<Records<R>>>,
    /// The number of effects before this step.
    begin: usize,
    pub(super) changed: BTreeSet<ClaimId>,
    /// The depth of events between claims so far.
    pub(super) depth: u8,
}

impl<'a, R: Rules<Machine>> StepContext<'a, R> {
    pub(super) fn new(rules: &'a R, state: &'a mut State, out: &'a mut OutOf<Records<R>>) -> Self {
        let Out { effects, rows } = out;
        let begin = effects.len();
        Self { rules, state, rows, effects, begin, changed: BTreeSet::new(), depth: 0 }
    }

    pub(super) fn has(&self, claim: ClaimId) -> bool {
        self.state.claims.contains_key(&claim)
    }

    /// The claim of an earlier POST with the same key.
    pub(super) fn known(&self, key: IdempotencyKey) -> Option<ClaimId> {
        self.state.keyed(key)
    }

    pub(super) fn is_full(&self, resource: ResourceName, waiters_max: usize) -> bool {
        let queue = self.state.queues.get(&resource);
        queue.is_some_and(|queue| queue.waiting.len() + queue.absent.len() >= waiters_max)
    }

    /// Adds the record of a new claim.
    pub(super) fn add(&mut self, resource: ResourceName, key: Option<IdempotencyKey>) -> ClaimId {
        let id = self.state.last_claim.next();
        self.state.last_claim = id;
        let at = self.rules.initial();
        self.state.claims.insert(id, Record { resource, at, token: None, key, open_request: None });
        self.state.keys.extend(key.map(|key| (key, id)));
        self.set_state(id, resource, None, at);
        id
    }

    pub(super) fn send(&mut self, to: Caller, response: Response) {
        self.effects.push(Effect::Send { to, message: Message::Response(response) });
    }

    /// Steps the machine of one claim.
    pub(super) fn step_machine(
        &mut self,
        id: ClaimId,
        event: Event,
        current: Option<CurrentRequest>,
    ) {
        let Some(&Record { at, resource, .. }) = self.state.claims.get(&id) else { return };
        let guards = |guard: Guard| match guard {
            Guard::Next => self.is_next(id, resource),
            Guard::Waits => current.is_some_and(|current| current.waits),
            Guard::Listened => {
                let queue = self.state.queues.get(&resource);
                queue.is_some_and(|queue| !queue.listening.is_empty())
            }
        };
        let Some(step) = step_machine(self.rules, at, event, &guards).report(self.rows) else {
            return;
        };
        let mut then = Vec::new();
        for entry in step.actions {
            then.extend(self.apply_action(id, resource, entry, current));
        }
        if step.to != at {
            self.set_state(id, resource, Status::of(at), step.to);
        }
        for who in then {
            self.promote(id, resource, who);
        }
    }

    /// Sets the state of a machine; notifies the claim's status if it changed.
    fn set_state(
        &mut self,
        id: ClaimId,
        resource: ResourceName,
        before: Option<Status>,
        to: machine::State,
    ) {
        let Some(record) = self.state.claims.get_mut(&id) else { return };
        record.at = to;
        let (status, token) = (record.status(), record.token);
        self.changed.insert(id);
        self.state.update_queue(id, resource, to);
        if self.rules.is_final(to) {
            self.state.drop_claim(id);
        }
        if let Some(status) = status.filter(|status| before != Some(*status)) {
            self.effects.push(Effect::Notify(Notice::Became { claim: id, status, token }));
        }
    }

    /// Whether a waiting claim is next: no unlapsed claim is active and no older one waits.
    fn is_next(&self, id: ClaimId, resource: ResourceName) -> bool {
        let Some(queue) = self.state.queues.get(&resource) else { return false };
        let is_lapsed = |holder| {
            let holder = self.state.claims.get(holder);
            holder.is_some_and(|record: &Record| record.at == machine::State::Lapsed)
        };
        let is_first = queue.waiting.first().is_none_or(|first| *first >= id);
        queue.holder.as_ref().is_none_or(is_lapsed) && is_first
    }

    /// Restores the saved state: connections are closed, timers restart.
    pub(super) fn restart(&mut self, saved: Option<Saved>) {
        *self.state = saved.map(Saved::restore).unwrap_or_default();
        self.begin();
    }

    /// As a restart from what was saved of the state: that has all of it but the connections.
    pub(super) fn restart_in_place(&mut self) {
        self.state.close_connections();
        self.begin();
    }

    fn begin(&mut self) {
        let event = |at| {
            let holds = self.rules.holds(at);
            let event = [
                (Resource::OpenRequest, Event::HungUp),
                (Resource::IdleTimer, Event::ServerRestarts),
            ];
            event.into_iter().find(|(held, _)| holds.contains(held)).map(|(_, event)| event)
        };
        let claims = self.state.claims.iter();
        let waited: Vec<(ClaimId, Event)> =
            claims.filter_map(|(id, record)| Some((*id, event(record.at)?))).collect();
        for (id, event) in waited {
            self.step_machine(id, event, None);
        }
        self.effects.reserve(self.state.claims.len());
        for (id, record) in &self.state.claims {
            let timers = self.rules.holds(record.at).iter().filter_map(|held| timer(*held, *id));
            self.effects.extend(timers.map(Effect::Arm));
        }
    }

    /// Removes the oldest finished claims beyond the limit.
    pub(super) fn forget_beyond(&mut self, finished_max: usize) {
        let surplus = self.state.finished.len().saturating_sub(finished_max);
        let oldest: Vec<ClaimId> = self.state.finished.iter().copied().take(surplus).collect();
        for id in oldest {
            self.step_machine(id, Event::Forget, None);
        }
    }

    /// Orders the effects: the save, then changes of status, then the rest. So a response comes
    /// after the changes that it reports.
    pub(super) fn finish(self) {
        self.effects[self.begin..].sort_by_key(|effect| !matches!(effect, Effect::Notify(_)));
        if !self.changed.is_empty() {
            let State { claims, last_claim, last_token, .. } = &*self.state;
            let kept = |id: ClaimId| (id, claims.get(&id).map(SavedClaim::of));
            let saved = Saved {
                claims: self.changed.into_iter().map(kept).collect(),
                last_claim: *last_claim,
                last_token: *last_token,
            };
            self.effects.insert(self.begin, Effect::Save(saved));
        }
    }
}
