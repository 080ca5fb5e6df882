//! Whether threads and listeners are told what becomes of locks: a step of a mutex is held against
//! what it tells, so that nobody need remember what was told before.

use turnstile_core::replicated::State;
use turnstile_core::replicated::message::{Command, Notice, Says};
use turnstile_core::replicated::types::{LockName, Status};
use turnstile_machines::lock_mutex::State as At;

use super::delivered::Behind;

/// What a thread knows of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thread {
    /// It has no lock and asks for none.
    Idle,
    /// It has called, and waits for the answer.
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

/// A step of a member: what it was before, what its threads asked, what it is, which commands had
/// not come before and have not come after it, and what it tells.
pub(super) struct Step<'a> {
    pub(super) before: &'a State,
    pub(super) asked: Option<&'a Command>,
    pub(super) after: &'a State,
    pub(super) behind: [&'a Behind; 2],
    pub(super) notices: &'a [Notice],
}

impl Step<'_> {
    /// Whether the thread of a lock knows now what it has, if it did before.
    pub(super) fn is_told(&self, lock: LockName) -> bool {
        let at = |state: &State| state.mutex(lock).map_or(At::Unlocked, |mutex| mutex.at);
        let (before, after) = (at(self.before), at(self.after));
        let says: Vec<Says> = self
            .notices
            .iter()
            .filter_map(|notice| match notice {
                Notice::Mutex { lock: of, says } if *of == lock => Some(*says),
                Notice::Mutex { .. } | Notice::Changed { .. } => None,
            })
            .collect();
        let answers = || says.iter().filter(|says| is_answer(**says));
        let calls = self.asked.is_some_and(|command| {
            matches!(command, Command::Lock(of) | Command::TryLock(of) | Command::Unlock(of)
                if *of == lock)
        });
        // A handler is told of a lock that comes, of one that goes its thread had or waited for.
        let is_told = says.contains(&Says::UnexpectedLocking);
        let is_found = is_told && self.hears(lock) || !is_told && !self.is_found(lock);
        let is_known = match (Thread::from(before), Thread::from(after)) {
            // Whoever calls is answered at once here.
            (Thread::Idle, Thread::Idle) => {
                answers().count() == usize::from(calls)
                    && !says.contains(&Says::UnexpectedUnlocking)
            }
            (Thread::Idle | Thread::Has, Thread::Calls) => calls && says.is_empty(),
            (Thread::Calls, Thread::Calls) | (Thread::Has, Thread::Has) => says.is_empty(),
            (Thread::Calls, Thread::Idle) => match before {
                At::Waiting => says == [Says::UnexpectedUnlocking, Says::Throws],
                At::Unlocking => {
                    says == [Says::Throws] || says == [Says::Returns] && !self.owes(lock)
                }
                At::Unlocked | At::Locking | At::Locked | At::Releasing => {
                    says == [Says::NotLocked] || says == [Says::Throws]
                }
            },
            (Thread::Calls, Thread::Has) => {
                let is_done = if before == At::Unlocking { Says::Throws } else { Says::Returns };
                says == [is_done]
            }
            (Thread::Has, Thread::Idle) => says == [Says::UnexpectedUnlocking],
            (Thread::Idle, Thread::Has) => false,
        };
        is_known && is_found
    }

    /// Whether the result of the mutex's last command has still to come.
    fn owes(&self, lock: LockName) -> bool {
        self.after.mutex(lock).is_some_and(|mutex| mutex.call.is_some())
    }

    /// Whether the listener heard of a lock that no thread wants, nor is given up just now.
    fn is_found(&self, lock: LockName) -> bool {
        let is_unlocked =
            |state: &State| state.mutex(lock).is_none_or(|mutex| mutex.at == At::Unlocked);
        let is_over = self.behind.iter().all(|behind| !behind.contains_key(&lock));
        is_over && is_unlocked(self.before) && is_unlocked(self.after) && self.hears(lock)
    }

    /// Whether the listener heard that the member holds a lock or waits for it.
    fn hears(&self, lock: LockName) -> bool {
        self.notices.iter().any(|notice| match notice {
            Notice::Changed { lock: of, status, .. } => *of == lock && *status != Status::None,
            Notice::Mutex { .. } => false,
        })
    }
}

const fn is_answer(says: Says) -> bool {
    match says {
        Says::Returns | Says::NotLocked | Says::Throws => true,
        Says::UnexpectedUnlocking | Says::UnexpectedLocking => false,
    }
}

/// Whether a listener may be told of one status after another.
pub(super) const fn follows(before: Status, after: Status) -> bool {
    match (before, after) {
        (Status::None, Status::Waiting | Status::Holding)
        | (Status::Waiting, Status::None | Status::Holding)
        | (Status::Holding, Status::None | Status::Waiting) => true,
        (Status::None, Status::None)
        | (Status::Waiting, Status::Waiting)
        | (Status::Holding, Status::Holding) => false,
    }
}
