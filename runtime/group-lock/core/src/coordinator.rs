//! The machine of the coordinator: its events, and its actions on the lock table, the queue and the
//! responses.

use turnstile_group_lock_machines::group_lock_client as client;
use turnstile_group_lock_machines::group_lock_coordinator::{
    Action, ActionCall, Event, Machine, Op, Resource, ViewIs,
};
use turnstile_machine::Rules;
use turnstile_step::{Effect, step_machine};

use super::context::{EventContext, StepContext};
use super::facts::CoordinatorFacts;
use super::message::{GrantNumber, LockName, LockRequest, Message, MessageBody};
use super::state::Timer;
use turnstile_view_handler_core::{MemberId, View};

/// The most runs of the ReconciliationProtocol that one step starts.
const RECONCILIATIONS_MAX: u8 = 8;

impl<C: Rules<client::Machine>, K: Rules<Machine>> StepContext<'_, C, K> {
    /// A view is delivered; then the LOCK-INFO-REQ that came before it, if any.
    pub(super) fn view(&mut self, view: View) {
        let is = if view.is_merge() { ViewIs::MergeView } else { ViewIs::View };
        let (id, coord) = (view.id, view.coordinator());
        self.state.view = Some(view);
        self.step_machine(Event::View { is }, self.internal_event());
        let early = coord.filter(|coord| self.state.early.get(coord) == Some(&id));
        self.state.early.retain(|_, early| *early > id);
        if let Some(coord) = early {
            self.on_message(coord, Message { body: MessageBody::LockInfoReq, round: Some(id) });
        }
    }

    /// The timeout of the responses fires.
    pub(super) fn stop_waiting(&mut self) {
        self.step_machine(Event::ATimeout, self.internal_event());
    }

    /// A request of a client arrives.
    pub(super) fn receive(&mut self, from: MemberId, request: LockRequest, ctx: EventContext<'_>) {
        let ctx = EventContext { from, request: Some(request), ..ctx };
        match request {
            LockRequest::Lock(_) => self.step_machine(Event::Lock, ctx),
            LockRequest::Unlock(_) => self.step_machine(Event::Unlock, ctx),
        }
    }

    /// The lock-handler handles the next queued request, if it runs. Returns whether it did.
    pub(super) fn handle_next(&mut self) -> bool {
        if !self.state.coordinator.is_handling || self.state.coordinator.queue.is_empty() {
            return false;
        }
        let (from, request) = self.state.coordinator.queue.remove(0);
        let ctx = EventContext { from, request: Some(request), ..self.internal_event() };
        match request {
            LockRequest::Lock(_) => self.step_machine(Event::LockIsRemoved, ctx),
            LockRequest::Unlock(_) => self.step_machine(Event::UnlockIsRemoved, ctx),
        }
        true
    }

    fn internal_event(&self) -> EventContext<'static> {
        EventContext { from: self.core.me, request: None, info: None, round: None }
    }

    /// Steps the machine.
    pub(super) fn step_machine(&mut self, event: Event, ctx: EventContext<'_>) {
        let before = self.state.coordinator.at;
        let rules = &self.core.coordinator;
        let asked = CoordinatorFacts { me: self.core.me, state: self.state, ctx };
        let Some(step) = step_machine(rules, before, event, &|guard| rules.guard(guard, &asked))
            .report(&mut self.out.rows)
        else {
            return;
        };
        self.state.coordinator.at = step.to;
        for run in step.blocks() {
            let Some(each) = run.each else {
                run.actions.iter().for_each(|entry| self.apply_action(entry, ctx));
                continue;
            };
            for (from, request) in self.state.coordinator.each(each) {
                let ctx = EventContext { from, request, ..ctx };
                run.actions.iter().for_each(|entry| self.apply_action(entry, ctx));
            }
        }
    }

    fn apply_action(&mut self, entry: ActionCall<'_>, ctx: EventContext<'_>) {
        for op in entry.ops {
            self.apply(*op);
        }
        match entry.action {
            Action::RememberTheCurrentCoord => {
                self.state.coord = self.state.view.as_ref().and_then(View::coordinator);
            }
            Action::RunReconciliationProtocol | Action::RunReconciliationProtocolAnew => {
                self.reconcile(entry.action.name());
            }
            Action::SendLockInfoReq => {
                let round = self.state.coordinator.round;
                self.send(ctx.from, MessageBody::LockInfoReq, round);
            }
            Action::ClearReqQueue => {
                self.state.coordinator.queue.clear();
                self.state.coordinator.deferred.clear();
            }
            Action::ClearServerLocks => self.state.coordinator.clear_locks(),
            Action::SendLockInfoRsp => {
                let (info, round) = (self.info(), self.state.round);
                self.send(ctx.from, MessageBody::LockInfoRsp(info), round);
            }
            Action::AddTheResponse => self.state.coordinator.add_response(ctx),
            Action::SendBackDuplicateLock => self.answer(ctx, MessageBody::DuplicateLock),
            Action::AddToReqQueue => self.state.coordinator.queue.extend(ctx.client_request()),
            Action::SetItAside => self.state.coordinator.deferred.extend(ctx.client_request()),
            Action::AddXToLockTable | Action::AddItToLockTable => self.add_to_table(ctx),
            Action::RemoveXFromLockTable => self.remove_from_table(ctx),
            Action::NumberTheGrant => self.state.coordinator.granted.increment(),
            Action::SendSuccessfulLockRsp => self.answer_lock(ctx, true),
            Action::SendFailedLockRsp => self.answer_lock(ctx, false),
            Action::SendUnlockRsp => self.answer(ctx, MessageBody::UnlockRsp),
            Action::NumberTheRound => {
                self.state.coordinator.round = self.state.view.as_ref().map(|view| view.id);
            }
            Action::JoinTheRound => {
                (self.state.round, self.state.coord) = (ctx.round, Some(ctx.from));
            }
            Action::NoteThatItWasTold => self.state.coordinator.note_told(ctx),
            Action::KeepItUntilItsViewComes => {
                self.state.early.extend(ctx.round.map(|round| (ctx.from, round)));
            }
            // These only create or delete their resource.
            Action::UnblockTheCaller
            | Action::StartLockHandler
            | Action::StopLockHandler
            | Action::WaitOn
            | Action::WaitForTheLosers
            | Action::ForgetTheLosers => {}
        }
    }

    /// Runs the ReconciliationProtocol, at most [`RECONCILIATIONS_MAX`] times in a step.
    fn reconcile(&mut self, action: &'static str) {
        if self.reconciliations == RECONCILIATIONS_MAX {
            return self.fail_endless(action);
        }
        self.reconciliations += 1;
        self.state.coordinator.start_round(self.state.view.as_ref());
        self.step_machine(Event::ReconciliationProtocol, self.internal_event());
    }

    fn apply(&mut self, op: Op) {
        let is_created = matches!(op, Op::Create(_) | Op::Restart(_));
        let coordinator = &mut self.state.coordinator;
        match op.resource() {
            Resource::ReconciliationTimeout if is_created => {
                self.out.effects.push(Effect::Arm(Timer::Reconciliation));
            }
            Resource::ReconciliationTimeout => {
                self.out.effects.push(Effect::Disarm(Timer::Reconciliation));
            }
            Resource::LockHandler => {
                coordinator.is_handling = is_created;
                coordinator.responses.clear();
                let deferred = core::mem::take(&mut coordinator.deferred);
                coordinator.queue.extend(deferred);
            }
            Resource::Losers if is_created => coordinator.note_losers(),
            Resource::Losers => coordinator.losers.clear(),
        }
    }

    fn add_to_table(&mut self, ctx: EventContext<'_>) {
        let entry = ctx.lock().map(|lock| (lock, ctx.from));
        self.state.coordinator.table.extend(entry);
    }

    fn remove_from_table(&mut self, ctx: EventContext<'_>) {
        if let Some(lock) = ctx.lock() {
            self.state.coordinator.table.remove(&lock);
        }
    }

    /// Answers a LOCK, by the number of the grant if it has one.
    fn answer_lock(&mut self, ctx: EventContext<'_>, is_successful: bool) {
        let granted = self.state.coordinator.granted;
        let is_numbered = is_successful && granted != GrantNumber::default();
        let number = is_numbered.then_some(granted);
        self.answer(ctx, |lock| MessageBody::LockRsp { lock, is_successful, number });
    }

    fn answer(&mut self, ctx: EventContext<'_>, body: impl FnOnce(LockName) -> MessageBody) {
        let round = self.state.coordinator.round;
        if let Some(lock) = ctx.lock() {
            self.send(ctx.from, body(lock), round);
        }
    }
}
