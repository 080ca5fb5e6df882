//! One step of a member: where a message goes, and what the member says.

use alloc::vec::Vec;

use turnstile_machine::Rules;
use turnstile_machines::{lock_member, lock_mutex, lock_status};
use turnstile_step::{Effect, OutOf};

use super::message::{Cluster, Command, Message, Notice, Says};
use super::mutex::Heard;
use super::types::{Call, Entry, LockName, Operation};
use super::{Change, Lag, Member, State};
use crate::number::Token;

/// One step on its way.
pub(super) struct Turn<
    'a,
    S: Rules<lock_status::Machine>,
    M: Rules<lock_member::Machine>,
    X: Rules<lock_mutex::Machine>,
> {
    pub(super) core: &'a Member<S, M, X>,
    pub(super) state: &'a mut State,
    pub(super) out: &'a mut OutOf<Member<S, M, X>>,
}

impl<
    'a,
    S: Rules<lock_status::Machine>,
    M: Rules<lock_member::Machine>,
    X: Rules<lock_mutex::Machine>,
> Turn<'a, S, M, X>
{
    pub(super) const fn new(
        core: &'a Member<S, M, X>,
        state: &'a mut State,
        out: &'a mut OutOf<Member<S, M, X>>,
    ) -> Self {
        Self { core, state, out }
    }

    pub(super) fn hear(&mut self, message: Message) {
        use lock_member::Event;
        match message {
            Message::View { is, members } => {
                self.state.present = members;
                self.take(Event::View { of: is.into() });
            }
            Message::Elected(because) => self.take(Event::Elected { because: because.into() }),
            Message::AnotherIsElected => self.take(Event::AnotherIsElected),
            Message::Apply { index, entry } => self.apply(index, &entry),
            Message::Snapshot { index, locks } => {
                (self.state.replica, self.state.applied) = (locks, index);
                self.state.catch_up();
                self.take(Event::SnapshotIsInstalled);
            }
            Message::Result { lock, call, index, status, token } => {
                self.result(lock, call, index, status, token);
            }
            Message::Failed { lock, call } => self.failed(lock, call),
            // Only members say so.
            Message::Execute(_) => {}
        }
    }

    pub(super) fn obey(&mut self, command: Command) {
        match command {
            Command::Lock(lock) => self.lock(lock),
            Command::TryLock(lock) => self.try_lock(lock),
            Command::Unlock(lock) => self.unlock(lock),
            Command::Serve(request) => self.execute(request.into(), None),
        }
    }

    /// Applies the next command of the log, and tells what it changes here.
    fn apply(&mut self, index: Token, entry: &Entry) {
        let rows = &mut self.out.rows;
        let changes = self.core.service.apply(&mut self.state.replica, index, entry, rows);
        self.state.applied = Some(index);
        self.state.catch_up();
        let is_own = entry.by == self.core.me;
        if is_own && entry.call.is_some() {
            let mut mutexes = self.state.mutexes.values_mut();
            if let Some(mutex) = mutexes.find(|mutex| mutex.call == entry.call) {
                mutex.lag = Lag::None;
            }
        }
        let own: Vec<Change> =
            changes.into_iter().filter(|change| change.member == self.core.me).collect();
        if self.state.hears {
            for change in own {
                self.tell_change(change);
            }
        }
        if is_own && entry.operation == Operation::UnlockAll {
            self.take(lock_member::Event::UnlockAllIsApplied);
        }
    }

    /// Tells the listener and the mutex of a change of status that was applied.
    pub(super) fn tell_change(&mut self, change: Change) {
        let Change { lock, member: _, status, token } = change;
        self.tell_listener(change);
        let heard = Heard { token, ..Heard::FROM_THE_LOG };
        let event = lock_mutex::Event::Notified { status: status.into() };
        self.take_mutex(lock, event, heard);
    }

    pub(super) fn tell_listener(&mut self, change: Change) {
        use super::types::Status;
        let Change { lock, member: _, status, token } = change;
        match status {
            Status::None => self.state.told.remove(&lock),
            Status::Waiting | Status::Holding => self.state.told.insert(lock, (status, token)),
        };
        self.out.effects.push(Effect::Notify(Notice::Changed { lock, status, token }));
    }

    pub(super) fn tell(&mut self, lock: LockName, says: Says) {
        self.out.effects.push(Effect::Notify(Notice::Mutex { lock, says }));
    }

    pub(super) fn execute(&mut self, operation: Operation, call: Option<Call>) {
        let entry = Entry { by: self.core.me, call, operation };
        self.out.effects.push(Effect::Send { to: Cluster, message: Message::Execute(entry) });
    }
}
