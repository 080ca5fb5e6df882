//! What a process saves: the greatest number of a view that it knows. Its lives have the store one
//! after the other.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use turnstile_host::store::{Batch, Image, Store, Visitor};

/// The store of a process.
#[derive(Clone)]
pub(crate) struct ProcessStore(Arc<Mutex<ProcessState>>);

struct ProcessState {
    /// All that is in the store, which can be read only once.
    image: Image,
    /// `None`: nothing outlives the process.
    store: Option<Box<dyn Store>>,
    /// The number of the present life.
    life: u64,
}

/// The same for one life of its member: nothing that an earlier one has written late counts.
struct LifeStore {
    process: ProcessStore,
    life: u64,
}

impl ProcessStore {
    /// This store, or one in memory.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn new(mut store: Option<Box<dyn Store>>) -> io::Result<Self> {
        let image = store.as_mut().map(|store| store.load()).transpose()?.unwrap_or_default();
        Ok(Self(Arc::new(Mutex::new(ProcessState { image, store, life: 0 }))))
    }

    /// The store for the next life.
    pub(crate) fn next_life(&self) -> Box<dyn Store> {
        let mut state = self.lock();
        state.life += 1;
        Box::new(LifeStore { process: self.clone(), life: state.life })
    }

    fn lock(&self) -> MutexGuard<'_, ProcessState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for LifeStore {
    fn read(&mut self, each: Visitor<'_>) -> io::Result<()> {
        self.process.lock().image.iter().try_for_each(|(key, value)| each(key, value))
    }

    fn write(&mut self, batch: &Batch) {
        let mut state = self.process.lock();
        if state.life != self.life {
            return;
        }
        let kept = Batch::read(batch.as_bytes(), &mut |key, value| {
            state.image.insert(*key, value.to_vec());
            Ok(())
        });
        kept.expect("a batch is read as it was written");
        if let Some(store) = &mut state.store {
            store.write(batch);
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        self.process.lock().store.as_mut().map_or(Ok(()), |store| store.sync())
    }
}

#[cfg(test)]
mod tests {
    use turnstile_host::store::Key;

    use super::*;

    #[test]
    fn a_life_reads_what_the_one_before_has_written_in_time() {
        let process = ProcessStore::new(None).expect("it is in memory");
        let (key, mut batch) = (Key::single(1), Batch::default());
        let mut first = process.next_life();
        batch.put(&key, b"8");
        first.write(&batch);
        first.sync().expect("it is written");
        let mut second = process.next_life();
        assert_eq!(second.load().expect("it can be read")[&key], b"8");
        batch.put(&key, b"7");
        first.write(&batch);
        assert_eq!(second.load().expect("it can be read")[&key], b"8", "that is too late");
    }
}
