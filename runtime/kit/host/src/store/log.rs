//! The durable store: an append-only log with one `fdatasync` per commit, periodically compacted
//! into an image.
//!
//! A directory has the files `lock`, `manifest`, `N.log` and at most one `N.image`, which replaces
//! the logs up to N. Every start opens a new log, so that nothing is written after a torn frame. So
//! does a commit after a failed one: the writes of a failed sync may be lost even if a later sync
//! succeeds. Compaction only reads files and never delays a commit. `docs/store.md` draws the files
//! to the byte.
//!
//! A start detects damage as follows. Each frame has the checksum of the frame before, each log and
//! image has its position in that chain, and the manifest names the current log and the position
//! that it has reached. So a missing, emptied or truncated file is rejected, and so is corruption
//! anywhere before the end of the last log. An incomplete last frame after the position in the
//! manifest was torn by a crash and never acknowledged; it is truncated. The manifest is synced for
//! each new log and when the store is closed. In between, its position of each commit survives the
//! process, but a power loss may take back the last seconds of it: if the disk also loses synced
//! frames, a log that is truncated between two of those cannot be distinguished from a complete
//! one.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::batch::{Batch, Visitor};
use super::contract::Store;
use super::directory::{Background, Directory};
use super::files::{self, Files};
use super::held::HeldNotes;
use super::note::{Note, NoteValue};
use super::os::OsDirectory;
use super::recover::{PreviousUse, Recovered, recover};
use super::replay::{self, LogEnd};
use super::writer::{Writer, is_no_space};
use crate::at;
use crate::store::format::frame;
use crate::store::format::image;
use crate::store::format::manifest::{LogMark, Manifest, ManifestNote};

/// A log of this many bytes is closed and compacted.
pub const LOG_MAX: u64 = 64 << 20;
/// The number of logs at a start above which they are compacted at once.
const LOGS_MAX: u64 = 8;

/// A directory with logs and an image; only one process may open it at a time.
#[derive(Debug)]
pub struct LogStore {
    place: PathBuf,
    directory: Arc<dyn Directory>,
    log_max: u64,
    /// Until it is read.
    held: Option<HeldNotes>,
    manifest: Manifest,
    /// The last log before this start, and the position of the chain at its end.
    before: LogMark,
    /// `None`: the disk was full when the store was opened, and no log could be created since.
    writer: Option<Writer>,
    /// A log that has been created and that the manifest may already name.
    next: Option<Writer>,
    /// The writes that are not durable yet.
    frame: Vec<u8>,
    /// The size in bytes at which the next log is due.
    rotate_at: u64,
    health: Health,
    fold: Option<Background>,
    previous: PreviousUse,
    note: Option<NoteValue>,
}

/// The condition of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Good,
    /// The content after the end of the log is unknown: the next write goes to a new log.
    Doubtful,
    /// The files were moved or removed, or belong to another process.
    Displaced,
}

impl LogStore {
    /// Opens a directory, and creates it if it does not exist. A store on a full disk is opened if
    /// it is there: it can be read, and takes writes once there is room.
    ///
    /// # Errors
    /// When the directory cannot be used, is in use, has corrupt data, or has no store but other
    /// files.
    pub fn open(dir: &Path) -> io::Result<Self> {
        Self::open_with(dir, LOG_MAX)
    }

    /// Opens a directory, with compaction of logs of `log_max` bytes.
    ///
    /// # Errors
    /// As [`LogStore::open`].
    pub fn open_with(dir: &Path, log_max: u64) -> io::Result<Self> {
        // Before the lock file is created: a directory of others must stay as it is.
        files::refuse_foreign(dir).map_err(at(dir.display()))?;
        let directory = OsDirectory::open(dir).map_err(at(dir.display()))?;
        Self::open_on(Arc::new(directory), dir, log_max)
    }

    /// Opens any implementation of a directory; errors name it `place`.
    ///
    /// # Errors
    /// As [`LogStore::open`].
    pub fn open_on(directory: Arc<dyn Directory>, place: &Path, log_max: u64) -> io::Result<Self> {
        Self::open_in(directory, place, log_max).map_err(at(place.display()))
    }

    fn open_in(directory: Arc<dyn Directory>, place: &Path, log_max: u64) -> io::Result<Self> {
        let Recovered { mut held, manifest, end, logs, log_bytes, previous, note } =
            recover(&*directory)?;
        if logs > LOGS_MAX || log_bytes > log_max {
            match put_image(&*directory, end, &held) {
                Ok(()) => {
                    held = HeldNotes::latest(&*directory, &Files::scan(&*directory)?)?;
                    tell(place, remove_folded(&*directory, end));
                }
                // The logs still exist.
                Err(error) => tell(place, Err(error)),
            }
        }
        let mut frame = Vec::new();
        frame::begin(&mut frame);
        let mut store = Self {
            place: place.to_owned(),
            directory,
            log_max,
            held: Some(held),
            manifest,
            before: end,
            writer: None,
            next: None,
            frame,
            rotate_at: log_max,
            health: Health::Doubtful,
            fold: None,
            previous,
            note,
        };
        match store.begin_next() {
            Err(error) if is_no_space(&error) => {
                let data = place.display();
                tracing::error!(%data, %error, "the store can be read, but takes no writes");
                Ok(store)
            }
            begun => begun.map(|()| store),
        }
    }

    /// What this start found in the directory.
    #[must_use]
    pub const fn previous_use(&self) -> PreviousUse {
        self.previous
    }

    /// Writes the frame to the log, or to a new one if this one is in doubt.
    fn commit(&mut self) -> io::Result<()> {
        match self.health {
            Health::Good => {}
            Health::Doubtful => self.begin_next()?,
            Health::Displaced => return Err(displaced()),
        }
        self.health = Health::Doubtful;
        let writer = self.writer.as_mut().expect("a log has begun");
        writer.append(&mut self.frame)?;
        // Writes to files that were moved or removed are not durable.
        if !writer.is_in_place(&*self.directory)? {
            self.health = Health::Displaced;
            return Err(displaced());
        }
        self.health = Health::Good;
        frame::begin(&mut self.frame);
        // The position in the manifest may lag behind.
        let _unnoted = self.manifest.reach(self.end());
        Ok(())
    }

    /// The end of the last log.
    fn end(&self) -> LogMark {
        self.writer.as_ref().map_or(self.before, Writer::end)
    }

    fn len(&self) -> u64 {
        self.writer.as_ref().map_or(0, Writer::len)
    }

    /// Creates the next log and continues there.
    fn begin_next(&mut self) -> io::Result<()> {
        let next = match self.next.take() {
            Some(next) => next,
            None => {
                let first = self.frame.len();
                Writer::create(&*self.directory, self.log_max, self.end(), first)?
            }
        };
        let noted = self.manifest.begin(next.begin());
        if let Err(error) = noted {
            // The manifest may name the new log from now on, so nothing may be added to the old
            // one.
            self.health = Health::Doubtful;
            self.next = Some(next);
            return Err(error);
        }
        self.writer = Some(next);
        self.health = Health::Good;
        self.rotate_at = self.log_max;
        Ok(())
    }

    /// Continues in the next log and compacts the closed ones, unless a compaction is running.
    fn rotate(&mut self) {
        if let Some(fold) = self.fold.take_if(|fold| fold.is_finished()) {
            tell(&self.place, fold.join());
        }
        if self.fold.is_some() {
            return;
        }
        let closed = self.end();
        if let Err(error) = self.begin_next() {
            // This log may grow longer; retry soon.
            self.rotate_at = self.len() + self.log_max / 64;
            return tell(&self.place, Err(error));
        }
        let directory = self.directory.clone();
        let fold = self.directory.spawn(Box::new(move || fold(&*directory, closed)));
        match fold {
            Ok(fold) => self.fold = Some(fold),
            Err(error) => tell(&self.place, Err(error)),
        }
    }
}

impl Store for LogStore {
    fn read(&mut self, each: Visitor<'_>) -> io::Result<()> {
        let held = self.held.take();
        let held = held.ok_or_else(|| {
            io::Error::other("a store can be read only once, before the first write")
        })?;
        held.read(&*self.directory, each).map_err(at(self.place.display()))
    }

    fn takes_writes(&self) -> bool {
        self.writer.is_some()
    }

    fn write(&mut self, batch: &Batch) {
        self.frame.extend_from_slice(batch.as_bytes());
    }

    fn note(&mut self) -> io::Result<(Option<NoteValue>, Box<dyn Note>)> {
        let note = ManifestNote::open(&*self.directory).map_err(at(self.place.display()))?;
        Ok((self.note, Box::new(note)))
    }

    fn sync(&mut self) -> io::Result<()> {
        if frame::is_empty(&self.frame) {
            // Whether the disk has room again.
            let begun = if self.writer.is_some() { Ok(()) } else { self.begin_next() };
            return begun.map_err(at(self.place.display()));
        }
        // A compaction removes the files that it reads.
        self.held = None;
        self.commit().map_err(at(self.place.display()))?;
        if self.len() >= self.rotate_at {
            self.rotate();
        }
        Ok(())
    }
}

impl Drop for LogStore {
    fn drop(&mut self) {
        if let Some(fold) = self.fold.take() {
            // If the compaction has failed, the logs still exist, so no data is lost.
            let _unfolded = fold.join();
        }
        if self.health == Health::Good && frame::is_empty(&self.frame) {
            // Without the mark, the next start only does more work than necessary.
            let _unmarked = self.manifest.close(LogMark { is_clean: true, ..self.end() });
        }
    }
}

/// Writes an image of all logs up to the end of a closed one, and removes them.
fn fold(directory: &dyn Directory, closed: LogMark) -> io::Result<()> {
    let files = Files::scan(directory)?;
    let mut held = HeldNotes::latest(directory, &files)?;
    let (logs, end) = ((files.first_log(), closed.log), LogEnd::At(closed.position));
    (held.changes, _) = replay::logs(directory, held.position(), logs, end)?;
    put_image(directory, closed, &held)?;
    remove_folded(directory, closed)
}

/// Writes an image of the content up to a position.
fn put_image(directory: &dyn Directory, end: LogMark, held: &HeldNotes) -> io::Result<()> {
    image::put(directory, end.log, end.position, |each| held.read(directory, each))
}

/// Removes the files that an image up to a position replaces.
fn remove_folded(directory: &dyn Directory, end: LogMark) -> io::Result<()> {
    Files::scan(directory)?.remove_before(directory, Some(end.log))
}

/// Logs an error that does not affect durability.
fn tell(place: &Path, done: io::Result<()>) {
    if let Err(error) = done {
        let place = place.display();
        tracing::warn!(%place, %error, "cannot compact the log: it keeps growing");
    }
}

fn displaced() -> io::Error {
    io::Error::other("moved or removed while in use")
}
