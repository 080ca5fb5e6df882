//! What reached a member of the log, whatever the member makes of it: its replica must be that.

use turnstile_core::number::Token;
use turnstile_core::replicated::message::Message;
use turnstile_core::replicated::{Locks, Service};
use turnstile_core::{Class, Numbers};
use turnstile_machines::lock_status::Rules;

/// What a member was given of the log under its address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Delivered {
    /// The index of the last command, or that of a snapshot that came later.
    pub index: Option<Token>,
    /// What that comes to.
    pub locks: Locks,
}

impl Delivered {
    /// A message reaches the member.
    pub(super) fn receive(&mut self, service: &Service<impl Rules>, message: &Message) {
        match message {
            Message::Apply { index, entry } => {
                service.apply(&mut self.locks, *index, entry, &mut Vec::new());
                self.index = Some(*index);
            }
            Message::Snapshot { index, locks } => {
                *self = Self { index: *index, locks: locks.clone() };
            }
            Message::View { .. }
            | Message::Elected(_)
            | Message::AnotherIsElected
            | Message::Result { .. }
            | Message::Failed { .. }
            | Message::Execute(_) => {}
        }
    }
}

impl Numbers for Delivered {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        self.index.visit(each);
        self.locks.visit(each);
    }
}
