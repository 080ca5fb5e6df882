//! A member's callers: what they ask and what they are told.

use turnstile_core::group::message::LockName;
use turnstile_core::group::{Command as Told, Notice};
use turnstile_core::view::{self, MemberId};

use super::types::{Caller, Command, Seat};

impl Seat {
    /// A caller locks what it does not hold, and unlocks what it holds; or it does either
    /// needlessly: also before its member has a coordinator.
    pub(super) fn wishes(&self, locks: u16) -> Vec<Command> {
        let wishes = |lock| match self.callers.get(&lock) {
            None => vec![Command::Member(Told::Lock(lock)), Command::Needless(lock)],
            Some(Caller::Holds) => {
                vec![Command::Member(Told::Unlock(lock)), Command::Again(lock)]
            }
            Some(Caller::Waits | Caller::HoldsAndWaits) => Vec::new(),
        };
        (0..locks).map(LockName).flat_map(wishes).collect()
    }

    pub(super) fn asks_to_lock(&mut self, lock: LockName) {
        self.callers.insert(lock, Caller::Waits);
    }

    pub(super) fn asks_again(&mut self, lock: LockName) {
        self.callers.insert(lock, Caller::HoldsAndWaits);
    }

    pub(super) fn asks_to_unlock(&mut self, lock: LockName) {
        self.callers.remove(&lock);
    }

    pub(super) fn is_told(&mut self, notice: Notice) {
        let lock = notice.lock();
        let before = self.callers.get(&lock).copied();
        let after = match (notice, before) {
            (Notice::Duplicate(_), Some(Caller::Waits)) => before,
            (Notice::Duplicate(_), _) => {
                self.lost_a_lock |= before.is_some();
                (before == Some(Caller::HoldsAndWaits)).then_some(Caller::Waits)
            }
            (_, None | Some(Caller::Holds)) => {
                self.returned_twice = true;
                before
            }
            (Notice::Locked(_), _) | (_, Some(Caller::HoldsAndWaits)) => Some(Caller::Holds),
            (Notice::Rejected(_) | Notice::TimedOut(_), Some(Caller::Waits)) => None,
        };
        match after {
            Some(caller) => self.callers.insert(lock, caller),
            None => self.callers.remove(&lock),
        };
    }

    /// The callers of a member that has left end with its locks.
    pub(super) fn is_told_of_views(&mut self, me: MemberId, notice: &view::Notice) {
        if matches!(notice, view::Notice::Installed(view) if !view.contains(me)) {
            self.callers.clear();
        }
    }
}
