//! Checks that threads and listeners are notified: compares each step of a mutex with its
//! notifications, so that no history is needed.

use turnstile_replicated_lock_core::State;
use turnstile_replicated_lock_core::message::{Command, Connectivity, Message, MutexEvent, Notice};
use turnstile_replicated_lock_core::types::{
    Address, CommandId, LockName, LockStatus, LogEntry, LogOperation, Timer,
};
use turnstile_replicated_lock_machines::lock_mutex::State as At;
use turnstile_step::Input;

use super::delivered::PendingCommands;
use super::envelope::lock_of;
use super::member_state::MemberInput;

/// The state of a thread, as it knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thread {
    /// It has no lock and asks for none.
    Idle,
    /// It has called, and waits for the return.
    Calls,
    /// It has the lock.
    Has,
}

impl From<At> for Thread {
    fn from(at: At) -> Self {
        match at {
            At::Unlocked | At::Releasing => Self::Idle,
            At::Locking | At::Waiting | At::Unlocking => Self::Calls,
            At::Locked => Self::Has,
        }
    }
}

/// A step of a member: its address, the states before and after, the input, the undelivered
/// commands before and after, the commands that it executed, and the notifications.
pub(super) struct MutexStep<'a> {
    pub(super) me: Address,
    pub(super) before: &'a State,
    pub(super) input: &'a MemberInput,
    pub(super) after: &'a State,
    pub(super) behind: [&'a PendingCommands; 2],
    pub(super) executed: &'a [LogEntry],
    pub(super) notices: &'a [Notice],
}

/// The state of a mutex; that of one that was not used is `unlocked`.
fn at(state: &State, lock: LockName) -> At {
    state.mutex(lock).map_or(At::Unlocked, |mutex| mutex.at)
}

impl MutexStep<'_> {
    /// Whether the thread of a lock knows its state after the step, if it did before.
    pub(super) fn is_told(&self, lock: LockName) -> bool {
        let (before, after) = (at(self.before, lock), at(self.after, lock));
        let says = self.says(lock);
        let answers = || says.iter().filter(|says| is_answer(**says));
        let calls = matches!(
            self.input,
            Input::Command(Command::Lock(of) | Command::TryLock(of) | Command::Unlock(of))
                if *of == lock
        );
        // The handler is notified of a lock that no thread wants, and of the loss of one that a
        // thread had or waited for.
        let is_told = says.contains(&MutexEvent::UnexpectedLocking);
        let is_found = is_told && self.hears(lock) || !is_told && !self.is_found(lock);
        let is_known = match (Thread::from(before), Thread::from(after)) {
            // Here every call returns at once.
            (Thread::Idle, Thread::Idle) => {
                answers().count() == usize::from(calls)
                    && !says.contains(&MutexEvent::UnexpectedUnlocking)
            }
            (Thread::Idle | Thread::Has, Thread::Calls) => calls && says.is_empty(),
            (Thread::Calls, Thread::Calls) => says.is_empty(),
            (Thread::Has, Thread::Has) => says.is_empty() && !self.is_lost_silently(lock),
            (Thread::Calls, Thread::Idle) => match before {
                At::Waiting => says == [MutexEvent::UnexpectedUnlocking, MutexEvent::Throws],
                At::Unlocking => {
                    says == [MutexEvent::Throws]
                        || says == [MutexEvent::Returns] && !self.owes(lock)
                }
                At::Unlocked | At::Locking | At::Locked | At::Releasing => {
                    says == [MutexEvent::NotLocked] || says == [MutexEvent::Throws]
                }
            },
            (Thread::Calls, Thread::Has) => {
                let is_done =
                    if before == At::Unlocking { MutexEvent::Throws } else { MutexEvent::Returns };
                says == [is_done]
            }
            // A snapshot may contain both the loss of a lock and another lock that no thread wants.
            (Thread::Has, Thread::Idle) => {
                says.first() == Some(&MutexEvent::UnexpectedUnlocking)
                    && says[1..].iter().all(|says| *says == MutexEvent::UnexpectedLocking)
            }
            (Thread::Idle, Thread::Has) => false,
        };
        is_known && is_found
    }

    /// The notifications to the thread and the handler of a lock.
    fn says(&self, lock: LockName) -> Vec<MutexEvent> {
        let notices = self.notices.iter().filter_map(|notice| match notice {
            Notice::Mutex { lock: of, event } if *of == lock => Some(*event),
            Notice::Mutex { .. } | Notice::Changed { .. } => None,
        });
        notices.collect()
    }

    /// The statuses of a lock that the listener was notified of.
    fn statuses(&self, lock: LockName) -> impl DoubleEndedIterator<Item = LockStatus> {
        self.notices.iter().filter_map(move |notice| match notice {
            Notice::Changed { lock: of, status, .. } if *of == lock => Some(*status),
            Notice::Changed { .. } | Notice::Mutex { .. } => None,
        })
    }

    /// Whether the member has applied the last command of the mutex, as far as this was delivered.
    fn is_applied(&self, lock: LockName) -> bool {
        !self.behind[1].contains_key(&lock)
    }

    /// Whether the listener was notified that the lock is not held, and the thread that has it was
    /// not.
    fn is_lost_silently(&self, lock: LockName) -> bool {
        let last = self.statuses(lock).next_back();
        self.is_applied(lock) && last.is_some_and(|status| status != LockStatus::Holding)
    }

    /// Whether the result of the mutex's last command is outstanding.
    fn owes(&self, lock: LockName) -> bool {
        self.after.mutex(lock).is_some_and(|mutex| mutex.call.is_some())
    }

    /// Whether the listener was notified of a lock that no thread wants and that is not being
    /// released.
    fn is_found(&self, lock: LockName) -> bool {
        let is_unlocked =
            |state: &State| state.mutex(lock).is_none_or(|mutex| mutex.at == At::Unlocked);
        let is_over = self.behind.iter().all(|behind| !behind.contains_key(&lock));
        is_over && is_unlocked(self.before) && is_unlocked(self.after) && self.hears(lock)
    }

    /// Whether the listener was notified that the member holds a lock or waits for it.
    fn hears(&self, lock: LockName) -> bool {
        self.statuses(lock).any(|status| status != LockStatus::None)
    }

    /// Whether the mutex has a reason for its step: the result or the failure of its command, or a
    /// notification that is not older than its command.
    pub(super) fn has_reason(&self, lock: LockName) -> bool {
        let is_told = |is: LockStatus| {
            self.is_applied(lock) && self.statuses(lock).any(|status| status == is)
        };
        let is_lost = self.resigns()
            || self.is_applied(lock)
                && (self.is_taken(lock)
                    || self.statuses(lock).any(|status| status != LockStatus::Holding));
        let result = self.result(lock);
        let is_given = |is| result == Some(is) || is_told(is);
        match (at(self.before, lock), at(self.after, lock)) {
            (At::Unlocked, At::Unlocked) => {
                let says = self.says(lock);
                let is_refused = says.contains(&MutexEvent::Throws);
                let is_found = says.contains(&MutexEvent::UnexpectedLocking);
                !(is_refused && self.before.hears) && (!is_found || self.is_applied(lock))
            }
            (At::Locking | At::Waiting, At::Locked) => is_given(LockStatus::Holding),
            (At::Locking, At::Waiting) => is_given(LockStatus::Waiting),
            (At::Locking, At::Unlocked) => result == Some(LockStatus::None) || self.fails(lock),
            (At::Unlocking, At::Unlocked) => result.is_some() || self.resigns(),
            (At::Locking | At::Unlocking, At::Releasing) | (At::Unlocking, At::Locked) => {
                self.fails(lock)
            }
            (At::Waiting | At::Locked, At::Unlocked) => is_lost,
            (At::Releasing, At::Unlocked) => {
                result.is_some() || is_told(LockStatus::None) || self.resigns()
            }
            _ => true,
        }
    }

    /// Whether the replica no longer has the lock that the thread has, under its token, or has the
    /// member as neither holder nor waiter.
    fn is_taken(&self, lock: LockName) -> bool {
        let token = self.before.mutex(lock).and_then(|mutex| mutex.token);
        let held = self.after.replica.lock(lock).and_then(|lock| lock.token);
        token.is_some() && token != held
            || self.after.replica.status(lock, self.me) == LockStatus::None
    }

    /// The member's status after the mutex's command, if that command's result arrives.
    fn result(&self, lock: LockName) -> Option<LockStatus> {
        let Message::Result { lock: of, call, status, .. } = self.message()? else { return None };
        (*of == lock && self.is_last(lock, *call)).then_some(*status)
    }

    /// Whether the mutex's command fails or times out.
    fn fails(&self, lock: LockName) -> bool {
        let is_failure = |message: &Message| {
            matches!(message, Message::Snapshot { .. })
                || matches!(message, Message::Failed { lock: of, call }
                    if *of == lock && self.is_last(lock, *call))
        };
        self.resigns()
            || self.message().is_some_and(is_failure)
            || *self.input == Input::Fired(Timer::Timeout(lock))
    }

    /// The message that arrives.
    fn message(&self) -> Option<&Message> {
        if let Input::Message { message, .. } = self.input { Some(message) } else { None }
    }

    /// Whether this is the mutex's last command.
    fn is_last(&self, lock: LockName, call: CommandId) -> bool {
        self.before.mutex(lock).is_some_and(|mutex| mutex.call == Some(call))
    }

    /// Whether the member resigns.
    fn resigns(&self) -> bool {
        let is_minority =
            |message: &_| matches!(message, Message::View { is: Connectivity::Minority, .. });
        self.message().is_some_and(is_minority)
    }

    /// Whether the mutex executes the commands that its thread's call, a failure, a time-out or the
    /// retry timer asks for, and no other.
    pub(super) fn executes(&self, lock: LockName) -> bool {
        let is_of = |operation: &&LogOperation| lock_of(operation) == Some(lock);
        let of_mutex = self.executed.iter().filter(|entry| entry.call.is_some());
        let executed: Vec<&LogOperation> =
            of_mutex.map(|entry| &entry.operation).filter(is_of).collect();
        let (before, after) = (at(self.before, lock), at(self.after, lock));
        let was_executing = matches!(before, At::Locking | At::Unlocking);
        let is_given_up = was_executing && (after == At::Releasing || self.resigns());
        let by_input = [
            (Input::Command(Command::Lock(lock)), At::Locking, LogOperation::Lock(lock)),
            (Input::Command(Command::TryLock(lock)), At::Locking, LogOperation::TryLock(lock)),
            (Input::Command(Command::Unlock(lock)), At::Unlocking, LogOperation::Unlock(lock)),
            (Input::Fired(Timer::Retry(lock)), At::Releasing, LogOperation::Unlock(lock)),
        ];
        let asked = by_input.into_iter().find(|(input, to, _)| self.input == input && after == *to);
        let asked = asked.map(|(_, _, operation)| operation);
        let expected = asked.or_else(|| is_given_up.then_some(LogOperation::Unlock(lock)));
        executed == expected.iter().collect::<Vec<_>>()
    }
}

const fn is_answer(says: MutexEvent) -> bool {
    match says {
        MutexEvent::Returns | MutexEvent::NotLocked | MutexEvent::Throws => true,
        MutexEvent::UnexpectedUnlocking | MutexEvent::UnexpectedLocking => false,
    }
}

/// Whether one status can follow another in the notifications of a listener.
pub(super) const fn follows(before: LockStatus, after: LockStatus) -> bool {
    match (before, after) {
        (LockStatus::None, LockStatus::Waiting | LockStatus::Holding)
        | (LockStatus::Waiting, LockStatus::None | LockStatus::Holding)
        | (LockStatus::Holding, LockStatus::None | LockStatus::Waiting) => true,
        (LockStatus::None, LockStatus::None)
        | (LockStatus::Waiting, LockStatus::Waiting)
        | (LockStatus::Holding, LockStatus::Holding) => false,
    }
}
