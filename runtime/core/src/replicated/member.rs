//! The machine of a member: when it resigns, and what it has the log reset.

use alloc::vec::Vec;

use turnstile_machine::Rules;
use turnstile_machines::lock_member::{Action, ElectedBecause, Event, Guard, Machine, ViewOf};
use turnstile_machines::{lock_mutex, lock_status};
use turnstile_step::take;

use super::Change;
use super::message::{Because, Connected};
use super::mutex::Heard;
use super::turn::Turn;
use super::types::{LockName, Operation, Status};

impl From<Connected> for ViewOf {
    fn from(is: Connected) -> Self {
        match is {
            Connected::Minority => Self::AMinority,
            Connected::Left => Self::MembersLeft,
            Connected::Joined => Self::MembersJoined,
        }
    }
}

impl From<Because> for ElectedBecause {
    fn from(because: Because) -> Self {
        match because {
            Because::MajorityIsJustReached => Self::MajorityIsJustReached,
            Because::TheLeaderLeft => Self::TheLeaderLeft,
            Because::TheCoordinatorChanged => Self::TheCoordinatorChanged,
        }
    }
}

impl<S: Rules<lock_status::Machine>, M: Rules<Machine>, X: Rules<lock_mutex::Machine>>
    Turn<'_, S, M, X>
{
    /// The machine takes one event.
    pub(super) fn take(&mut self, event: Event) {
        let before = self.state.at;
        let core = self.core;
        let guards = |guard: Guard| match guard {};
        let (taken, step) = take(&core.member, before, event, &guards);
        self.out.rows.push(taken);
        let Some(step) = step else { return };
        self.state.at = step.to;
        for entry in step.actions {
            self.carry(entry.action);
        }
    }

    fn carry(&mut self, action: Action) {
        match action {
            Action::NotifyListenersThatItHasUnlocked => self.tell_all_unlocked(),
            Action::NotifyListenersOfWhatHasChanged => self.tell_all_changes(),
            Action::ResetWithTheCurrentMembers => {
                let present = self.state.present.clone();
                self.execute(Operation::Reset(present), None);
            }
            Action::ResetWithAnEmptyList => self.execute(Operation::Reset(Vec::new()), None),
            Action::HearTheLogNoLonger => self.state.hears = false,
            Action::HearTheLogAgain => self.state.hears = true,
            Action::FailItsCommands => self.fail_all(),
            Action::ExecuteUnlockAll => self.execute(Operation::UnlockAll, None),
        }
    }

    /// From all locks, whatever the log says.
    fn tell_all_unlocked(&mut self) {
        let told: Vec<LockName> = self.state.told.keys().copied().collect();
        for lock in told {
            self.tell_listener(self.unlocked(lock));
        }
        let used: Vec<LockName> = self.state.mutexes.keys().copied().collect();
        for lock in used {
            let none = lock_mutex::Event::Notified { status: Status::None.into() };
            self.take_mutex(lock, none, Heard::FROM_THE_MEMBER);
        }
    }

    /// What the listener was told last, beside what the replica says. Whoever lost a lock and has
    /// it once more, or stands in its queue, is told of both; a mutex only where its thread has the
    /// lock under another token: to any other one the loss is older than its command.
    fn tell_all_changes(&mut self) {
        if !self.state.hears {
            return;
        }
        let replica = self.state.replica.iter().map(|(lock, _)| lock);
        let mut locks: Vec<LockName> = self.state.told.keys().copied().chain(replica).collect();
        locks.sort_unstable();
        locks.dedup();
        for lock in locks {
            let status = self.state.replica.status(lock, self.core.me);
            let token = self.state.replica.token(lock, self.core.me);
            let told = self.state.told.get(&lock).copied().unwrap_or_default();
            if told == (status, token) {
                continue;
            }
            if told.0 == Status::Holding && status != Status::None {
                let mutex = self.state.mutex(lock).filter(|mutex| mutex.token.is_some());
                if mutex.is_some_and(|mutex| mutex.token != token) {
                    self.tell_change(self.unlocked(lock));
                } else {
                    self.tell_listener(self.unlocked(lock));
                }
            }
            self.tell_change(Change { lock, member: self.core.me, status, token });
        }
    }

    const fn unlocked(&self, lock: LockName) -> Change {
        Change { lock, member: self.core.me, status: Status::None, token: None }
    }
}
