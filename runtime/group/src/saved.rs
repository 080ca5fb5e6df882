//! What a process saves: the greatest number of a view that it knows. Its lives have the store one
//! after the other.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use turnstile_host::store::{Batch, Image, LogStore, Store, Visitor};

/// The store of a process.
#[derive(Clone)]
pub(crate) struct ProcessStore(Arc<Mutex<ProcessState>>);

struct ProcessState {
    store: Box<dyn Store>,
    /// The number of the present life.
    life: u64,
}

/// The same for one life of its member: nothing that an earlier one has written late counts.
struct LifeStore {
    process: ProcessStore,
    life: u64,
}

/// What is kept only as long as the process runs.
#[derive(Default)]
struct Memory(Image);

impl ProcessStore {
    /// A store in a directory, or in memory.
    ///
    /// # Errors
    /// When the directory cannot be used, is in use, or has other files.
    pub(crate) fn open(data: Option<&Path>) -> io::Result<Self> {
        let store: Box<dyn Store> = match data {
            Some(data) => Box::new(LogStore::open(data)?),
            None => Box::new(Memory::default()),
        };
        Ok(Self(Arc::new(Mutex::new(ProcessState { store, life: 0 }))))
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
        self.process.lock().store.read(each)
    }

    fn write(&mut self, batch: &Batch) {
        let mut state = self.process.lock();
        if state.life == self.life {
            state.store.write(batch);
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        self.process.lock().store.sync()
    }
}

impl Store for Memory {
    fn read(&mut self, each: Visitor<'_>) -> io::Result<()> {
        self.0.iter().try_for_each(|(key, value)| each(key, value))
    }

    fn write(&mut self, batch: &Batch) {
        let kept = Batch::read(batch.as_bytes(), &mut |key, value| {
            self.0.insert(*key, value.to_vec());
            Ok(())
        });
        kept.expect("a batch is read as it was written");
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use turnstile_host::store::Key;

    use super::*;

    #[test]
    fn a_life_reads_what_the_one_before_has_written_in_time() {
        let process = ProcessStore::open(None).expect("it is in memory");
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
