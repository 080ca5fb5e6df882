//! Visits of every address in a value, for symmetry reduction. Lists sorted by address are sorted
//! again.

use super::message::Message;
use super::types::{Address, LogEntry, LogOperation};
use super::{Locks, State};

impl Locks {
    /// Calls `each` with every address; it may replace them.
    pub fn visit_addresses(&mut self, each: &mut dyn FnMut(&mut Address)) {
        for lock in self.each_mut() {
            lock.holder.iter_mut().for_each(&mut *each);
            lock.waiters.iter_mut().for_each(&mut *each);
            lock.status.iter_mut().for_each(|(member, _)| each(member));
            lock.status.sort_unstable();
        }
    }
}

impl LogEntry {
    /// Calls `each` with every address; it may replace them.
    pub fn visit_addresses(&mut self, each: &mut dyn FnMut(&mut Address)) {
        each(&mut self.by);
        if let LogOperation::Reset(members) = &mut self.operation {
            members.iter_mut().for_each(each);
            members.sort_unstable();
        }
    }
}

impl Message {
    /// Calls `each` with every address; it may replace them.
    pub fn visit_addresses(&mut self, each: &mut dyn FnMut(&mut Address)) {
        match self {
            Self::View { is: _, members } => {
                members.iter_mut().for_each(each);
                members.sort_unstable();
            }
            Self::Apply { index: _, entry } | Self::Execute(entry) => entry.visit_addresses(each),
            Self::Snapshot { index: _, locks } => locks.visit_addresses(each),
            Self::Elected(_)
            | Self::AnotherIsElected
            | Self::Result { .. }
            | Self::Failed { .. } => {}
        }
    }
}

impl State {
    /// Calls `each` with every address; it may replace them.
    pub fn visit_addresses(&mut self, each: &mut dyn FnMut(&mut Address)) {
        self.replica.visit_addresses(each);
        self.present.iter_mut().for_each(each);
        self.present.sort_unstable();
    }
}
