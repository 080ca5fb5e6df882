//! What the properties of the byte-range lock system remember: which granted locks are lost, and
//! whether their file was modified since.

use std::collections::BTreeMap;

use turnstile_core::number::LockId;
use turnstile_core::ranges::locks::Key;
use turnstile_core::ranges::manager::{self, News, Wish};
use turnstile_core::ranges::message::FileId;
use turnstile_core::ranges::server;
use turnstile_step::Symbolic;
use turnstile_world::Observation;

/// What is remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Past {
    /// The locks that were lost after they were granted, until they come back or end.
    lost: BTreeMap<LockId, Lost>,
    /// The locks that were granted, until they end or are lost.
    granted: BTreeMap<LockId, Owner>,
    /// A lock came back though its file had been modified.
    pub(crate) is_stale: bool,
    /// The file that a client asks to write, until it is answered.
    writes: Option<FileId>,
}

/// Whose lock it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Symbolic)]
struct Owner {
    file: FileId,
    key: Key,
}

/// A lock that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Symbolic)]
struct Lost {
    of: Owner,
    is_modified: bool,
}

impl Past {
    /// Remembers.
    pub(super) fn observe(&mut self, seen: &Observation) {
        match seen {
            Observation::Told(_, notice) => self.told(*notice.of()),
            Observation::Asked(_, command) => {
                if let Some(command) = command.get::<manager::Command>() {
                    self.asked(*command);
                } else if let server::Command::Change(file) = command.of() {
                    self.modified(*file);
                }
            }
            Observation::Crashed(_) | Observation::Restarted(_) | Observation::Violation(_) => {}
        }
    }

    fn told(&mut self, manager::Notice { file, key, what }: manager::Notice) {
        match what {
            News::Granted(id) => {
                let lost = self.lost.remove(&id);
                self.is_stale |= lost.is_some_and(|lost| lost.is_modified);
                self.granted.insert(id, Owner { file, key });
            }
            News::Lost(id) => {
                let lost = self.granted.remove(&id).map(|of| Lost { of, is_modified: false });
                self.lost.extend(lost.map(|lost| (id, lost)));
            }
            News::Waits(id) | News::TimedOut(id) => {
                self.lost.remove(&id);
            }
            // To write, or to read.
            News::Allowed => {
                if let Some(file) = self.writes.take() {
                    self.modified(file);
                }
            }
            News::Refused => self.writes = None,
        }
    }

    /// A lock that was granted ends when its client gives it up.
    fn asked(&mut self, manager::Command { file, key, wish }: manager::Command) {
        self.writes = matches!(wish, Wish::Write(_)).then_some(file);
        let Wish::Unlock(id) = wish else { return };
        let by = Owner { file, key };
        self.lost.retain(|other, lost| *other != id || lost.of != by);
        self.granted.retain(|other, of| *other != id || *of != by);
    }

    fn modified(&mut self, file: FileId) {
        let lost = self.lost.values_mut().filter(|lost| lost.of.file == file);
        lost.for_each(|lost| lost.is_modified = true);
    }
}
