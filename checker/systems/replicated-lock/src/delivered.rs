//! What reached a member of the log, whatever the member makes of it: its replica must be that.

use std::collections::BTreeMap;

use turnstile_core::number::Token;
use turnstile_core::replicated::message::Message;
use turnstile_core::replicated::types::{Address, Call, Entry, LockName};
use turnstile_core::replicated::{Locks, Service};
use turnstile_machine::Rules;
use turnstile_machines::lock_status;
use turnstile_step::Symbolic;

use super::mail::lock_of;

/// What a member was given of the log under its address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Delivered {
    /// The index of the last command, or that of a snapshot that came later.
    pub(crate) index: Option<Token>,
    /// What that comes to.
    pub(crate) locks: Locks,
    /// The last command of each mutex, if it has not come.
    #[symbolic(values)]
    pub(crate) behind: Behind,
}

/// By lock, commands that were executed and have not come.
pub(super) type Behind = BTreeMap<LockName, Away>;

/// Where a command is that has not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Symbolic)]
pub(crate) enum Away {
    /// It is on its way to the log, or nowhere.
    Called(Call),
    /// In the log, under this index.
    At(Token),
}

impl Delivered {
    /// The member executes a command, for its mutex or past it.
    pub(super) fn execute(&mut self, entry: &Entry) {
        if let (Some(call), Some(lock)) = (entry.call, lock_of(&entry.operation)) {
            self.behind.insert(lock, Away::Called(call));
        }
    }

    /// A message reaches the member of this address.
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
                let own = entry.call.filter(|_| entry.by == address).map(Away::Called);
                self.behind.retain(|_, away| Some(*away) != own);
            }
            Message::Snapshot { index, locks } => {
                (self.index, self.locks) = (*index, locks.clone());
            }
            Message::Result { lock, call, index, .. } => {
                let last = self.behind.get_mut(lock);
                if let Some(away) = last.filter(|away| **away == Away::Called(*call)) {
                    *away = Away::At(*index);
                }
            }
            Message::View { .. }
            | Message::Elected(_)
            | Message::AnotherIsElected
            | Message::Failed { .. }
            | Message::Execute(_) => {}
        }
        let index = self.index;
        self.behind.retain(|_, away| !matches!(away, Away::At(at) if Some(*at) <= index));
    }
}
