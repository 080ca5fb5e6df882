//! The part of the log, the views and the elections that were delivered to a member, independent of
//! its core: its replica, its role and its RESETs must match them.

use std::collections::BTreeMap;

use turnstile_ids::number::Token;
use turnstile_machine::Rules;
use turnstile_replicated_lock_core::message::{Connectivity, ElectionReason, Message};
use turnstile_replicated_lock_core::types::{Address, CommandId, LockName, LogEntry, LogOperation};
use turnstile_replicated_lock_core::{Locks, Service};
use turnstile_replicated_lock_machines::lock_status;
use turnstile_step::Symbolic;

use super::envelope::lock_of;

/// The role of a member, by the views and elections that were delivered to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) enum Role {
    /// Its last view is that of a minority, or it has none.
    #[default]
    Resigned,
    /// It is in the majority, and does not lead.
    Follower,
    /// It was elected.
    Leader,
}

/// The log as delivered to a member under its address, and its role.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Delivered {
    /// Its role.
    pub(crate) role: Role,
    /// The members of its last view.
    pub(crate) present: Vec<Address>,
    /// The index of the last command, or of a later snapshot.
    pub(crate) index: Option<Token>,
    /// The locks after it.
    pub(crate) locks: Locks,
    /// Whether it has resigned, and the last UNLOCK_ALL that it executed since is not delivered.
    pub(crate) is_deaf: bool,
    /// The last UNLOCK_ALL that it executed because it rejoined.
    unlock_all: Option<CommandId>,
    /// The last command of each mutex, until it is delivered.
    #[symbolic(values)]
    pub(crate) behind: PendingCommands,
}

/// By lock, commands that were executed and not yet delivered.
pub(super) type PendingCommands = BTreeMap<LockName, PendingCommand>;

/// A command that was not yet delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Symbolic)]
pub(crate) enum PendingCommand {
    /// In transit to the log, or dropped.
    Called(CommandId),
    /// In the log, at this index.
    At(Token),
}

impl Delivered {
    /// The list of the RESET that a message calls for, after it was delivered.
    pub(super) fn reset(&self, message: &Message) -> Option<Vec<Address>> {
        match message {
            Message::Elected(ElectionReason::MajorityIsJustReached) => Some(Vec::new()),
            Message::Elected(
                ElectionReason::TheLeaderLeft | ElectionReason::TheCoordinatorChanged,
            ) => Some(self.present.clone()),
            Message::View { is, members: _ } => {
                let is_left = *is == Connectivity::Left && self.role == Role::Leader;
                is_left.then(|| self.present.clone())
            }
            Message::AnotherIsElected
            | Message::Apply { .. }
            | Message::Snapshot { .. }
            | Message::Result { .. }
            | Message::Failed { .. }
            | Message::Execute(_) => None,
        }
    }

    /// The member executes a command, of its mutex or a direct one.
    pub(super) fn execute(&mut self, entry: &LogEntry) {
        if entry.operation == LogOperation::UnlockAll {
            self.unlock_all = entry.call.or(self.unlock_all);
        }
        if let (Some(call), Some(lock)) = (entry.call, lock_of(&entry.operation)) {
            self.behind.insert(lock, PendingCommand::Called(call));
        }
    }

    /// A message is delivered to the member with this address.
    pub(super) fn receive(
        &mut self,
        service: &Service<impl Rules<lock_status::Machine>>,
        address: Address,
        message: &Message,
    ) {
        match message {
            Message::Apply { index, entry } => {
                service.apply(&mut self.locks, *index, entry, &mut Vec::new());
                self.index = Some(*index);
                let is_own = entry.by == address && entry.operation == LogOperation::UnlockAll;
                let is_last = entry.call.is_some() && entry.call == self.unlock_all;
                if is_own && is_last && self.is_deaf && self.role != Role::Resigned {
                    // The log has each command from before, or has dropped it; there is none since.
                    self.is_deaf = false;
                    self.behind.clear();
                }
                let own = entry.call.filter(|_| entry.by == address).map(PendingCommand::Called);
                self.behind.retain(|_, away| Some(*away) != own);
            }
            Message::Snapshot { index, locks } => {
                (self.index, self.locks) = (*index, locks.clone());
            }
            Message::Result { lock, call, index, .. } => {
                let last = self.behind.get_mut(lock);
                if let Some(away) = last.filter(|away| **away == PendingCommand::Called(*call)) {
                    *away = PendingCommand::At(*index);
                }
            }
            Message::View { is, members } => {
                self.present.clone_from(members);
                self.is_deaf |= *is == Connectivity::Minority && self.role != Role::Resigned;
                self.role = match (is, self.role) {
                    (Connectivity::Minority, _) => Role::Resigned,
                    (_, Role::Leader) => Role::Leader,
                    (_, Role::Resigned | Role::Follower) => Role::Follower,
                };
            }
            Message::Elected(_) => self.role = Role::Leader,
            Message::AnotherIsElected if self.role == Role::Leader => self.role = Role::Follower,
            Message::AnotherIsElected | Message::Failed { .. } | Message::Execute(_) => {}
        }
        let index = self.index;
        self.behind.retain(|_, away| !matches!(away, PendingCommand::At(at) if Some(*at) <= index));
    }
}
