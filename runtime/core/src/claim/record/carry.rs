//! What the record's actions do: answers, tokens, timers, and what one claim does to another.

use turnstile_machine::Rules;
use turnstile_machines::claim_record::{Action, ActionCall, Event, Machine, Op};
use turnstile_step::{Effect, RowOutcome};

use super::state::{Held, Record, Status};
use super::turn::{Asker, MACHINE, Turn};
use super::{Notice, timer};
use crate::claim::message::{Caller, ResourceName, Response};
use crate::number::{CallId, ClaimId};

/// The most machines that move each other in a row: a POST expires one claim and promotes another.
const TELLS_MAX: u8 = 2;

/// Whom a row promotes, once its own machine has moved.
#[derive(Clone, Copy, Debug)]
pub(super) enum Promote {
    Waiter,
    Listener,
}

impl<R: Rules<Machine>> Turn<'_, R> {
    /// Carries out one action; what it does to others once this machine has moved is given back.
    pub(super) fn carry(
        &mut self,
        id: ClaimId,
        resource: ResourceName,
        entry: ActionCall<'_>,
        asker: Option<Asker>,
    ) -> Option<Promote> {
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
            | Action::DeleteWaitTimer
            | Action::CreateIdleTimer
            | Action::RestartIdleTimer
            | Action::DeleteIdleTimer
            | Action::CreateLapseTimer
            | Action::DeleteLapseTimer => {}
            Action::TellItsClientThatItIsOver => {
                self.effects.push(Effect::Notify(Notice::Over { claim: id }));
            }
            Action::MintAToken => self.mint(id),
            Action::ExpireTheLapsedClaim => self.expire_lapsed(id, resource),
            Action::PromoteTheOldestWaiter => return Some(Promote::Waiter),
            Action::PromoteTheOldestListener => return Some(Promote::Listener),
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
        None
    }

    fn mint(&mut self, id: ClaimId) {
        let token = self.state.last_token.next();
        self.state.last_token = token;
        if let Some(record) = self.state.claims.get_mut(&id) {
            record.token = Some(token);
        }
    }

    /// Lets the active claim expire, if it has lapsed and is not the one that contends.
    fn expire_lapsed(&mut self, id: ClaimId, resource: ResourceName) {
        let holder = self.state.holder(resource).filter(|holder| *holder != id);
        if let Some(holder) = holder {
            self.tell(holder, Event::ContendedFor);
        }
    }

    /// Promotes the oldest that waits or listens, unless a claim is active or it is the one that
    /// moves.
    pub(super) fn promote(&mut self, id: ClaimId, resource: ResourceName, who: Promote) {
        let Some(queue) = self.state.queues.get(&resource) else { return };
        if queue.holder.is_some() {
            return;
        }
        let from = match who {
            Promote::Waiter => &queue.waiting,
            Promote::Listener => &queue.listening,
        };
        if let Some(oldest) = from.iter().copied().find(|waiter| *waiter != id) {
            self.tell(oldest, Event::Promoted);
        }
    }

    /// Moves another machine within the step of the first.
    fn tell(&mut self, id: ClaimId, event: Event) {
        if self.depth >= TELLS_MAX {
            let (action, because) = (event.kind().name(), "too many machines tell each other");
            self.rows.push(RowOutcome::ActionFailed { machine: MACHINE, action, because });
            return;
        }
        self.depth += 1;
        self.take(id, event, None);
        self.depth -= 1;
    }

    /// What contention does, where there is no room for the record that contends.
    pub(super) fn contend(&mut self, resource: ResourceName) {
        let nobody = ClaimId::default();
        self.expire_lapsed(nobody, resource);
        self.promote(nobody, resource, Promote::Waiter);
    }

    fn answer(&mut self, id: ClaimId, status: u16, asker: Option<Asker>) {
        if let Some(Asker { held, waits: _ }) = asker {
            self.respond(id, status, held);
        }
    }

    fn respond(&mut self, id: ClaimId, status: u16, to: Held) {
        let record = self.state.claims.get(&id);
        let token = record.and_then(|record| record.token);
        let has_expired = record.and_then(Record::status) == Some(Status::Expired);
        let response = Response {
            claim: (to.is_post || Response::GRANTS.contains(&status)).then_some(id),
            token: token.filter(|_| Response::GRANTS.contains(&status)),
            is_expired: has_expired && status >= 400,
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
}
