//! The machine of a member: when it resigns, and its RESET commands.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use turnstile_machine::Rules;
use turnstile_replicated_lock_machines::lock_member::{
    Action, ElectedBecause, Event, Guard, Machine, ViewOf,
};
use turnstile_replicated_lock_machines::{lock_mutex, lock_status};
use turnstile_step::step_machine;

use super::context::{EventContext, StepContext};
use super::locks::StatusChange;
use super::message::{Connectivity, ElectionReason};
use super::types::{LockName, LockStatus, LogOperation};

impl From<Connectivity> for ViewOf {
    fn from(is: Connectivity) -> Self {
        match is {
            Connectivity::Minority => Self::AMinority,
            Connectivity::Left => Self::MembersLeft,
            Connectivity::Joined => Self::MembersJoined,
        }
    }
}

impl From<ElectionReason> for ElectedBecause {
    fn from(because: ElectionReason) -> Self {
        match because {
            ElectionReason::MajorityIsJustReached => Self::MajorityIsJustReached,
            ElectionReason::TheLeaderLeft => Self::TheLeaderLeft,
            ElectionReason::TheCoordinatorChanged => Self::TheCoordinatorChanged,
        }
    }
}

impl<S: Rules<lock_status::Machine>, M: Rules<Machine>, X: Rules<lock_mutex::Machine>>
    StepContext<'_, S, M, X>
{
    /// Steps the machine.
    pub(super) fn step_machine(&mut self, event: Event) {
        let before = self.state.at;
        let (core, hears) = (self.core, self.state.hears);
        let guards = |guard: Guard| match guard {
            Guard::TheLogIsHeard => hears,
        };
        let Some(step) =
            step_machine(&core.member, before, event, &guards).report(&mut self.out.rows)
        else {
            return;
        };
        self.state.at = step.to;
        for entry in step.actions {
            self.apply_action(entry.action);
        }
    }

    fn apply_action(&mut self, action: Action) {
        match action {
            Action::NotifyListenersThatItHasUnlocked => self.notify_all_unlocked(),
            Action::NotifyListenersOfWhatHasChanged => self.notify_all_changes(),
            Action::ResetWithTheCurrentMembers => {
                let present = self.state.present.clone();
                self.execute(LogOperation::Reset(present), None);
            }
            Action::ResetWithAnEmptyList => self.execute(LogOperation::Reset(Vec::new()), None),
            Action::HearTheLogNoLonger => self.state.hears = false,
            Action::HearTheLogAgain => self.hear_the_log(),
            Action::FailItsCommands => self.fail_all(),
            Action::ExecuteUnlockAll => {
                let call = self.next_call();
                self.state.unlock_all = Some(call);
                self.execute(LogOperation::UnlockAll, Some(call));
            }
        }
    }

    /// Hears the log again. The commands from before are over, and the mutexes of a member that
    /// hears no log execute none, so an unlocked one waits for none.
    fn hear_the_log(&mut self) {
        if core::mem::replace(&mut self.state.hears, true) {
            return;
        }
        let unlocked = self.core.mutex.initial();
        self.state.mutexes.retain(|_, mutex| mutex.at != unlocked);
    }

    /// Notifies that every lock is unlocked, independent of the log.
    fn notify_all_unlocked(&mut self) {
        let told: Vec<LockName> = self.state.told.keys().copied().collect();
        for lock in told {
            self.notify_listener(self.unlocked(lock));
        }
        let used: Vec<LockName> = self.state.mutexes.keys().copied().collect();
        for lock in used {
            let none = lock_mutex::Event::Notified { status: LockStatus::None.into() };
            self.step_mutex(lock, none, EventContext::FROM_THE_MEMBER);
        }
    }

    /// Notifies every difference between the last notification and the replica. A lock that was
    /// lost and is held or requested again is notified twice: the loss, then the new status. The
    /// listener is notified of the loss if it knows that the lock was held. The mutex may know by a
    /// result that it is locked or waits: it is notified if the member's status is none, or if its
    /// thread has the lock under another token. Otherwise the loss is older than its command.
    fn notify_all_changes(&mut self) {
        let replica = self.state.replica.iter().map(|(lock, _)| lock);
        let mutexes = self.state.mutexes.keys().copied();
        let all = self.state.told.keys().copied().chain(replica).chain(mutexes);
        let all: BTreeSet<LockName> = all.collect();
        for lock in all {
            let status = self.state.replica.status(lock, self.core.me);
            let token = self.state.replica.token(lock, self.core.me);
            let told = self.state.told.get(&lock).copied().unwrap_or_default();
            let is_lost = self.state.mutex(lock).is_some_and(|mutex| {
                status == LockStatus::None || mutex.token.is_some() && mutex.token != token
            });
            let is_new = told != (status, token);
            if is_new && told.0 == LockStatus::Holding && status != LockStatus::None {
                self.notify_listener(self.unlocked(lock));
            }
            if is_lost && status != LockStatus::None {
                self.notify_mutex_of(self.unlocked(lock));
            }
            let change = StatusChange { lock, member: self.core.me, status, token };
            if is_new {
                self.notify_listener(change);
            }
            if is_new || is_lost {
                self.notify_mutex_of(change);
            }
        }
    }

    const fn unlocked(&self, lock: LockName) -> StatusChange {
        StatusChange { lock, member: self.core.me, status: LockStatus::None, token: None }
    }
}
