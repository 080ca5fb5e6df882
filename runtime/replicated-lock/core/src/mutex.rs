//! The machine of a mutex: its events and its actions.

use alloc::vec::Vec;

use turnstile_machine::Rules;
use turnstile_replicated_lock_machines::lock_mutex::{
    Action, ActionCall, Event, Guard, Machine, NotifiedStatus, Op, Resource, ResultStatus,
};
use turnstile_replicated_lock_machines::{lock_member, lock_status};
use turnstile_step::{Effect, step_machine};

use super::context::{EventContext, StepContext};
use super::message::MutexEvent;
use super::types::{CommandId, LockName, LockStatus, LogOperation, Timer};
use super::{Lag, Mutex};
use turnstile_ids::number::Token;

impl From<LockStatus> for ResultStatus {
    fn from(status: LockStatus) -> Self {
        match status {
            LockStatus::None => Self::None,
            LockStatus::Waiting => Self::Waiting,
            LockStatus::Holding => Self::Holding,
        }
    }
}

impl From<LockStatus> for NotifiedStatus {
    fn from(status: LockStatus) -> Self {
        match status {
            LockStatus::None => Self::None,
            LockStatus::Waiting => Self::Waiting,
            LockStatus::Holding => Self::Holding,
        }
    }
}

impl<S: Rules<lock_status::Machine>, M: Rules<lock_member::Machine>, X: Rules<Machine>>
    StepContext<'_, S, M, X>
{
    pub(super) fn lock(&mut self, lock: LockName) {
        self.step_mutex(lock, Event::Lock, EventContext::FROM_THE_MEMBER);
    }

    pub(super) fn try_lock(&mut self, lock: LockName) {
        self.step_mutex(lock, Event::TryLock, EventContext::FROM_THE_MEMBER);
    }

    pub(super) fn unlock(&mut self, lock: LockName) {
        self.step_mutex(lock, Event::Unlock, EventContext::FROM_THE_MEMBER);
    }

    pub(super) fn time_out(&mut self, lock: LockName) {
        self.step_mutex(lock, Event::TimeoutEnds, EventContext::FROM_THE_MEMBER);
    }

    pub(super) fn retry(&mut self, lock: LockName) {
        self.step_mutex(lock, Event::RetryTimerEnds, EventContext::FROM_THE_MEMBER);
    }

    pub(super) fn result(
        &mut self,
        lock: LockName,
        call: CommandId,
        index: Token,
        status: LockStatus,
        token: Option<Token>,
    ) {
        let applied = self.state.applied;
        let mutex = self.state.mutexes.get_mut(&lock);
        let lags = |mutex: &&mut Mutex| mutex.call == Some(call) && mutex.lag != Lag::None;
        if let Some(mutex) = mutex.filter(lags) {
            mutex.lag = if Some(index) <= applied { Lag::None } else { Lag::Until(index) };
        }
        let ctx = EventContext { call: Some(call), token, is_from_the_log: false };
        self.step_mutex(lock, Event::Result { status: status.into() }, ctx);
    }

    pub(super) fn failed(&mut self, lock: LockName, call: CommandId) {
        let ctx = EventContext { call: Some(call), ..EventContext::FROM_THE_MEMBER };
        self.step_mutex(lock, Event::CommandFails, ctx);
    }

    /// Fails every command without a result.
    pub(super) fn fail_all(&mut self) {
        let calls = self.state.mutexes.iter();
        let calls = calls.filter_map(|(lock, mutex)| Some((*lock, mutex.call?)));
        let calls: Vec<(LockName, CommandId)> = calls.collect();
        for (lock, call) in calls {
            self.failed(lock, call);
        }
    }

    pub(super) fn step_mutex(&mut self, lock: LockName, event: Event, ctx: EventContext) {
        let core = self.core;
        let unused = Mutex::unused(core.mutex.initial());
        let before = self.state.mutexes.get(&lock).copied().unwrap_or(unused);
        let hears = self.state.hears;
        let guards = |guard: Guard| match guard {
            Guard::ItsCommandIsApplied => !ctx.is_from_the_log || before.lag == Lag::None,
            Guard::OfThisCommand => before.call == ctx.call,
            Guard::TheLogIsHeard => hears,
        };
        let Some(step) =
            step_machine(&core.mutex, before.at, event, &guards).report(&mut self.out.rows)
        else {
            return;
        };
        let answered = ctx.call.is_some() && before.call == ctx.call;
        let call = if answered { None } else { before.call };
        self.state.mutexes.insert(lock, Mutex { at: step.to, call, ..before });
        for entry in step.actions {
            self.apply_mutex_action(lock, entry, ctx);
        }
        if self.state.mutexes.get(&lock) == Some(&unused) {
            self.state.mutexes.remove(&lock);
        }
    }

    fn apply_mutex_action(&mut self, lock: LockName, entry: ActionCall<'_>, ctx: EventContext) {
        for op in entry.ops {
            self.apply_to_timer(lock, *op);
        }
        match entry.action {
            Action::ExecuteLock => self.execute_of(lock, LogOperation::Lock(lock)),
            Action::ExecuteTryLock => self.execute_of(lock, LogOperation::TryLock(lock)),
            Action::ExecuteUnlock => self.execute_of(lock, LogOperation::Unlock(lock)),
            Action::Return => {
                if let Some(mutex) = self.state.mutexes.get_mut(&lock) {
                    mutex.token = ctx.token;
                }
                self.notify_mutex(lock, MutexEvent::Returns);
            }
            Action::ReturnWithoutTheLock => self.notify_mutex(lock, MutexEvent::NotLocked),
            Action::ThrowRaftException => self.notify_mutex(lock, MutexEvent::Throws),
            Action::TellTheHandlerOfAnUnexpectedUnlocking => {
                if let Some(mutex) = self.state.mutexes.get_mut(&lock) {
                    mutex.token = None;
                }
                self.notify_mutex(lock, MutexEvent::UnexpectedUnlocking);
            }
            Action::TellTheHandlerOfAnUnexpectedLocking => {
                self.notify_mutex(lock, MutexEvent::UnexpectedLocking);
            }
            // These only arm or disarm their timer.
            Action::StartTheTimeout
            | Action::StopTheTimeout
            | Action::StartTheRetryTimer
            | Action::StopTheRetryTimer => {}
        }
    }

    /// Executes a command of the mutex and waits for its result.
    fn execute_of(&mut self, lock: LockName, operation: LogOperation) {
        let call = self.next_call();
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
