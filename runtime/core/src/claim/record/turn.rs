//! One step of the claim server: which machines move, what follows for others of the resource.
//!
//! Effects are gathered, and what is to survive a crash is put before them: nothing is answered
//! that a crash could take back.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use turnstile_machines::claim_record::{
    self as machine, Action, Do, Event, Guard, Op, Resource, Rules,
};

use super::state::{Held, Record, State, Status};
use super::{Kept, Notice, Records, Saved, timer};
use crate::claim::message::{Caller, Message, ResourceName, Response};
use crate::number::{CallId, ClaimId, IdempotencyKey};
use crate::step::{Effect, EffectOf, Taken};

const MACHINE: &str = "claim-record";

/// The most machines that move each other in a row: a POST expires one claim and promotes another.
const TELLS_MAX: u8 = 2;

/// A request that is being answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asker {
    pub(super) held: Held,
    /// Whether it is to be answered only when the claim is granted.
    pub(super) waits: bool,
}

/// One step on its way.
pub(super) struct Turn<'a, R: Rules> {
    rules: &'a R,
    state: &'a mut State,
    rows: &'a mut Vec<Taken>,
    effects: Vec<EffectOf<Records<R>>>,
    changed: BTreeSet<ClaimId>,
    depth: u8,
}

impl<'a, R: Rules> Turn<'a, R> {
    pub(super) fn new(rules: &'a R, state: &'a mut State, rows: &'a mut Vec<Taken>) -> Self {
        Self { rules, state, rows, effects: Vec::new(), changed: BTreeSet::new(), depth: 0 }
    }

    pub(super) fn has(&self, claim: ClaimId) -> bool {
        self.state.claims.contains_key(&claim)
    }

    /// The claim that an earlier POST with the same key made.
    pub(super) fn known(&self, key: IdempotencyKey) -> Option<ClaimId> {
        self.state.keys.get(&key).copied()
    }

    pub(super) fn is_full(&self, resource: ResourceName, waiters_max: usize) -> bool {
        let queue = self.state.queues.get(&resource);
        queue.is_some_and(|queue| queue.waiting.len() >= waiters_max)
    }

    /// Opens the record of a new claim.
    pub(super) fn add(&mut self, resource: ResourceName, key: Option<IdempotencyKey>) -> ClaimId {
        let id = self.state.last_claim.next();
        self.state.last_claim = id;
        let at = self.rules.initial();
        self.state.claims.insert(id, Record { resource, at, token: None, key, held: None });
        self.state.keys.extend(key.map(|key| (key, id)));
        self.settle(id, resource, None, at);
        id
    }

    pub(super) fn send(&mut self, to: Caller, response: Response) {
        self.effects.push(Effect::Send { to, message: Message::Response(response) });
    }

    /// One machine takes one event.
    pub(super) fn take(&mut self, id: ClaimId, event: Event, asker: Option<Asker>) {
        let Some(&Record { at, resource, .. }) = self.state.claims.get(&id) else { return };
        let guards = |guard: Guard| match guard {
            Guard::Next => self.is_next(id, resource),
            Guard::Waits => asker.is_some_and(|asker| asker.waits),
            Guard::Listened => {
                let queue = self.state.queues.get(&resource);
                queue.is_some_and(|queue| !queue.listening.is_empty())
            }
        };
        match self.rules.step(at, event, &guards) {
            Ok(step) => {
                let taken = step.row.map_or(
                    Taken::Ignored {
                        machine: MACHINE,
                        state: at.name(),
                        event: event.kind().name(),
                    },
                    |row| Taken::Row { machine: MACHINE, row: row.name() },
                );
                self.rows.push(taken);
                for entry in step.does {
                    self.carry(id, resource, entry, asker);
                }
                if step.to != at {
                    self.settle(id, resource, Status::of(at), step.to);
                }
            }
            Err(refused) => self.rows.push(Taken::Unexpected {
                machine: MACHINE,
                state: refused.state.name(),
                event: refused.event.kind().name(),
                number: refused.event.number(),
            }),
        }
    }

    /// Moves a machine and tells of its status, if that is another than before.
    fn settle(
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
        self.state.settle(id, resource, status);
        if self.rules.is_final(to) {
            self.state.drop_claim(id);
        }
        if let Some(status) = status.filter(|status| before != Some(*status)) {
            self.effects.push(Effect::Notify(Notice::Became { claim: id, status, token }));
        }
    }

    /// Whether nothing stands between a waiting claim and the lock.
    fn is_next(&self, id: ClaimId, resource: ResourceName) -> bool {
        let Some(queue) = self.state.queues.get(&resource) else { return false };
        let is_lapsed = |holder| {
            let holder = self.state.claims.get(holder);
            holder.is_some_and(|record: &Record| record.at == machine::State::Lapsed)
        };
        queue.holder.as_ref().is_none_or(is_lapsed) && queue.waiting.first() == Some(&id)
    }

    fn carry(&mut self, id: ClaimId, resource: ResourceName, entry: &Do<'_>, asker: Option<Asker>) {
        for op in entry.ops {
            let Some(timer) = timer(op.resource(), id) else { continue };
            self.effects.push(match op {
                Op::Create(_) | Op::Restart(_) => Effect::Arm(timer),
                Op::Delete(_) | Op::Abandon(_) => Effect::Disarm(timer),
            });
        }
        match entry.action {
            Action::CreateTtlTimer
            | Action::RestartTtlTimer
            | Action::DeleteTtlTimer
            | Action::DeleteWaitTimer => {}
            Action::MintAToken => self.mint(id),
            Action::ExpireTheLapsedClaim => self.expire_lapsed(Some(id), resource),
            Action::PromoteTheOldestWaiter => self.promote(Some(id), resource, false),
            Action::PromoteTheOldestListener => self.promote(Some(id), resource, true),
            Action::Answer200 => self.answer(id, 200, asker),
            Action::Answer201 => self.answer(id, 201, asker),
            Action::Answer202 => self.answer(id, 202, asker),
            Action::Answer204 => self.answer(id, 204, asker),
            Action::Answer400 => self.answer(id, 400, asker),
            Action::Answer409 => self.answer(id, 409, asker),
            Action::HoldTheRequest => self.hold(id, asker),
            Action::AnswerTheOpenRequestThatItIsGranted => self.answer_open(id, 201, 200),
            Action::AnswerTheOpenRequestThatItWaits => self.answer_open(id, 202, 409),
            Action::AnswerTheOpenRequestThatItIsOver => self.answer_open(id, 400, 400),
            Action::DropTheOpenRequest => drop(self.open(id)),
        }
    }

    fn mint(&mut self, id: ClaimId) {
        let token = self.state.last_token.next();
        self.state.last_token = token;
        if let Some(record) = self.state.claims.get_mut(&id) {
            record.token = Some(token);
        }
    }

    /// Lets the active claim expire, if it has lapsed and is not the one that contends.
    fn expire_lapsed(&mut self, id: Option<ClaimId>, resource: ResourceName) {
        let holder = self.state.holder(resource).filter(|holder| Some(*holder) != id);
        if let Some(holder) = holder {
            self.tell(holder, Event::ContendedFor);
        }
    }

    /// Promotes the oldest that waits, or the oldest that listens, unless a claim other than the
    /// one that moves is active.
    fn promote(&mut self, id: Option<ClaimId>, resource: ResourceName, only_listeners: bool) {
        let Some(queue) = self.state.queues.get(&resource) else { return };
        if queue.holder.is_some_and(|holder| Some(holder) != id) {
            return;
        }
        let from = if only_listeners { &queue.listening } else { &queue.waiting };
        let oldest = from.iter().copied().find(|waiter| Some(*waiter) != id);
        if let Some(oldest) = oldest {
            self.tell(oldest, Event::Promoted);
        }
    }

    /// Moves another machine within the step of the first.
    fn tell(&mut self, id: ClaimId, event: Event) {
        if self.depth >= TELLS_MAX {
            let (action, because) = (event.kind().name(), "too many machines tell each other");
            self.rows.push(Taken::Undone { machine: MACHINE, action, because });
            return;
        }
        self.depth += 1;
        self.take(id, event, None);
        self.depth -= 1;
    }

    /// What contention does, where there is no room for the record that contends.
    pub(super) fn contend(&mut self, resource: ResourceName) {
        self.expire_lapsed(None, resource);
        self.promote(None, resource, false);
    }

    fn answer(&mut self, id: ClaimId, status: u16, asker: Option<Asker>) {
        if let Some(Asker { held, waits: _ }) = asker {
            self.respond(id, status, held);
        }
    }

    fn respond(&mut self, id: ClaimId, status: u16, to: Held) {
        let token = self.state.claims.get(&id).and_then(|record| record.token);
        let response = Response {
            claim: (to.is_post || Response::GRANTS.contains(&status)).then_some(id),
            token: token.filter(|_| Response::GRANTS.contains(&status)),
            ..Response::bare(to.call, status)
        };
        self.send(to.from, response);
    }

    fn hold(&mut self, id: ClaimId, asker: Option<Asker>) {
        if let Some(record) = self.state.claims.get_mut(&id) {
            record.held = asker.map(|asker| asker.held);
        }
    }

    /// Takes the open request of a claim.
    fn open(&mut self, id: ClaimId) -> Option<Held> {
        self.state.claims.get_mut(&id)?.held.take()
    }

    fn answer_open(&mut self, id: ClaimId, of_post: u16, of_patch: u16) {
        if let Some(held) = self.open(id) {
            self.respond(id, if held.is_post { of_post } else { of_patch }, held);
        }
    }

    /// The connection of a request is gone; nothing happens if it was answered meanwhile.
    pub(super) fn hang_up(&mut self, id: ClaimId, from: Caller, call: CallId) {
        let held = self.state.claims.get(&id).and_then(|record| record.held);
        if held.is_some_and(|held| (held.from, held.call) == (from, call)) {
            self.take(id, Event::HungUp, None);
        }
    }

    /// Starts from what was saved: connections are gone, timers start anew.
    pub(super) fn restart(&mut self, saved: Option<Saved>) {
        *self.state = saved.map(Saved::restore).unwrap_or_default();
        let listened = self
            .state
            .claims
            .iter()
            .filter(|(_, record)| self.rules.holds(record.at).contains(&Resource::OpenRequest));
        let listened: Vec<ClaimId> = listened.map(|(id, _)| *id).collect();
        for id in listened {
            self.take(id, Event::HungUp, None);
        }
        for (id, record) in &self.state.claims {
            let timers = self.rules.holds(record.at).iter().filter_map(|held| timer(*held, *id));
            self.effects.extend(timers.map(Effect::Arm));
        }
    }

    /// Forgets the oldest final claims, until no more than there is room for are kept.
    pub(super) fn forget_beyond(&mut self, finished_max: usize) {
        let surplus = self.state.finished.len().saturating_sub(finished_max);
        let oldest: Vec<ClaimId> = self.state.finished.iter().copied().take(surplus).collect();
        for id in oldest {
            self.take(id, Event::Forget, None);
        }
    }

    /// Hands over the effects: first what is to survive, then the rest in order.
    pub(super) fn finish(self, effects: &mut Vec<EffectOf<Records<R>>>) {
        if !self.changed.is_empty() {
            let State { claims, last_claim, last_token, .. } = &*self.state;
            let kept = |id: ClaimId| (id, claims.get(&id).map(Kept::of));
            effects.push(Effect::Save(Saved {
                claims: self.changed.into_iter().map(kept).collect(),
                last_claim: *last_claim,
                last_token: *last_token,
            }));
        }
        effects.extend(self.effects);
    }
}
