//! The durable store: an append-only log with one `fdatasync` a commit, folded into an image now
//! and then.
//!
//! A directory holds `lock`, `manifest`, `N.log` and at most one `N.image`, which stands for the
//! logs up to N. Every start opens a new log, so that nothing is written behind a torn frame, and
//! so does a commit after one that failed: what a failed sync was to write may be lost even if a
//! later one succeeds. Folding reads files only and never holds up a commit.
//!
//! What can be told apart at a start: each frame names the checksum of the one before, each log and
//! image where it stands in that chain, and the manifest which log is written and how far it has
//! come. So a missing, emptied or cut file is refused, and so is damage anywhere before the end of
//! the last log. Behind what the manifest vouches for, a last frame that is not whole is one that a
//! crash has torn and nobody was answered from, and it is cut off. The manifest is synced for each
//! new log and when the store is closed; between, its word of each commit outlives the process, but
//! a power loss may take back the last seconds of it: a log that is cut between two frames of
//! those, by a disk that loses what it has synced, looks as if it had never been longer.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::directory::{Background, Directory};
use super::files::Files;
use super::frame;
use super::held::Held;
use super::image;
use super::manifest::{Manifest, Mark};
use super::os::OsDirectory;
use super::recover::{Recovered, recover};
use super::replay::{self, End};
use super::writer::Writer;
use super::{Batch, Each, Store};
use crate::at;

/// A log that has grown to this many bytes is closed and folded.
pub const LOG_MAX: u64 = 64 << 20;
/// More logs than this at a start are folded at once.
const LOGS_MAX: u64 = 8;

/// A directory that holds logs and an image, open to one process at a time.
#[derive(Debug)]
pub struct LogStore {
    place: PathBuf,
    directory: Arc<dyn Directory>,
    log_max: u64,
    /// Until it is read.
    held: Option<Held>,
    manifest: Manifest,
    writer: Writer,
    /// A log that is made and that the manifest may name already.
    next: Option<Writer>,
    /// What is not on disk yet.
    frame: Vec<u8>,
    /// Beyond so many bytes the next log is due.
    rotate_at: u64,
    health: Health,
    fold: Option<Background>,
}

/// What a store can still do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Good,
    /// What is behind the end of the log is unknown: the next write goes to another.
    Doubtful,
    /// Its files are somebody else's, or nobody's.
    Displaced,
}

impl LogStore {
    /// Opens a directory, which is made if it is not there.
    ///
    /// # Errors
    /// When the directory cannot be used, is in use, or holds what no store has written.
    pub fn open(dir: &Path) -> io::Result<Self> {
        Self::open_with(dir, LOG_MAX)
    }

    /// Opens a directory and folds a log that has grown to `log_max` bytes.
    ///
    /// # Errors
    /// As [`LogStore::open`].
    pub fn open_with(dir: &Path, log_max: u64) -> io::Result<Self> {
        let directory = OsDirectory::open(dir).map_err(at(dir.display()))?;
        Self::open_on(Arc::new(directory), dir, log_max)
    }

    /// Opens a directory that may be none of the file system's; errors call it `place`.
    ///
    /// # Errors
    /// As [`LogStore::open`].
    pub fn open_on(directory: Arc<dyn Directory>, place: &Path, log_max: u64) -> io::Result<Self> {
        Self::open_in(directory, place, log_max).map_err(at(place.display()))
    }

    fn open_in(directory: Arc<dyn Directory>, place: &Path, log_max: u64) -> io::Result<Self> {
        let Recovered { mut held, manifest, end, logs, log_bytes } = recover(&*directory)?;
        if logs > LOGS_MAX || log_bytes > log_max {
            match put_image(&*directory, end, &held) {
                Ok(()) => {
                    held = Held::latest(&*directory, &Files::scan(&*directory)?)?;
                    tell(place, remove_folded(&*directory, end));
                }
                // The logs are there still.
                Err(error) => tell(place, Err(error)),
            }
        }
        let writer = Writer::create(&*directory, log_max, end)?;
        manifest.begin(writer.begin())?;
        let mut frame = Vec::new();
        frame::begin(&mut frame);
        Ok(Self {
            place: place.to_owned(),
            directory,
            log_max,
            held: Some(held),
            manifest,
            writer,
            next: None,
            frame,
            rotate_at: log_max,
            health: Health::Good,
            fold: None,
        })
    }

    /// Writes the frame to the log, or to the next if this one is doubtful.
    fn commit(&mut self) -> io::Result<()> {
        match self.health {
            Health::Good => {}
            Health::Doubtful => self.begin_next()?,
            Health::Displaced => return Err(displaced()),
        }
        self.health = Health::Doubtful;
        self.writer.append(&mut self.frame)?;
        // What is written to files that nobody will find is not kept.
        if !self.writer.is_in_place(&*self.directory)? {
            self.health = Health::Displaced;
            return Err(displaced());
        }
        self.health = Health::Good;
        frame::begin(&mut self.frame);
        // It says too little then, as it may.
        let _unnoted = self.manifest.reach(self.writer.end());
        Ok(())
    }

    /// Makes the next log and goes on there.
    fn begin_next(&mut self) -> io::Result<()> {
        let next = match self.next.take() {
            Some(next) => next,
            None => Writer::create(&*self.directory, self.log_max, self.writer.end())?,
        };
        let noted = self.manifest.begin(next.begin());
        if let Err(error) = noted {
            // The manifest may name it from now on: nothing may be added to the log before it.
            self.health = Health::Doubtful;
            self.next = Some(next);
            return Err(error);
        }
        self.writer = next;
        self.health = Health::Good;
        self.rotate_at = self.log_max;
        Ok(())
    }

    /// Goes on in the next log and folds what is closed, unless a fold is under way.
    fn rotate(&mut self) {
        if let Some(fold) = self.fold.take_if(|fold| fold.is_finished()) {
            tell(&self.place, fold.join());
        }
        if self.fold.is_some() {
            return;
        }
        let closed = self.writer.end();
        if let Err(error) = self.begin_next() {
            // This log can be longer, and it is tried again before long.
            self.rotate_at = self.writer.len() + self.log_max / 64;
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
    fn read(&mut self, each: Each<'_>) -> io::Result<()> {
        let held = self.held.take();
        let held =
            held.ok_or_else(|| io::Error::other("a store is read once, and first of all"))?;
        held.read(&*self.directory, each).map_err(at(self.place.display()))
    }

    fn write(&mut self, batch: &Batch) {
        self.frame.extend_from_slice(&batch.entries);
    }

    fn sync(&mut self) -> io::Result<()> {
        if frame::is_empty(&self.frame) {
            return Ok(());
        }
        // A fold removes the files that it is in.
        self.held = None;
        self.commit().map_err(at(self.place.display()))?;
        if self.writer.len() >= self.rotate_at {
            self.rotate();
        }
        Ok(())
    }
}

impl Drop for LogStore {
    fn drop(&mut self) {
        if let Some(fold) = self.fold.take() {
            // The logs are there still if it has failed: nothing is lost, and nobody is left to
            // ask.
            let _unfolded = fold.join();
        }
        if self.health == Health::Good && frame::is_empty(&self.frame) {
            // Without the mark the next start takes more care than it needs.
            let _unmarked = self.manifest.close(Mark { is_clean: true, ..self.writer.end() });
        }
    }
}

/// Makes an image of all logs up to the end of one that is closed, and removes them.
fn fold(directory: &dyn Directory, closed: Mark) -> io::Result<()> {
    let files = Files::scan(directory)?;
    let mut held = Held::latest(directory, &files)?;
    let (logs, end) = ((files.first_log(), closed.log), End::At(closed.position));
    (held.changes, _) = replay::logs(directory, held.position(), logs, end)?;
    put_image(directory, closed, &held)?;
    remove_folded(directory, closed)
}

/// Writes an image of what is held up to a place.
fn put_image(directory: &dyn Directory, end: Mark, held: &Held) -> io::Result<()> {
    image::put(directory, end.log, end.position, |each| held.read(directory, each))
}

/// Removes what an image up to a place stands for.
fn remove_folded(directory: &dyn Directory, end: Mark) -> io::Result<()> {
    Files::scan(directory)?.remove_before(directory, Some(end.log))
}

/// Says what has gone wrong beside the commits, which nothing that was answered depends on.
fn tell(place: &Path, done: io::Result<()>) {
    if let Err(error) = done {
        let place = place.display();
        tracing::warn!(%place, %error, "the log cannot be folded yet: it grows");
    }
}

fn displaced() -> io::Error {
    io::Error::other("moved or removed while it is in use")
}
