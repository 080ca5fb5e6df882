//! The durable store: an append-only log with one `fdatasync` a commit, folded into an image now
//! and then.
//!
//! A directory holds `lock`, `N.log` and at most one `N.image`, which stands for the logs up to N.
//! Every start opens a new log, so that nothing is written behind a torn frame. The file grows by
//! zeroed chunks ahead of the writes: a sync then has no change of size to journal, which on ext4
//! makes it several times as fast. Folding reads files only and never holds up a commit.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use super::{Batch, Image, Store, apply, frame};
use crate::trouble::at;

/// A log that has grown to this many bytes is closed and folded.
pub const LOG_MAX: u64 = 64 << 20;
/// The file grows by so many zeroes at a time.
const CHUNK_BYTES: u64 = 1 << 20;
/// More logs than this at a start are folded at once.
const LOGS_MAX: usize = 8;
/// An image is written in frames of about this many bytes.
const IMAGE_FRAME_BYTES: usize = 1 << 20;

/// A directory that holds logs and an image, open to one process at a time.
#[derive(Debug)]
pub struct LogStore {
    dir: PathBuf,
    log_max: u64,
    image: Option<Image>,
    log: Log,
    frame: Vec<u8>,
    fold: Option<JoinHandle<io::Result<()>>>,
    lock: Lock,
}

/// The file that keeps other servers out, for as long as it is open.
#[derive(Debug)]
struct Lock {
    path: PathBuf,
    file: File,
}

/// The log that is written now.
#[derive(Debug)]
struct Log {
    number: u64,
    file: File,
    end: u64,
    allocated: u64,
    sequence: u64,
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
        Self::open_in(dir, log_max).map_err(at(dir.display()))
    }

    fn open_in(dir: &Path, log_max: u64) -> io::Result<Self> {
        fs::create_dir_all(dir)?;
        let lock = Lock::take(dir)?;
        let found = Found::scan(dir)?;
        let last = found.last();
        let image = found.read(dir, last)?;
        if found.logs.len() > LOGS_MAX || found.log_bytes > log_max {
            put_image(dir, last, &image)?;
            found.remove(dir, last)?;
        }
        let log = Log::create(dir, last + 1)?;
        let frame = Vec::new();
        Ok(Self { dir: dir.to_owned(), log_max, image: Some(image), log, frame, fold: None, lock })
    }

    /// What is written to files that nobody will find is not kept.
    fn check_place(&self) -> io::Result<()> {
        if self.lock.is_in_place()? && self.log.file.metadata()?.nlink() > 0 {
            return Ok(());
        }
        Err(io::Error::other("moved or removed while it is in use"))
    }

    /// Closes the log, opens the next and folds what is closed, unless a fold is under way.
    fn rotate(&mut self) -> io::Result<()> {
        if let Some(fold) = self.fold.take_if(|fold| fold.is_finished()) {
            fold.join().map_err(|_| io::Error::other("folding the log has panicked"))??;
        }
        if self.fold.is_some() {
            return Ok(());
        }
        let closed = self.log.number;
        self.log = Log::create(&self.dir, closed + 1)?;
        let dir = self.dir.clone();
        let fold = std::thread::Builder::new().name("fold".into());
        self.fold = Some(fold.spawn(move || {
            let found = Found::scan(&dir)?;
            put_image(&dir, closed, &found.read(&dir, closed)?)?;
            found.remove(&dir, closed)
        })?);
        Ok(())
    }
}

impl Store for LogStore {
    fn load(&mut self) -> io::Result<Image> {
        self.image.take().ok_or_else(|| io::Error::other("a store is loaded once"))
    }

    fn write(&mut self, batch: &Batch) -> io::Result<()> {
        self.log.sequence += 1;
        frame::put_frame(&mut self.frame, self.log.sequence, &batch.entries);
        self.log.append(&self.frame).map_err(at(self.dir.display()))
    }

    fn sync(&mut self) -> io::Result<()> {
        let is_full = self.log.end >= self.log_max;
        let synced = self.log.file.sync_data().and_then(|()| self.check_place());
        let synced = synced.and_then(|()| if is_full { self.rotate() } else { Ok(()) });
        synced.map_err(at(self.dir.display()))
    }
}

impl Lock {
    fn take(dir: &Path) -> io::Result<Self> {
        let path = dir.join("lock");
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { path, file }),
            Err(TryLockError::WouldBlock) => {
                Err(io::Error::other("in use by another server: it has to end first"))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Whether the file is still where the next server will look for it.
    fn is_in_place(&self) -> io::Result<bool> {
        let own = self.file.metadata()?;
        let there = match fs::metadata(&self.path) {
            Ok(there) => there,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        Ok((own.dev(), own.ino()) == (there.dev(), there.ino()))
    }
}

impl Drop for LogStore {
    fn drop(&mut self) {
        if let Some(fold) = self.fold.take() {
            // The logs are still there if it has failed: nothing is lost, and nobody is left to
            // ask.
            let _unfolded = fold.join();
        }
    }
}

impl Log {
    fn create(dir: &Path, number: u64) -> io::Result<Self> {
        let path = dir.join(format!("{number}.log"));
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        let mut log = Self { number, file, end: 0, allocated: 0, sequence: 0 };
        log.allocate(1)?;
        log.file.sync_all()?;
        File::open(dir)?.sync_all()?;
        Ok(log)
    }

    fn append(&mut self, frame: &[u8]) -> io::Result<()> {
        let end = self.end + frame.len() as u64;
        self.allocate(end)?;
        self.file.write_all_at(frame, self.end)?;
        self.end = end;
        Ok(())
    }

    /// Fills the file with zeroes until it reaches beyond `end`.
    fn allocate(&mut self, end: u64) -> io::Result<()> {
        static ZEROES: [u8; CHUNK_BYTES as usize] = [0; CHUNK_BYTES as usize];
        while self.allocated < end {
            self.file.write_all_at(&ZEROES, self.allocated)?;
            self.allocated += CHUNK_BYTES;
        }
        Ok(())
    }
}

/// What a directory holds.
struct Found {
    image: Option<u64>,
    logs: Vec<u64>,
    log_bytes: u64,
}

impl Found {
    fn scan(dir: &Path) -> io::Result<Self> {
        let mut found = Self { image: None, logs: Vec::new(), log_bytes: 0 };
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let name = entry.file_name();
            let Some((number, kind)) = name.to_str().and_then(|name| name.split_once('.')) else {
                continue;
            };
            let Ok(number) = number.parse() else { continue };
            match kind {
                "image" => found.image = found.image.max(Some(number)),
                "log" => {
                    found.logs.push(number);
                    found.log_bytes += entry.metadata()?.len();
                }
                _ => {}
            }
        }
        found.logs.sort_unstable();
        Ok(found)
    }

    fn last(&self) -> u64 {
        self.logs.last().copied().max(self.image).unwrap_or(0)
    }

    /// The image and the logs up to `last`, in order.
    fn read(&self, dir: &Path, last: u64) -> io::Result<Image> {
        let mut image = Image::new();
        if let Some(number) = self.image {
            let bytes = fs::read(dir.join(format!("{number}.image")))?;
            let (rest, _) = read_frames(&mut image, &bytes)?;
            if !rest.is_empty() {
                return Err(damaged(format!("{number}.image is damaged")));
            }
        }
        let logs = self.logs.iter().filter(|number| Some(**number) > self.image);
        for (next, number) in (self.image.unwrap_or(0) + 1..).zip(logs) {
            if *number != next {
                return Err(damaged(format!("{next}.log is missing")));
            }
            if *number <= last {
                let bytes = fs::read(dir.join(format!("{number}.log")))?;
                let (rest, sequence) = read_frames(&mut image, &bytes)?;
                if frame::is_any_behind(rest, sequence) {
                    let place = bytes.len() - rest.len();
                    return Err(damaged(format!("{number}.log is damaged at byte {place}")));
                }
            }
        }
        Ok(image)
    }

    /// Removes what the image of `last` stands for.
    fn remove(&self, dir: &Path, last: u64) -> io::Result<()> {
        for number in self.logs.iter().filter(|number| **number <= last) {
            fs::remove_file(dir.join(format!("{number}.log")))?;
        }
        if let Some(number) = self.image.filter(|number| *number < last) {
            fs::remove_file(dir.join(format!("{number}.image")))?;
        }
        Ok(())
    }
}

/// What was answered is lost: it takes a person to say what is so instead.
fn damaged(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Applies whole frames and returns what is behind the last, and the number that would be next.
fn read_frames<'a>(image: &mut Image, bytes: &'a [u8]) -> io::Result<(&'a [u8], u64)> {
    let mut rest = bytes;
    let mut sequence = 1;
    while let Some(entries) = frame::take_frame(&mut rest, sequence) {
        apply(image, entries)?;
        sequence += 1;
    }
    Ok((rest, sequence))
}

/// Writes an image beside the old one and moves it into place.
fn put_image(dir: &Path, number: u64, image: &Image) -> io::Result<()> {
    let path = dir.join("image.new");
    let mut file = io::BufWriter::new(File::create(&path)?);
    let (mut entries, mut out, mut sequence) = (Vec::new(), Vec::new(), 0);
    let mut put = |entries: &mut Vec<u8>| {
        if entries.is_empty() {
            return Ok(());
        }
        sequence += 1;
        frame::put_frame(&mut out, sequence, entries);
        entries.clear();
        file.write_all(&out)
    };
    for (key, value) in image {
        frame::put_entry(&mut entries, key, Some(value));
        if entries.len() >= IMAGE_FRAME_BYTES {
            put(&mut entries)?;
        }
    }
    put(&mut entries)?;
    file.flush()?;
    file.get_ref().sync_all()?;
    fs::rename(path, dir.join(format!("{number}.image")))?;
    File::open(dir)?.sync_all()
}
