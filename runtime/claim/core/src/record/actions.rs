//! The actions of a claim record: responses, tokens, timers, and events for other claims.

use turnstile_claim_machines::claim_record::{Action, ActionCall, Event, Machine, Op};
use turnstile_machine::Rules;
use turnstile_step::{Effect, RowOutcome};

use super::context::{CurrentRequest, MACHINE, StepContext};
use super::records::{Notice, timer};
use super::state::{OpenRequest, Record, Status};
use crate::message::{Caller, ResourceName, Response};
use crate::number::ClaimId;
use turnstile_ids::number::CallId;

/// The greatest depth of events between claims: a POST expires one claim and promotes another.
const PROMOTION_DEPTH_MAX: u8 = 2;

/// Which claim a row promotes, after the row's own actions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Promotion {
    Waiter,
    Listener,
}

impl<R: Rules<Machine>> StepContext<'_, R> {
    /// Carries out one action. Returns a promotion that follows once the row's machine has moved.
    pub(super) fn apply_action(
        &mut self,
        id: ClaimId,
        resource: ResourceName,
        entry: ActionCall<'_>,
        current: Option<CurrentRequest>,
    ) -> Option<Promotion> {
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
            Action::PromoteTheOldestWaiter => return Some(Promotion::Waiter),
            Action::PromoteTheOldestListener => return Some(Promotion::Listener),
            Action::Answer200 => self.answer(id, 200, current),
            Action::Answer201 => self.answer(id, 201, current),
            Action::Answer202 => self.answer(id, 202, current),
            Action::Answer204 => self.answer(id, 204, current),
            Action::Answer400 => self.answer(id, 400, current),
            Action::Answer409 => self.answer(id, 409, current),
            Action::HoldTheRequest => self.hold(id, current),
            Action::AnswerTheOpenRequestThatItIsGranted => self.answer_open(id, 201, 200),
            Action::AnswerTheOpenRequestThatItWaits => self.answer_open(id, 202, 409),
            Action::AnswerTheOpenRequestThatItIsOver => self.answer_open(id, 400, 400),
            Action::DropTheOpenRequest => drop(self.take_open_request(id)),
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

    /// Sends the active claim the event of contention, unless it is the contender itself.
    fn expire_lapsed(&mut self, id: ClaimId, resource: ResourceName) {
        let holder = self.state.holder(resource).filter(|holder| *holder != id);
        if let Some(holder) = holder {
            self.step_other(holder, Event::ContendedFor);
        }
    }

    /// Promotes the oldest waiting or listening claim other than `id`, unless a claim is active.
    pub(super) fn promote(&mut self, id: ClaimId, resource: ResourceName, who: Promotion) {
        let Some(queue) = self.state.queues.get(&resource) else { return };
        if queue.holder.is_some() {
            return;
        }
        let from = match who {
            Promotion::Waiter => &queue.waiting,
            Promotion::Listener => &queue.listening,
        };
        if let Some(oldest) = from.iter().copied().find(|waiter| *waiter != id) {
            self.step_other(oldest, Event::Promoted);
        }
    }

    /// Steps another claim's machine within the same step.
    fn step_other(&mut self, id: ClaimId, event: Event) {
        if self.depth >= PROMOTION_DEPTH_MAX {
            let (action, reason) =
                (event.kind().name(), "too many claims cause events of each other");
            self.rows.push(RowOutcome::ActionFailed { machine: MACHINE, action, reason });
            return;
        }
        self.depth += 1;
        self.step_machine(id, event, None);
        self.depth -= 1;
    }

    /// The effect of contention where there is no room for the contender's record.
    pub(super) fn contend(&mut self, resource: ResourceName) {
        let no_claim = ClaimId::default();
        self.expire_lapsed(no_claim, resource);
        self.promote(no_claim, resource, Promotion::Waiter);
    }

    fn answer(&mut self, id: ClaimId, status: u16, current: Option<CurrentRequest>) {
        if let Some(CurrentRequest { request, waits: _ }) = current {
            self.respond(id, status, request);
        }
    }

    fn respond(&mut self, id: ClaimId, status: u16, to: OpenRequest) {
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

    fn hold(&mut self, id: ClaimId, current: Option<CurrentRequest>) {
        if let Some(record) = self.state.claims.get_mut(&id) {
            record.open_request = current.map(|current| current.request);
        }
    }

    /// Removes the open request of a claim.
    fn take_open_request(&mut self, id: ClaimId) -> Option<OpenRequest> {
        self.state.claims.get_mut(&id)?.open_request.take()
    }

    fn answer_open(&mut self, id: ClaimId, of_post: u16, of_patch: u16) {
        if let Some(request) = self.take_open_request(id) {
            self.respond(id, if request.is_post { of_post } else { of_patch }, request);
        }
    }

    /// The client of a request disconnected; no event if the request has been answered.
    pub(super) fn hang_up(&mut self, id: ClaimId, from: Caller, call: CallId) {
        let open = self.state.claims.get(&id).and_then(|record| record.open_request);
        if open.is_some_and(|request| (request.from, request.call) == (from, call)) {
            self.step_machine(id, Event::HungUp, None);
        }
    }
}
