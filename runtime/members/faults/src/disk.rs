//! The disk of a member: one of its own, in memory, that can be full; and damage to its log.

use std::fs::{File, OpenOptions, remove_file};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The size of a disk, in mebibytes.
const SIZE: u64 = 256;
/// What a disk writes at once, in bytes.
const SECTOR: u64 = 512;
/// What a file in memory occupies at least, in bytes.
const PAGE: u64 = 4_096;
/// The copy of the member's data.
const COPY: &str = "copy";
/// The file that fills it.
const FILLER: &str = "filler";

/// A mounted disk; dropping it unmounts it.
pub(crate) struct Disk(PathBuf);

impl Disk {
    /// Mounts an empty disk.
    pub(crate) fn mount(folder: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let size = format!("size={SIZE}m,mode=0700");
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", &size, "turnstile-faults"]).arg(folder);
        crate::tool::run(&mut command)?;
        Ok(Self(folder.to_owned()))
    }

    /// The directory of the member's data.
    pub(crate) fn data(&self) -> PathBuf {
        self.0.join("data")
    }

    /// Fills the disk. What the logs have reserved for later is taken from them first.
    pub(crate) fn fill(&self) -> io::Result<()> {
        for log in self.logs()? {
            let written = content(&log)?.next_multiple_of(PAGE);
            let rest = log.metadata()?.len().saturating_sub(written);
            if rest > 0 {
                let (at, rest) = (written.to_string(), rest.to_string());
                let mut command = Command::new("fallocate");
                command.args(["--punch-hole", "--offset", &at, "--length", &rest]).arg(&log);
                crate::tool::run(&mut command)?;
            }
        }
        let mut filler = File::create(self.0.join(FILLER))?;
        let block = vec![1; 64 << 10];
        // In smaller steps at the end, until no byte is left.
        for size in [block.len(), 4 << 10, 1] {
            loop {
                match filler.write_all(&block[..size]) {
                    Ok(()) => {}
                    Err(error) if error.kind() == io::ErrorKind::StorageFull => break,
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// Frees what [`Disk::fill`] took.
    pub(crate) fn free(&self) -> io::Result<()> {
        remove_file(self.0.join(FILLER))
    }

    /// Removes all that the member has.
    pub(crate) fn wipe(&self) -> io::Result<()> {
        std::fs::remove_dir_all(self.data())
    }

    /// Copies all that the member has.
    pub(crate) fn copy(&self) -> io::Result<()> {
        crate::tool::run(Command::new("cp").arg("-a").arg(self.data()).arg(self.0.join(COPY)))
    }

    /// Gives the member what it had when it was copied.
    pub(crate) fn go_back(&self) -> io::Result<()> {
        self.wipe()?;
        std::fs::rename(self.0.join(COPY), self.data())
    }

    /// Leaves a part of a write that was cut short behind the end of the log.
    pub(crate) fn tear(&self) -> io::Result<()> {
        let log = self.log()?;
        let end = content(&log)?;
        // A sector that reached the disk before the one in front of it.
        let sector = end.next_multiple_of(SECTOR);
        OpenOptions::new().write(true).open(log)?.write_all_at(&[0x5a; 100], sector)
    }

    /// Flips one bit in the middle of the log.
    pub(crate) fn flip(&self) -> io::Result<()> {
        let log = self.log()?;
        let at = content(&log)? / 2;
        let file = OpenOptions::new().read(true).write(true).open(log)?;
        let mut byte = [0];
        file.read_exact_at(&mut byte, at)?;
        file.write_all_at(&[byte[0] ^ 0x10], at)
    }

    /// The log with the most in it: the newest may have nothing but its head.
    fn log(&self) -> io::Result<PathBuf> {
        let mut logs = Vec::new();
        for path in self.logs()? {
            logs.push((content(&path)?, path));
        }
        let gone = || io::Error::new(io::ErrorKind::NotFound, "the member has no log");
        logs.into_iter().max().map(|(_, path)| path).ok_or_else(gone)
    }

    fn logs(&self) -> io::Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(self.data())?;
        let paths: io::Result<Vec<_>> = entries.map(|entry| Ok(entry?.path())).collect();
        let is_log = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "log");
        Ok(paths?.into_iter().filter(is_log).collect())
    }
}

/// The length of a file without the zeroes at its end, which are reserved for what comes.
fn content(file: &Path) -> io::Result<u64> {
    let bytes = std::fs::read(file)?;
    let zeroes = bytes.iter().rev().take_while(|byte| **byte == 0).count();
    Ok((bytes.len() - zeroes) as u64)
}

impl Drop for Disk {
    fn drop(&mut self) {
        // A process that has just been killed may have a file open still.
        if let Err(error) = crate::tool::run(Command::new("umount").arg("-l").arg(&self.0)) {
            eprintln!("faults: {error}");
        }
    }
}
