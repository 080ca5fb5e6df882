//! A simulated disk: loses unsynced writes at a crash and keeps synced ones.
//!
//! It touches no file and reads no clock. The caller decides how many of the unsynced writes
//! survive a crash: a real disk may keep any prefix of them.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::batch::{Batch, Image, Visitor, apply};
use super::contract::Store;
use super::note::{Note, NoteValue};

/// The medium; it outlives the server that writes to it.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    contents: Arc<Mutex<Contents>>,
}

#[derive(Debug, Default)]
struct Contents {
    synced: Image,
    unsynced: Vec<Batch>,
    lost: u64,
    is_full: bool,
    note: Option<NoteValue>,
}

impl Disk {
    /// A store on this medium.
    #[must_use]
    pub fn open(&self) -> DiskStore {
        DiskStore { disk: self.clone() }
    }

    /// Another medium with what is synced on this one.
    #[must_use]
    pub fn copy(&self) -> Self {
        let Contents { synced, note, .. } = &*self.contents();
        let contents = Contents { synced: synced.clone(), note: *note, ..Contents::default() };
        Self { contents: Arc::new(Mutex::new(contents)) }
    }

    /// Whether the medium is full: then no sync succeeds. What is written waits for one.
    pub fn set_full(&self, is_full: bool) {
        self.contents().is_full = is_full;
    }

    /// Simulates a power loss: of the unsynced batches, the first `kept` survive.
    ///
    /// # Panics
    /// When a batch was not built by [`Batch`].
    pub fn crash(&self, kept: usize) {
        let mut contents = self.contents();
        let unsynced = std::mem::take(&mut contents.unsynced);
        contents.lost += unsynced.len().saturating_sub(kept) as u64;
        for batch in unsynced.iter().take(kept) {
            apply(&mut contents.synced, batch.as_bytes()).expect("a batch is well formed");
        }
    }

    /// The number of batches that are written and not synced.
    #[must_use]
    pub fn unsynced(&self) -> usize {
        self.contents().unsynced.len()
    }

    /// The number of batches lost in crashes so far.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.contents().lost
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The store on a [`Disk`].
#[derive(Clone, Debug)]
pub struct DiskStore {
    disk: Disk,
}

impl Store for DiskStore {
    fn read(&mut self, each: Visitor<'_>) -> io::Result<()> {
        self.disk.contents().synced.iter().try_for_each(|(key, value)| each(key, value))
    }

    fn write(&mut self, batch: &Batch) {
        self.disk.contents().unsynced.push(batch.clone());
    }

    fn note(&mut self) -> io::Result<(Option<NoteValue>, Box<dyn Note>)> {
        Ok((self.disk.contents().note, Box::new(self.clone())))
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut contents = self.disk.contents();
        if contents.is_full {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let unsynced = std::mem::take(&mut contents.unsynced);
        for batch in &unsynced {
            apply(&mut contents.synced, batch.as_bytes())?;
        }
        Ok(())
    }
}

impl Note for DiskStore {
    fn put(&mut self, value: NoteValue) -> io::Result<()> {
        self.disk.contents().note = Some(value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Key;

    fn batch(id: u64) -> Batch {
        let mut batch = Batch::default();
        batch.put(&Key::numbered(2, id), b"held");
        batch
    }

    #[test]
    fn a_crash_keeps_what_was_synced_and_a_prefix_of_the_rest() {
        let disk = Disk::default();
        let mut store = disk.open();
        store.write(&batch(1));
        store.sync().expect("a simulated disk takes it");
        for id in [2, 3, 4] {
            store.write(&batch(id));
        }
        disk.crash(1);
        let image = disk.open().load().expect("a simulated disk reads");
        let ids: Vec<&Key> = image.keys().collect();
        assert_eq!(ids, [&Key::numbered(2, 1), &Key::numbered(2, 2)]);
        assert_eq!(disk.lost(), 2);
    }
}
