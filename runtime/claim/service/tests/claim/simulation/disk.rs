//! The real store on the simulated disk, watched: what it refuses, and what a crash takes from it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use turnstile_host::store::{Batch, LogStore, Medium, Note, NoteValue, Store, Visitor};

use super::outcome::{Event, Tally};

/// A log is folded when it is this long.
const LOG_MAX: u64 = 1_500;

/// A store, and what of it is not synced yet.
pub(crate) struct Watched {
    store: LogStore,
    tally: Tally,
    pending: u64,
    is_refused: bool,
}

impl Watched {
    pub(crate) fn open(medium: &Medium, tally: &Tally) -> io::Result<Self> {
        let store = LogStore::open_on(Arc::new(medium.clone()), Path::new("disk"), LOG_MAX);
        let store = store.inspect_err(|_| tally.note(Event::StartRefused))?;
        Ok(Self { store, tally: tally.clone(), pending: 0, is_refused: false })
    }
}

impl Store for Watched {
    fn read(&mut self, each: Visitor<'_>) -> io::Result<()> {
        self.store.read(each)
    }

    fn note(&mut self) -> io::Result<(Option<NoteValue>, Box<dyn Note>)> {
        self.store.note()
    }

    fn write(&mut self, batch: &Batch) {
        self.pending += 1;
        self.store.write(batch);
    }

    fn sync(&mut self) -> io::Result<()> {
        let synced = self.store.sync();
        if synced.is_ok() {
            self.pending = 0;
            if self.is_refused {
                self.tally.note(Event::Recovered);
            }
        }
        self.is_refused = synced.is_err();
        synced
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.tally.add(Event::CommitLost, self.pending);
    }
}
