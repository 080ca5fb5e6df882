//! The machine of a lock at a client: its events and its actions.

use turnstile_group_lock_machines::group_lock_client::{
    Action, ActionCall, Event, Guard, LockRspIs, Machine, Op, Resource,
};
use turnstile_group_lock_machines::group_lock_coordinator as coordinator;
use turnstile_machine::Rules;
use turnstile_step::{Effect, RowOutcome, step_machine};

use super::context::StepContext;
use super::message::{LockInfo, LockName, LockRequest, MessageBody};
use super::state::{LockState, Notice, Timer};

const MACHINE: &str = <Machine as turnstile_machine::Machine>::TABLE.machine;

impl<C: Rules<Machine>, K: Rules<coordinator::Machine>> StepContext<'_, C, K> {
    pub(super) fn lock(&mut self, lock: LockName) {
        self.step_lock(lock, Event::Lock);
    }

    pub(super) fn unlock(&mut self, lock: LockName) {
        self.step_lock(lock, Event::Unlock);
    }

    pub(super) fn give_up(&mut self, lock: LockName) {
        self.step_lock(lock, Event::ATimeout);
    }

    pub(super) fn answered(&mut self, lock: LockName, is_successful: bool) {
        let is = if is_successful { LockRspIs::Successful } else { LockRspIs::Failed };
        self.step_lock(lock, Event::LockRsp { is });
    }

    /// Steps the machine of one lock; a lock in its initial state is removed.
    pub(super) fn step_lock(&mut self, lock: LockName, event: Event) {
        let initial = LockState { at: self.core.client.initial(), is_client_lock: false };
        let before = self.state.locks.get(&lock).copied().unwrap_or(initial);
        let is_known = self.state.coord.is_some();
        let guards = |guard: Guard| match guard {
            Guard::ACoordinatorIsKnown => is_known,
        };
        let Some(step) =
            step_machine(&self.core.client, before.at, event, &guards).report(&mut self.out.rows)
        else {
            return;
        };
        self.state.locks.insert(lock, LockState { at: step.to, ..before });
        for entry in step.actions {
            self.apply_lock_action(lock, event, entry);
        }
        if self.state.locks.get(&lock) == Some(&initial) {
            self.state.locks.remove(&lock);
        }
    }

    fn apply_lock_action(&mut self, lock: LockName, event: Event, entry: ActionCall<'_>) {
        for op in entry.ops {
            self.apply_lock(lock, *op);
        }
        match entry.action {
            Action::SendLock => self.ask(LockRequest::Lock(lock), entry.action.name()),
            Action::SendUnlock => self.ask(LockRequest::Unlock(lock), entry.action.name()),
            Action::SendDuplicateLockRsp => {
                let round = self.state.round;
                if let Some(coord) = self.state.coord {
                    self.send(coord, MessageBody::DuplicateLockRsp(lock), round);
                }
            }
            Action::SignalThePromise => {
                let is_failed = event == Event::LockRsp { is: LockRspIs::Failed };
                let held = Notice::Locked(lock, self.token);
                self.tell(if is_failed { Notice::Rejected(lock) } else { held });
            }
            Action::RefuseTheCaller => self.tell(Notice::Rejected(lock)),
            Action::SignalAnException => self.tell(Notice::TimedOut(lock)),
            Action::InvokeTheCallback => self.tell(Notice::Duplicate(lock)),
            // These only create or delete their resource.
            Action::AddTheLockRequest
            | Action::Block
            | Action::AddTheUnlockRequest
            | Action::AddAClientLock
            | Action::RemoveTheLockRequest
            | Action::RemoveTheUnlockRequest
            | Action::RemoveTheClientLock => {}
        }
    }

    fn tell(&mut self, notice: Notice) {
        self.out.effects.push(Effect::Notify(notice));
    }

    fn ask(&mut self, request: LockRequest, action: &'static str) {
        let round = self.state.round;
        match self.state.coord {
            Some(coord) => self.send(coord, MessageBody::Request(request), round),
            None => self.out.rows.push(RowOutcome::ActionFailed {
                machine: MACHINE,
                action,
                reason: "no coordinator is known",
            }),
        }
    }

    /// Carries out an operation on a resource. Pending requests follow from the machine's state;
    /// the client lock is stored.
    fn apply_lock(&mut self, lock: LockName, op: Op) {
        let is_created = matches!(op, Op::Create(_) | Op::Restart(_));
        match op.resource() {
            Resource::Timeout if is_created => {
                self.out.effects.push(Effect::Arm(Timer::Lock(lock)));
            }
            Resource::Timeout => self.out.effects.push(Effect::Disarm(Timer::Lock(lock))),
            Resource::ClientLock => {
                if let Some(lock) = self.state.locks.get_mut(&lock) {
                    lock.is_client_lock = is_created;
                }
            }
            Resource::LockRequest | Resource::UnlockRequest => {}
        }
    }

    /// The LOCK-INFO-RSP of this member: its locks and pending requests.
    pub(super) fn info(&self) -> LockInfo {
        let mut info = LockInfo::default();
        for (name, lock) in self.state.locks() {
            let holds = self.core.client.holds(lock.at);
            info.locks.extend(lock.is_client_lock.then_some(name));
            let unlocks = holds.contains(&Resource::UnlockRequest);
            info.requests.extend(unlocks.then_some(LockRequest::Unlock(name)));
            let locks = holds.contains(&Resource::LockRequest);
            info.requests.extend(locks.then_some(LockRequest::Lock(name)));
        }
        info
    }
}
