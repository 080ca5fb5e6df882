//! A member as coordinator: its machine's events, and what its actions do to the lock table, the
//! queue and the responses.

use turnstile_machine::Rules;
use turnstile_machines::group_lock_client as client;
use turnstile_machines::group_lock_coordinator::{
    Action, ActionCall, Event, Machine, Op, Resource, ViewIs,
};
use turnstile_step::{Effect, take};

use super::formula::Asked;
use super::message::{LockName, Message, Request, Says};
use super::state::Timer;
use super::turn::{Heard, Turn};
use crate::view::{MemberId, View};

/// The most runs of the ReconciliationProtocol that one step begins.
const RUNS_MAX: u8 = 8;

pub(super) const MACHINE: &str = <Machine as turnstile_machine::Machine>::TABLE.machine;

impl<C: Rules<client::Machine>, K: Rules<Machine>> Turn<'_, C, K> {
    /// A view is delivered, and with it what came too early.
    pub(super) fn view(&mut self, view: View) {
        let is = if view.is_merge() { ViewIs::MergeView } else { ViewIs::View };
        let (id, coord) = (view.id, view.coordinator());
        self.state.view = Some(view);
        self.take(Event::View { is }, self.nobody());
        let asks = coord.filter(|coord| self.state.early.get(coord) == Some(&id));
        self.state.early.retain(|_, early| *early > id);
        if let Some(coord) = asks {
            self.hear(coord, Message { says: Says::LockInfoReq, round: Some(id) });
        }
    }

    /// The responses have not all come in time.
    pub(super) fn stop_waiting(&mut self) {
        self.take(Event::ATimeout, self.nobody());
    }

    /// A client asks.
    pub(super) fn receive(&mut self, from: MemberId, request: Request, heard: Heard<'_>) {
        let heard = Heard { from, request: Some(request), ..heard };
        match request {
            Request::Lock(_) => self.take(Event::Lock, heard),
            Request::Unlock(_) => self.take(Event::Unlock, heard),
        }
    }

    /// The lock-handler takes the next request off the queue, if it runs and there is one.
    pub(super) fn handle_next(&mut self) -> bool {
        if !self.state.server.is_handling || self.state.server.queue.is_empty() {
            return false;
        }
        let (from, request) = self.state.server.queue.remove(0);
        let heard = Heard { from, request: Some(request), ..self.nobody() };
        match request {
            Request::Lock(_) => self.take(Event::LockIsRemoved, heard),
            Request::Unlock(_) => self.take(Event::UnlockIsRemoved, heard),
        }
        true
    }

    fn nobody(&self) -> Heard<'static> {
        Heard { from: self.core.me, request: None, info: None, round: None }
    }

    /// The machine takes one event.
    pub(super) fn take(&mut self, event: Event, heard: Heard<'_>) {
        let before = self.state.server.at;
        let rules = &self.core.coordinator;
        let asked = Asked { me: self.core.me, state: self.state, heard };
        let (taken, step) = take(rules, before, event, &|guard| rules.guard(guard, &asked));
        self.out.rows.push(taken);
        let Some(step) = step else { return };
        self.state.server.at = step.to;
        for run in step.blocks() {
            let Some(each) = run.each else {
                run.actions.iter().for_each(|entry| self.carry(entry, heard));
                continue;
            };
            for (from, request) in self.each(each) {
                let heard = Heard { from, request, ..heard };
                run.actions.iter().for_each(|entry| self.carry(entry, heard));
            }
        }
    }

    fn carry(&mut self, entry: ActionCall<'_>, heard: Heard<'_>) {
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
                let round = self.state.server.round;
                self.send(heard.from, Says::LockInfoReq, round);
            }
            Action::ClearReqQueue => {
                self.state.server.queue.clear();
                self.state.server.aside.clear();
            }
            Action::ClearServerLocks => self.clear_locks(),
            Action::SendLockInfoRsp => {
                let (info, round) = (self.info(), self.state.round);
                self.send(heard.from, Says::LockInfoRsp(info), round);
            }
            Action::AddTheResponse => self.add_response(heard),
            Action::SendBackDuplicateLock => self.send_back_duplicate(heard),
            Action::AddToReqQueue => self.state.server.queue.extend(heard.asked()),
            Action::SetItAside => self.state.server.aside.extend(heard.asked()),
            Action::AddXToLockTable | Action::AddItToLockTable => self.add_to_table(heard),
            Action::RemoveXFromLockTable => self.remove_from_table(heard),
            Action::SendSuccessfulLockRsp => {
                self.answer(heard, |lock| Says::LockRsp { lock, is_successful: true });
            }
            Action::SendFailedLockRsp => {
                self.answer(heard, |lock| Says::LockRsp { lock, is_successful: false });
            }
            Action::SendUnlockRsp => self.answer(heard, Says::UnlockRsp),
            Action::NumberTheRound => {
                self.state.server.round = self.state.view.as_ref().map(|view| view.id);
            }
            Action::JoinTheRound => {
                (self.state.round, self.state.coord) = (heard.round, Some(heard.from));
            }
            Action::NoteThatItWasTold => self.note_told(heard),
            Action::KeepItUntilItsViewComes => {
                self.state.early.extend(heard.round.map(|round| (heard.from, round)));
            }
            // All that these do is what they do to their resource.
            Action::UnblockTheCaller
            | Action::StartLockHandler
            | Action::StopLockHandler
            | Action::WaitOn
            | Action::WaitForTheLosers
            | Action::ForgetTheLosers => {}
        }
    }

    /// Runs the ReconciliationProtocol, unless the step would never end.
    fn reconcile(&mut self, action: &'static str) {
        if self.begun == RUNS_MAX {
            return self.endless(action);
        }
        self.begun += 1;
        self.begin();
        self.take(Event::ReconciliationProtocol, self.nobody());
    }

    fn apply(&mut self, op: Op) {
        let is_created = matches!(op, Op::Create(_) | Op::Restart(_));
        let server = &mut self.state.server;
        match op.resource() {
            Resource::ReconciliationTimeout if is_created => {
                self.out.effects.push(Effect::Arm(Timer::Reconciliation));
            }
            Resource::ReconciliationTimeout => {
                self.out.effects.push(Effect::Disarm(Timer::Reconciliation));
            }
            Resource::LockHandler => {
                server.is_handling = is_created;
                server.responses.clear();
                let aside = core::mem::take(&mut server.aside);
                server.queue.extend(aside);
            }
            Resource::Losers if is_created => self.note_losers(),
            Resource::Losers => server.losers.clear(),
        }
    }

    fn add_to_table(&mut self, heard: Heard<'_>) {
        let entry = heard.lock().map(|lock| (lock, heard.from));
        self.state.server.table.extend(entry);
    }

    fn remove_from_table(&mut self, heard: Heard<'_>) {
        if let Some(lock) = heard.lock() {
            self.state.server.table.remove(&lock);
        }
    }

    fn answer(&mut self, heard: Heard<'_>, says: impl FnOnce(LockName) -> Says) {
        let round = self.state.server.round;
        if let Some(lock) = heard.lock() {
            self.send(heard.from, says(lock), round);
        }
    }
}
