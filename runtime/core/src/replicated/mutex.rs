//! The machine of a mutex: its events, and what its actions do.

use alloc::vec::Vec;

use turnstile_machine::Rules;
use turnstile_machines::lock_mutex::{
    Action, ActionCall, Event, Guard, Machine, NotifiedStatus, Op, Resource, ResultStatus,
};
use turnstile_machines::{lock_member, lock_status};
use turnstile_step::{Effect, take};

use super::message::Says;
use super::turn::Turn;
use super::types::{Call, LockName, Operation, Status, Timer};
use super::{Lag, Mutex};
use crate::number::Token;

impl From<Status> for ResultStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::None => Self::None,
            Status::Waiting => Self::Waiting,
            Status::Holding => Self::Holding,
        }
    }
}

impl From<Status> for NotifiedStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::None => Self::None,
            Status::Waiting => Self::Waiting,
            Status::Holding => Self::Holding,
        }
    }
}

/// What comes with an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard {
    /// The command that it is about.
    pub(super) call: Option<Call>,
    /// The fencing token of who holds the lock.
    pub(super) token: Option<Token>,
    /// It comes from the log, and so may be older than what is known.
    pub(super) is_from_the_log: bool,
}

impl Heard {
    pub(super) const FROM_THE_LOG: Self = Self { call: None, token: None, is_from_the_log: true };
    pub(super) const FROM_THE_MEMBER: Self = Self { is_from_the_log: false, ..Self::FROM_THE_LOG };
}

impl<S: Rules<lock_status::Machine>, M: Rules<lock_member::Machine>, X: Rules<Machine>>
    Turn<'_, S, M, X>
{
    pub(super) fn lock(&mut self, lock: LockName) {
        self.take_mutex(lock, Event::Lock, Heard::FROM_THE_MEMBER);
    }

    pub(super) fn try_lock(&mut self, lock: LockName) {
        self.take_mutex(lock, Event::TryLock, Heard::FROM_THE_MEMBER);
    }

    pub(super) fn unlock(&mut self, lock: LockName) {
        self.take_mutex(lock, Event::Unlock, Heard::FROM_THE_MEMBER);
    }

    pub(super) fn time_out(&mut self, lock: LockName) {
        self.take_mutex(lock, Event::TimeoutEnds, Heard::FROM_THE_MEMBER);
    }

    pub(super) fn retry(&mut self, lock: LockName) {
        self.take_mutex(lock, Event::RetryTimerEnds, Heard::FROM_THE_MEMBER);
    }

    pub(super) fn result(
        &mut self,
        lock: LockName,
        call: Call,
        index: Token,
        status: Status,
        token: Option<Token>,
    ) {
        let applied = self.state.applied;
        let mutex = self.state.mutexes.get_mut(&lock);
        let lags = |mutex: &&mut Mutex| mutex.call == Some(call) && mutex.lag != Lag::None;
        if let Some(mutex) = mutex.filter(lags) {
            mutex.lag = if Some(index) <= applied { Lag::None } else { Lag::Until(index) };
        }
        let heard = Heard { call: Some(call), token, is_from_the_log: false };
        self.take_mutex(lock, Event::Result { status: status.into() }, heard);
    }

    pub(super) fn failed(&mut self, lock: LockName, call: Call) {
        let heard = Heard { call: Some(call), ..Heard::FROM_THE_MEMBER };
        self.take_mutex(lock, Event::CommandFails, heard);
    }

    /// Every command whose result has not come has failed.
    pub(super) fn fail_all(&mut self) {
        let calls = self.state.mutexes.iter();
        let calls = calls.filter_map(|(lock, mutex)| Some((*lock, mutex.call?)));
        let calls: Vec<(LockName, Call)> = calls.collect();
        for (lock, call) in calls {
            self.failed(lock, call);
        }
    }

    pub(super) fn take_mutex(&mut self, lock: LockName, event: Event, heard: Heard) {
        let core = self.core;
        let at = core.mutex.initial();
        let initial = Mutex { at, call: None, lag: Lag::None, token: None };
        let before = self.state.mutexes.get(&lock).copied().unwrap_or(initial);
        let hears = self.state.hears;
        let guards = |guard: Guard| match guard {
            Guard::ItsCommandIsApplied => !heard.is_from_the_log || before.lag == Lag::None,
            Guard::OfThisCommand => before.call == heard.call,
            Guard::TheLogIsHeard => hears,
        };
        let (taken, step) = take(&core.mutex, before.at, event, &guards);
        self.out.rows.push(taken);
        let Some(step) = step else { return };
        let answered = heard.call.is_some() && before.call == heard.call;
        let call = if answered { None } else { before.call };
        self.state.mutexes.insert(lock, Mutex { at: step.to, call, ..before });
        for entry in step.actions {
            self.carry_mutex(lock, entry, heard);
        }
        if self.state.mutexes.get(&lock) == Some(&initial) {
            self.state.mutexes.remove(&lock);
        }
    }

    fn carry_mutex(&mut self, lock: LockName, entry: ActionCall<'_>, heard: Heard) {
        for op in entry.ops {
            self.apply_to_timer(lock, *op);
        }
        match entry.action {
            Action::ExecuteLock => self.execute_of(lock, Operation::Lock(lock)),
            Action::ExecuteTryLock => self.execute_of(lock, Operation::TryLock(lock)),
            Action::ExecuteUnlock => self.execute_of(lock, Operation::Unlock(lock)),
            Action::Return => {
                if let Some(mutex) = self.state.mutexes.get_mut(&lock) {
                    mutex.token = heard.token;
                }
                self.tell(lock, Says::Returns);
            }
            Action::ReturnWithoutTheLock => self.tell(lock, Says::NotLocked),
            Action::ThrowRaftException => self.tell(lock, Says::Throws),
            Action::TellTheHandlerOfAnUnexpectedUnlocking => {
                if let Some(mutex) = self.state.mutexes.get_mut(&lock) {
                    mutex.token = None;
                }
                self.tell(lock, Says::UnexpectedUnlocking);
            }
            Action::TellTheHandlerOfAnUnexpectedLocking => {
                self.tell(lock, Says::UnexpectedLocking);
            }
            // All that these do is what they do to their timer.
            Action::StartTheTimeout
            | Action::StopTheTimeout
            | Action::StartTheRetryTimer
            | Action::StopTheRetryTimer => {}
        }
    }

    /// A command of the mutex, whose result it waits for.
    fn execute_of(&mut self, lock: LockName, operation: Operation) {
        let call = Call(self.state.calls.0.strict_add(1));
        self.state.calls = call;
        let is_asked = self.core.mutex.asks(Guard::ItsCommandIsApplied);
        let lag = if is_asked { Lag::Unknown } else { Lag::None };
        if let Some(mutex) = self.state.mutexes.get_mut(&lock) {
            (mutex.call, mutex.lag, mutex.token) = (Some(call), lag, None);
        }
        self.execute(operation, Some(call));
    }

    fn apply_to_timer(&mut self, lock: LockName, op: Op) {
        let timer = match op.resource() {
            Resource::Timeout => Timer::Timeout(lock),
            Resource::RetryTimer => Timer::Retry(lock),
        };
        self.out.effects.push(match op {
            Op::Create(_) | Op::Restart(_) => Effect::Arm(timer),
            Op::Delete(_) | Op::Abandon(_) => Effect::Disarm(timer),
        });
    }
}
