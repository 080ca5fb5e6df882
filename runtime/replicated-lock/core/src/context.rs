//! One step of a member: the dispatch of inputs, and its effects.

use alloc::vec::Vec;

use turnstile_machine::Rules;
use turnstile_replicated_lock_machines::{lock_member, lock_mutex, lock_status};
use turnstile_step::{Effect, OutOf};

use super::locks::StatusChange;
use super::member::Member;
use super::message::{Cluster, Command, Message, MutexEvent, Notice};
use super::state::{Mutex, State};
use super::types::{CommandId, LockName, LogEntry, LogOperation};
use turnstile_ids::number::Token;

/// The data of an event that the table does not name.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventContext {
    /// The command of the event.
    pub(super) call: Option<CommandId>,
    /// The holder's fencing token.
    pub(super) token: Option<Token>,
    /// Whether it comes from the log, and so may be older than the mutex's state.
    pub(super) is_from_the_log: bool,
}

impl EventContext {
    pub(super) const FROM_THE_LOG: Self = Self { call: None, token: None, is_from_the_log: true };
    pub(super) const FROM_THE_MEMBER: Self = Self { is_from_the_log: false, ..Self::FROM_THE_LOG };
}

/// The step in progress.
pub(super) struct StepContext<
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
> StepContext<'a, S, M, X>
{
    pub(super) const fn new(
        core: &'a Member<S, M, X>,
        state: &'a mut State,
        out: &'a mut OutOf<Member<S, M, X>>,
    ) -> Self {
        Self { core, state, out }
    }

    pub(super) fn on_message(&mut self, message: Message) {
        use lock_member::Event;
        match message {
            Message::View { is, members } => {
                self.state.present = members;
                self.step_machine(Event::View { of: is.into() });
            }
            Message::Elected(because) => {
                self.step_machine(Event::Elected { because: because.into() })
            }
            Message::AnotherIsElected => self.step_machine(Event::AnotherIsElected),
            Message::Apply { index, entry } => self.apply(index, &entry),
            Message::Snapshot { index, locks } => {
                (self.state.replica, self.state.applied) = (locks, index);
                self.catch_up(None);
                self.step_machine(Event::SnapshotIsInstalled);
            }
            Message::Result { lock, call, index, status, token } => {
                self.result(lock, call, index, status, token);
            }
            Message::Failed { lock, call } => self.failed(lock, call),
            // Sent by members only.
            Message::Execute(_) => {}
        }
    }

    pub(super) fn on_command(&mut self, command: Command) {
        match command {
            Command::Lock(lock) => self.lock(lock),
            Command::TryLock(lock) => self.try_lock(lock),
            Command::Unlock(lock) => self.unlock(lock),
            Command::Serve(request) => self.execute(request.into(), None),
        }
    }

    /// Applies the next entry of the log and notifies this member's changes.
    fn apply(&mut self, index: Token, entry: &LogEntry) {
        let rows = &mut self.out.rows;
        let changes = self.core.service.apply(&mut self.state.replica, index, entry, rows);
        self.state.applied = Some(index);
        let is_own = entry.by == self.core.me;
        self.catch_up(entry.call.filter(|_| is_own));
        let own: Vec<StatusChange> =
            changes.into_iter().filter(|change| change.member == self.core.me).collect();
        if self.state.hears {
            for change in own {
                self.notify_change(change);
            }
        }
        if is_own && entry.call.is_some() && entry.call == self.state.unlock_all {
            self.step_machine(lock_member::Event::UnlockAllIsApplied);
        }
    }

    fn catch_up(&mut self, call: Option<CommandId>) {
        self.state.catch_up(call, Mutex::unused(self.core.mutex.initial()));
    }

    /// Notifies the listener and the mutex of a change of status.
    pub(super) fn notify_change(&mut self, change: StatusChange) {
        self.notify_listener(change);
        self.notify_mutex_of(change);
    }

    pub(super) fn notify_mutex_of(&mut self, change: StatusChange) {
        let StatusChange { lock, member: _, status, token } = change;
        let ctx = EventContext { token, ..EventContext::FROM_THE_LOG };
        let event = lock_mutex::Event::Notified { status: status.into() };
        self.step_mutex(lock, event, ctx);
    }

    pub(super) fn notify_listener(&mut self, change: StatusChange) {
        use super::types::LockStatus;
        let StatusChange { lock, member: _, status, token } = change;
        match status {
            LockStatus::None => self.state.told.remove(&lock),
            LockStatus::Waiting | LockStatus::Holding => {
                self.state.told.insert(lock, (status, token))
            }
        };
        self.out.effects.push(Effect::Notify(Notice::Changed { lock, status, token }));
    }

    pub(super) fn notify_mutex(&mut self, lock: LockName, event: MutexEvent) {
        self.out.effects.push(Effect::Notify(Notice::Mutex { lock, event }));
    }

    /// The id of the next command.
    pub(super) fn next_call(&mut self) -> CommandId {
        self.state.calls = CommandId(self.state.calls.0.strict_add(1));
        self.state.calls
    }

    pub(super) fn execute(&mut self, operation: LogOperation, call: Option<CommandId>) {
        let entry = LogEntry { by: self.core.me, call, operation };
        self.out.effects.push(Effect::Send { to: Cluster, message: Message::Execute(entry) });
    }
}
