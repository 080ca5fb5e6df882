//! The monitor (history variables) of the byte-range lock system's properties: which granted locks
//! are lost, and whether their file was modified since.

use std::collections::BTreeMap;

use turnstile_byte_range_lock_core::locks::{ClientKey, Loss};
use turnstile_byte_range_lock_core::manager::{self, Operation, Outcome};
use turnstile_byte_range_lock_core::message::FileId;
use turnstile_byte_range_lock_core::number::LockId;
use turnstile_byte_range_lock_core::server;
use turnstile_byte_range_lock_machines::byte_range_lock::State as At;
use turnstile_step::Symbolic;
use turnstile_world::{Breaches, Observation};

use crate::rule;

/// The history variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Monitor {
    /// The locks that were granted and then lost, until they are reinstated or end.
    lost: BTreeMap<LockId, Lost>,
    /// The locks that were granted, until they end or are lost.
    granted: BTreeMap<LockId, Owner>,
    /// The file that a client requests to write, until the answer.
    writes: Option<FileId>,
}

/// The owner of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Symbolic)]
struct Owner {
    file: FileId,
    key: ClientKey,
}

/// A lock that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Symbolic)]
struct Lost {
    of: Owner,
    is_modified: bool,
}

impl Monitor {
    /// Updates the history variables.
    pub(super) fn observe(&mut self, seen: &Observation, breaches: &mut Breaches) {
        match seen {
            Observation::Told(_, notice) => self.told(*notice.of(), breaches),
            Observation::Asked(_, command) => {
                if let Some(command) = command.get::<manager::Command>() {
                    self.asked(*command);
                } else if let server::Command::Change(file) = command.of() {
                    self.modified(*file);
                }
            }
            Observation::Crashed(_)
            | Observation::Restarted(_)
            | Observation::Violation(_)
            | Observation::Breaches(_) => {}
        }
    }

    /// Whether a LOST lock's record says that it was ACTIVE exactly if it was granted, and that its
    /// file was modified only if it was.
    pub(crate) fn is_right(&self, id: LockId, loss: Loss) -> bool {
        let was_active = loss.was == At::Active;
        let is_unmodified = self.lost.get(&id).is_none_or(|lost| !lost.is_modified);
        was_active == self.lost.contains_key(&id)
            && (!was_active || !is_unmodified || loss.contents.is_some())
    }

    fn told(&mut self, notice: manager::Notice, breaches: &mut Breaches) {
        let manager::Notice { file, key, outcome } = notice;
        match outcome {
            Outcome::Granted(id) => {
                let lost = self.lost.remove(&id);
                let is_unmodified = lost.is_none_or(|lost| !lost.is_modified);
                breaches.require(rule::UNMODIFIED, is_unmodified);
                self.granted.insert(id, Owner { file, key });
            }
            Outcome::Lost(id) => {
                let lost = self.granted.remove(&id).map(|of| Lost { of, is_modified: false });
                self.lost.extend(lost.map(|lost| (id, lost)));
            }
            Outcome::Waits(id) => {
                breaches.require(rule::GRANTED, self.lost.remove(&id).is_none());
            }
            Outcome::TimedOut(id) => {
                self.lost.remove(&id);
            }
            // The answer to a request to write or to read.
            Outcome::Allowed => {
                if let Some(file) = self.writes.take() {
                    self.modified(file);
                }
            }
            Outcome::Refused => self.writes = None,
        }
    }

    /// A granted lock ends when its client releases it.
    fn asked(&mut self, manager::Command { file, key, operation }: manager::Command) {
        self.writes = matches!(operation, Operation::Write(_)).then_some(file);
        let Operation::Unlock(id) = operation else { return };
        let by = Owner { file, key };
        self.lost.retain(|other, lost| *other != id || lost.of != by);
        self.granted.retain(|other, of| *other != id || *of != by);
    }

    fn modified(&mut self, file: FileId) {
        let lost = self.lost.values_mut().filter(|lost| lost.of.file == file);
        lost.for_each(|lost| lost.is_modified = true);
    }
}
