//! A simulated disk: loses unsynced writes at a crash and keeps synced ones.
//!
//! It touches no file and reads no clock. What of the unsynced writes a crash still finds on the
//! medium is the caller's choice: a real disk may have kept any prefix of them.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Batch, Each, Image, Store, apply};

/// The medium: it outlives the server that writes to it.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    medium: Arc<Mutex<Medium>>,
}

#[derive(Debug, Default)]
struct Medium {
    synced: Image,
    unsynced: Vec<Batch>,
    lost: u64,
}

impl Disk {
    /// A store on this medium.
    #[must_use]
    pub fn open(&self) -> DiskStore {
        DiskStore { disk: self.clone() }
    }

    /// The machine stops: of the unsynced batches the first `kept` had reached the medium.
    ///
    /// # Panics
    /// When a batch is not one that [`Batch`] built.
    pub fn crash(&self, kept: usize) {
        let mut medium = self.medium();
        let unsynced = std::mem::take(&mut medium.unsynced);
        medium.lost += unsynced.len().saturating_sub(kept) as u64;
        for batch in unsynced.iter().take(kept) {
            apply(&mut medium.synced, &batch.entries).expect("a batch is well formed");
        }
    }

    /// How many batches are written and not yet synced.
    #[must_use]
    pub fn unsynced(&self) -> usize {
        self.medium().unsynced.len()
    }

    /// How many batches crashes have lost so far.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.medium().lost
    }

    fn medium(&self) -> MutexGuard<'_, Medium> {
        self.medium.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The store on a [`Disk`].
#[derive(Clone, Debug)]
pub struct DiskStore {
    disk: Disk,
}

impl Store for DiskStore {
    fn read(&mut self, each: Each<'_>) -> io::Result<()> {
        self.disk.medium().synced.iter().try_for_each(|(key, value)| each(key, value))
    }

    fn write(&mut self, batch: &Batch) {
        self.disk.medium().unsynced.push(batch.clone());
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut medium = self.disk.medium();
        let unsynced = std::mem::take(&mut medium.unsynced);
        for batch in &unsynced {
            apply(&mut medium.synced, &batch.entries)?;
        }
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
