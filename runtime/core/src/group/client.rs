//! A lock at the member that uses it: its machine's events, and what its actions do.

use turnstile_machine::Rules;
use turnstile_machines::group_lock_client::{
    Action, ActionCall, Event, Guard, LockRspIs, Machine, Op, Resource,
};
use turnstile_machines::group_lock_coordinator as coordinator;
use turnstile_step::{Effect, RowOutcome, take};

use super::message::{Info, LockName, Request, Says};
use super::state::{Lock, Notice, Timer};
use super::turn::Turn;

const MACHINE: &str = <Machine as turnstile_machine::Machine>::TABLE.machine;

impl<C: Rules<Machine>, K: Rules<coordinator::Machine>> Turn<'_, C, K> {
    pub(super) fn lock(&mut self, lock: LockName) {
        self.take_lock(lock, Event::Lock);
    }

    pub(super) fn unlock(&mut self, lock: LockName) {
        self.take_lock(lock, Event::Unlock);
    }

    pub(super) fn give_up(&mut self, lock: LockName) {
        self.take_lock(lock, Event::ATimeout);
    }

    pub(super) fn answered(&mut self, lock: LockName, is_successful: bool) {
        let is = if is_successful { LockRspIs::Successful } else { LockRspIs::Failed };
        self.take_lock(lock, Event::LockRsp { is });
    }

    /// The machine of one lock takes one event; a lock that no longer exists is forgotten.
    pub(super) fn take_lock(&mut self, lock: LockName, event: Event) {
        let initial = Lock { at: self.core.client.initial(), is_client_lock: false };
        let before = self.state.locks.get(&lock).copied().unwrap_or(initial);
        let is_known = self.state.coord.is_some();
        let guards = |guard: Guard| match guard {
            Guard::ACoordinatorIsKnown => is_known,
        };
        let (taken, step) = take(&self.core.client, before.at, event, &guards);
        self.out.rows.push(taken);
        let Some(step) = step else { return };
        self.state.locks.insert(lock, Lock { at: step.to, ..before });
        for entry in step.actions {
            self.carry_lock(lock, event, entry);
        }
        if self.state.locks.get(&lock) == Some(&initial) {
            self.state.locks.remove(&lock);
        }
    }

    fn carry_lock(&mut self, lock: LockName, event: Event, entry: ActionCall<'_>) {
        for op in entry.ops {
            self.apply_lock(lock, *op);
        }
        match entry.action {
            Action::SendLock => self.ask(Request::Lock(lock), entry.action.name()),
            Action::SendUnlock => self.ask(Request::Unlock(lock), entry.action.name()),
            Action::SendDuplicateLockRsp => {
                let round = self.state.round;
                if let Some(coord) = self.state.coord {
                    self.send(coord, Says::DuplicateLockRsp(lock), round);
                }
            }
            Action::SignalThePromise => {
                let is_failed = event == Event::LockRsp { is: LockRspIs::Failed };
                self.tell(if is_failed { Notice::Rejected(lock) } else { Notice::Locked(lock) });
            }
            Action::RefuseTheCaller => self.tell(Notice::Rejected(lock)),
            Action::SignalAnException => self.tell(Notice::TimedOut(lock)),
            Action::InvokeTheCallback => self.tell(Notice::Duplicate(lock)),
            // All that these do is what they do to their resource.
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

    fn ask(&mut self, request: Request, action: &'static str) {
        let round = self.state.round;
        match self.state.coord {
            Some(coord) => self.send(coord, Says::Asks(request), round),
            None => self.out.rows.push(RowOutcome::ActionFailed {
                machine: MACHINE,
                action,
                because: "no coordinator is known",
            }),
        }
    }

    /// What an action does to a resource. Pending requests are what the machine's state holds;
    /// the client lock, which a state may hold, is remembered.
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

    /// What this member holds and waits for, as it tells a coordinator.
    pub(super) fn info(&self) -> Info {
        let mut info = Info::default();
        for (name, lock) in self.state.locks() {
            let holds = self.core.client.holds(lock.at);
            info.locks.extend(lock.is_client_lock.then_some(name));
            let unlocks = holds.contains(&Resource::UnlockRequest);
            info.requests.extend(unlocks.then_some(Request::Unlock(name)));
            let locks = holds.contains(&Resource::LockRequest);
            info.requests.extend(locks.then_some(Request::Lock(name)));
        }
        info
    }
}
