//! What a tree has in it, in words that are the same for the same trees.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher as _};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{FileType, Stat, lgetxattr, llistxattr, lstat};
use turnstile_host::wall_us;

/// Times that are as recent as this are those of calls, in seconds.
const RECENT: i64 = 100_000;

/// A time that was set, or that some call was made.
fn time(seconds: i64, nanoseconds: impl std::fmt::Display) -> String {
    let now = i64::try_from(wall_us() / 1_000_000).expect("it is not that late");
    if seconds > now - RECENT { "now".into() } else { format!("{seconds}.{nanoseconds}") }
}

/// A number that other bytes hardly have.
pub(super) fn sum(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// The names of extended attributes.
pub(super) fn names(list: &[u8]) -> String {
    let mut names: Vec<_> = list.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    names.sort_unstable();
    names.join(" ")
}

/// The attributes of a file.
pub(super) fn shown(stat: &Stat) -> String {
    let kind = FileType::from_raw_mode(stat.st_mode);
    let size = if kind == FileType::Directory { 0 } else { stat.st_size };
    let links = if kind == FileType::Directory { 0 } else { stat.st_nlink };
    format!(
        "{:o} {}:{} {links} links {size} bytes device {} changed {} {}",
        stat.st_mode,
        stat.st_uid,
        stat.st_gid,
        stat.st_rdev,
        time(stat.st_mtime, stat.st_mtime_nsec),
        time(stat.st_ctime, 0),
    )
}

/// Everything below a folder.
pub(super) fn tree(folder: &Path) -> String {
    let mut out = String::new();
    describe(folder, Path::new("."), &mut out);
    out
}

fn describe(folder: &Path, name: &Path, out: &mut String) {
    let path = folder.join(name);
    let Ok(stat) = lstat(&path) else {
        return writeln!(out, "{} is not there", name.display()).expect("text has room");
    };
    let kind = FileType::from_raw_mode(stat.st_mode);
    let content = match kind {
        FileType::RegularFile => content(&path),
        FileType::Symlink => format!("{:?}", fs::read_link(&path)),
        FileType::Directory
        | FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => String::new(),
    };
    let attributes = extended(&path);
    let (name_shown, shown) = (name.display(), shown(&stat));
    writeln!(out, "{name_shown}: {shown} {content}{attributes}").expect("text has room");
    if kind == FileType::Directory {
        let entries = fs::read_dir(&path).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort_unstable();
        for entry in names {
            describe(folder, &name.join(entry), out);
        }
    }
}

/// The most that is read of a file: the others are compared at their ends alone.
const READ_MAX: u64 = 160_000;

fn content(path: &Path) -> String {
    let read = || {
        let mut file = File::open(path)?;
        let size = file.metadata()?.size();
        let mut bytes = Vec::new();
        file.by_ref().take(READ_MAX).read_to_end(&mut bytes)?;
        if size > READ_MAX {
            std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(size - READ_MAX))?;
            file.read_to_end(&mut bytes)?;
        }
        std::io::Result::Ok(format!("sum {}", sum(&bytes)))
    };
    read().unwrap_or_else(|error| error.to_string())
}

fn extended(path: &Path) -> String {
    let mut list = vec![0; 4096];
    let Ok(length) = llistxattr(path, &mut list[..]) else { return " no attributes".into() };
    let mut names: Vec<&[u8]> = list[..length].split(|byte| *byte == 0).collect();
    names.sort_unstable();
    let mut out = String::new();
    let mut value = vec![0; 65_536];
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        let found = lgetxattr(path, name, &mut value[..]).map(|length| sum(&value[..length]));
        write!(out, " {}={found:?}", String::from_utf8_lossy(name)).expect("text has room");
    }
    out
}
