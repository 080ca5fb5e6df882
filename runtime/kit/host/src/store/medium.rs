//! A simulated disk in memory: a power loss drops some of the unsynced writes of a process.
//!
//! A file or a name has a content that processes see, a content on the disk, and the changes
//! between them. A power loss keeps an arbitrary subset of the changes, sector by sector, and tears
//! some sectors. So does a failed sync, after which the system treats all changes as written.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use rustix::io::Errno;

use super::content::{Content, Kept, Renaming};
use super::directory::{Background, BackgroundWork, Directory, DirectoryFile};
use crate::Rng;

/// The disk; it outlives the processes that use it.
#[derive(Clone, Debug)]
pub struct Medium(Arc<Mutex<DiskState>>);

/// The faults that are active until they are changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The disk is full: no file can grow or be created, unless there is room.
    pub is_full: bool,
    /// So many bytes are free on the full disk.
    pub room: usize,
    /// No file can be opened: the process has no descriptors left.
    pub has_no_descriptors: bool,
    /// One in this many writes fails; 0: none.
    pub writes: u64,
    /// One in this many syncs fails; 0: none.
    pub syncs: u64,
}

#[derive(Debug)]
struct DiskState {
    files: Vec<Content>,
    seen: BTreeMap<String, usize>,
    synced: BTreeMap<String, usize>,
    changes: Vec<Renaming>,
    rng: Rng,
    faults: Faults,
    /// The process crashes within this many operations.
    fuse: Option<u64>,
    is_dead: bool,
    failed: u64,
}

impl Medium {
    /// An empty disk. The seed decides what a power loss keeps, and which writes and syncs fail.
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(DiskState {
            files: Vec::new(),
            seen: BTreeMap::new(),
            synced: BTreeMap::new(),
            changes: Vec::new(),
            rng: Rng::seeded(seed),
            faults: Faults::default(),
            fuse: None,
            is_dead: false,
            failed: 0,
        })))
    }

    /// Sets the faults.
    pub fn set_faults(&self, faults: Faults) {
        self.state().faults = faults;
    }

    /// The number of operations that have failed.
    pub fn failed(&self) -> u64 {
        self.state().failed
    }

    /// Crashes the process within this many operations.
    pub fn light_fuse(&self, operations: u64) {
        self.state().fuse = Some(operations);
    }

    /// Crashes the process that uses the disk.
    pub fn kill(&self) {
        self.state().is_dead = true;
    }

    /// Whether the process that uses the disk has crashed.
    pub fn is_dead(&self) -> bool {
        self.state().is_dead
    }

    /// Lets the next process use the disk.
    pub fn revive(&self) {
        let mut state = self.state();
        (state.is_dead, state.fuse, state.faults) = (false, None, Faults::default());
    }

    /// Simulates a power loss.
    pub fn lose_power(&self) {
        let mut state = self.state();
        let DiskState { files, seen, synced, changes, rng, .. } = &mut *state;
        let kept = Kept::drawn(rng);
        for change in changes.drain(..) {
            if kept.holds(rng) {
                change.apply(synced);
            }
        }
        seen.clone_from(synced);
        for (number, file) in files.iter_mut().enumerate() {
            if seen.values().any(|named| *named == number) {
                file.settle(rng);
                file.seen.clone_from(&file.synced);
            } else {
                *file = Content::default();
            }
        }
    }

    /// Another disk with the same files, all synced.
    pub fn copy(&self) -> Self {
        let copy = Self::new(0);
        for (name, bytes) in self.files() {
            copy.put(&name, Some(bytes));
        }
        copy
    }

    /// The files as a process sees them.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let state = self.state();
        let bytes = |file: &usize| state.files[*file].seen.clone();
        state.seen.iter().map(|(name, file)| (name.clone(), bytes(file))).collect()
    }

    /// A part of one of the files.
    pub fn part(&self, file: usize, from: usize, len: usize) -> Vec<u8> {
        let state = self.state();
        let file = state.seen.values().nth(file % state.seen.len());
        let seen = file.map_or(&[][..], |file| &state.files[*file].seen);
        seen.iter().skip(from).take(len).copied().collect()
    }

    /// Creates, replaces or removes a file on the disk.
    pub fn put(&self, name: &str, bytes: Option<Vec<u8>>) {
        let mut state = self.state();
        state.seen.remove(name);
        if let Some(seen) = bytes {
            let number = state.files.len();
            state.seen.insert(name.to_owned(), number);
            let synced = seen.clone();
            state.files.push(Content { seen, synced, changes: Vec::new() });
        }
        state.synced = state.seen.clone();
        state.changes.clear();
    }

    fn state(&self) -> MutexGuard<'_, DiskState> {
        self.0.lock().expect("no holder panics")
    }
}

impl DiskState {
    /// Called before each operation of a process.
    fn step(&mut self) -> io::Result<()> {
        match &mut self.fuse {
            Some(0) => self.is_dead = true,
            Some(left) => *left -= 1,
            None => {}
        }
        if self.is_dead { Err(io::Error::other("the process has terminated")) } else { Ok(()) }
    }

    fn fail<T>(&mut self, error: Errno) -> io::Result<T> {
        self.failed += 1;
        Err(error.into())
    }

    fn falls(&mut self, of: u64) -> bool {
        of > 0 && self.rng.number().is_multiple_of(of)
    }

    /// Called before a file is opened.
    fn descriptor(&mut self) -> io::Result<()> {
        self.step()?;
        if self.faults.has_no_descriptors { self.fail(Errno::MFILE) } else { Ok(()) }
    }

    fn named(&self, name: &str) -> io::Result<usize> {
        self.seen.get(name).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn rename(&mut self, from: Option<&str>, to: Option<&str>, file: usize) {
        let change = Renaming { from: from.map(str::to_owned), to: to.map(str::to_owned), file };
        change.apply(&mut self.seen);
        self.changes.push(change);
    }

    fn write(&mut self, file: usize, bytes: &[u8], at: usize) -> io::Result<()> {
        let stepped = self.step();
        let mut len = bytes.len();
        let mut error = None;
        let has = self.files[file].seen.len();
        if self.faults.is_full && at + len > has + self.faults.room {
            len = (has + self.faults.room).saturating_sub(at).min(len);
            error = Some(Errno::NOSPC);
        }
        let falls = self.falls(self.faults.writes);
        if stepped.is_err() || falls {
            // The write may be partial.
            len = (self.rng.number() % (len as u64 + 1)) as usize;
            error = error.or(Some(Errno::IO));
        }
        if stepped.is_ok() || self.fuse.take().is_some() {
            self.files[file].write(&bytes[..len], at);
            self.faults.room = self.faults.room.saturating_sub((at + len).saturating_sub(has));
        }
        stepped?;
        error.map_or(Ok(()), |error| self.fail(error))
    }

    fn cut(&mut self, file: usize, len: usize) {
        self.faults.room += self.files[file].seen.len().saturating_sub(len);
        self.files[file].cut(len);
    }

    fn sync(&mut self, file: usize) -> io::Result<()> {
        self.step()?;
        let falls = self.falls(self.faults.syncs);
        let Self { files, rng, .. } = self;
        if falls {
            files[file].settle(rng);
            return self.fail(Errno::IO);
        }
        let Content { synced, changes, .. } = &mut files[file];
        for change in changes.drain(..) {
            change.apply(synced);
        }
        Ok(())
    }
}

impl Directory for Medium {
    fn list(&self) -> io::Result<Vec<String>> {
        let mut state = self.state();
        state.descriptor()?;
        Ok(state.seen.keys().cloned().collect())
    }

    fn read(&self, name: &str, at: u64, max: u64) -> io::Result<Vec<u8>> {
        let mut state = self.state();
        state.descriptor()?;
        let bytes = &state.files[state.named(name)?].seen;
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Ok(bytes.iter().skip(size(at)).take(size(max)).copied().collect())
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn DirectoryFile>> {
        let mut state = self.state();
        state.descriptor()?;
        let number = match state.named(name) {
            Ok(number) => {
                state.cut(number, 0);
                number
            }
            Err(_) if state.faults.is_full && state.faults.room == 0 => {
                return state.fail(Errno::NOSPC);
            }
            Err(_) => {
                let number = state.files.len();
                state.files.push(Content::default());
                state.rename(None, Some(name), number);
                number
            }
        };
        Ok(Box::new(OpenFile { medium: self.clone(), number }))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DirectoryFile>> {
        let mut state = self.state();
        state.descriptor()?;
        Ok(Box::new(OpenFile { medium: self.clone(), number: state.named(name)? }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        let file = state.named(from)?;
        state.rename(Some(from), Some(to), file);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        let file = state.named(name)?;
        state.rename(Some(name), None, file);
        state.faults.room += state.files[file].seen.len();
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        let share = state.faults.syncs;
        if state.falls(share) {
            return state.fail(Errno::IO);
        }
        state.synced = state.seen.clone();
        state.changes.clear();
        Ok(())
    }

    fn is_in_place(&self, _file: &dyn DirectoryFile) -> io::Result<bool> {
        self.state().step().map(|()| true)
    }

    fn spawn(&self, work: BackgroundWork) -> io::Result<Background> {
        let runs_now = self.state().rng.number().is_multiple_of(2);
        if !runs_now {
            return Ok(Background::Later(work));
        }
        let done = work();
        Ok(Background::Later(Box::new(move || done)))
    }
}

#[derive(Debug)]
struct OpenFile {
    medium: Medium,
    number: usize,
}

impl DirectoryFile for OpenFile {
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        let at = usize::try_from(at).expect("files are small");
        self.medium.state().write(self.number, bytes, at)
    }

    fn cut(&self, len: u64) -> io::Result<()> {
        let mut state = self.medium.state();
        state.step()?;
        state.cut(self.number, usize::try_from(len).expect("files are small"));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.medium.state().sync(self.number)
    }

    fn is_linked(&self) -> io::Result<bool> {
        Ok(true)
    }
}
