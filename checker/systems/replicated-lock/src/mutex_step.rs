//! Checks that threads and listeners are notified: compares each step of a mutex with its
//! notifications, so that no history is needed.

use turnstile_core::replicated::State;
use turnstile_core::replicated::message::{Command, MutexEvent, Notice};
use turnstile_core::replicated::types::{LockName, LockStatus};
use turnstile_machines::lock_mutex::State as At;

use super::delivered::PendingCommands;

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

/// A step of a member: the states before and after, the command of its threads, the undelivered
/// commands before and after, and the notifications.
pub(super) struct MutexStep<'a> {
    pub(super) before: &'a State,
    pub(super) asked: Option<&'a Command>,
    pub(super) after: &'a State,
    pub(super) behind: [&'a PendingCommands; 2],
    pub(super) notices: &'a [Notice],
}

impl MutexStep<'_> {
    /// Whether the thread of a lock knows its state after the step, if it did before.
    pub(super) fn is_told(&self, lock: LockName) -> bool {
        let at = |state: &State| state.mutex(lock).map_or(At::Unlocked, |mutex| mutex.at);
        let (before, after) = (at(self.before), at(self.after));
        let says: Vec<MutexEvent> = self
            .notices
            .iter()
            .filter_map(|notice| match notice {
                Notice::Mutex { lock: of, event } if *of == lock => Some(*event),
                Notice::Mutex { .. } | Notice::Changed { .. } => None,
            })
            .collect();
        let answers = || says.iter().filter(|says| is_answer(**says));
        let calls = self.asked.is_some_and(|command| {
            matches!(command, Command::Lock(of) | Command::TryLock(of) | Command::Unlock(of)
                if *of == lock)
        });
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
            (Thread::Calls, Thread::Calls) | (Thread::Has, Thread::Has) => says.is_empty(),
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
            (Thread::Has, Thread::Idle) => says == [MutexEvent::UnexpectedUnlocking],
            (Thread::Idle, Thread::Has) => false,
        };
        is_known && is_found
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
        self.notices.iter().any(|notice| match notice {
            Notice::Changed { lock: of, status, .. } => *of == lock && *status != LockStatus::None,
            Notice::Mutex { .. } => false,
        })
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
