//! A user: a thread that has the rights of one, a folder of its own, and open files.

use std::fs::File;
use std::io::{IoSlice, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use rustix::fs::{CWD, Mode, OFlags, fallocate, fcntl_getfl, fcntl_setfl, fstat, openat};
use rustix::fs::{Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};
use rustix::fs::{copy_file_range, fchmod, fchown, futimens};
use rustix::io::Errno;
use rustix::process::{chdir, umask};
use rustix::thread::{
    Gid, Uid, UnshareFlags, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
    unshare_unsafe,
};

use super::call::{FileCall, OpenFileCall, SLOTS, Stamp};
use super::{path, state};
use crate::locks::{Kind, lock_open_file};
use crate::support::SOON;

/// What is asked of a user.
enum Order {
    /// Another folder, without any open files.
    Begin(std::path::PathBuf),
    /// A call, under the lock of its file or not.
    Make(FileCall, bool),
}

/// A user, as its test has it. It ends with it.
pub(crate) struct User {
    orders: Sender<Order>,
    answers: Receiver<String>,
}

impl User {
    pub(crate) fn start(user: u32, groups: &[u32]) -> Self {
        let (orders, ordered) = mpsc::channel();
        let (answer, answers) = mpsc::channel();
        let groups: Vec<Gid> = groups.iter().copied().map(Gid::from_raw).collect();
        thread::spawn(move || {
            become_user(user, &groups);
            let mut served = ServedUser { slots: Default::default() };
            while let Ok(order) = ordered.recv() {
                if answer.send(served.obey(order)).is_err() {
                    break;
                }
            }
        });
        Self { orders, answers }
    }

    pub(crate) fn begin(&self, folder: &Path) {
        self.orders.send(Order::Begin(folder.into())).expect("it runs");
        self.answer().expect("it is there");
    }

    /// Makes a call.
    pub(crate) fn make(&self, call: &FileCall, is_locked: bool) -> Result<String, String> {
        self.orders.send(Order::Make(call.clone(), is_locked)).expect("it runs");
        self.answer()
    }

    fn answer(&self) -> Result<String, String> {
        self.answers.recv_timeout(SOON).map_err(|_| format!("no answer within {SOON:?}"))
    }
}

/// Gives this thread the rights of a user, and a folder and a umask of its own.
#[expect(unsafe_code, reason = "descriptors stay shared, so that none is another one's")]
fn become_user(user: u32, groups: &[Gid]) {
    // SAFETY: see above.
    unsafe { unshare_unsafe(UnshareFlags::FS) }.expect("it is root's");
    set_thread_groups(groups).expect("it is root's");
    let (user, group) = (Uid::from_raw(user), Gid::from_raw(user));
    set_thread_res_gid(group, group, group).expect("it is root's");
    set_thread_res_uid(user, user, user).expect("it is root's");
}

/// A user, as it has itself.
struct ServedUser {
    /// Those of each mount.
    slots: [Option<File>; 2 * SLOTS],
}

impl ServedUser {
    fn obey(&mut self, order: Order) -> String {
        match order {
            Order::Begin(folder) => {
                self.slots = Default::default();
                umask(Mode::from_raw_mode(0o022));
                format!("{:?}", chdir(folder))
            }
            Order::Make(call, false) => self.answer(&call),
            Order::Make(call, true) => {
                // A lock of an open file is released with it, unless that is the call's own.
                let locked = self.lock(&call);
                let answer = self.answer(&call);
                self.unlock(&call);
                drop(locked);
                answer
            }
        }
    }

    fn answer(&mut self, call: &FileCall) -> String {
        self.make(call).unwrap_or_else(|error| {
            format!("{:?}", nix::errno::Errno::from_raw(error.raw_os_error()))
        })
    }

    /// Locks the file that a call is about, if it is open, or can be opened.
    fn lock(&self, call: &FileCall) -> Option<File> {
        if let FileCall::Copy { from, to, .. } = call {
            let [from, to] = [from, to].map(|slot| self.slots[*slot].as_ref());
            if let Some((from, to)) = from.zip(to) {
                lock_somehow(to);
                // Open twice, it would wait for itself.
                if inode(from) != inode(to) {
                    lock_somehow(from);
                }
                // As programs do: the kernel copies no more than the size that it knows.
                let _sizes = [from, to].map(inode);
            }
            return None;
        }
        if let Some(own) = call.slot().and_then(|slot| self.slots[slot].as_ref()) {
            lock_somehow(own);
            return None;
        }
        let open = |flags| openat(CWD, call.path()?, flags | OFlags::NONBLOCK, Mode::empty()).ok();
        let file = File::from(open(OFlags::RDWR).or_else(|| open(OFlags::RDONLY))?);
        lock_somehow(&file);
        Some(file)
    }

    fn unlock(&self, call: &FileCall) {
        let slots = match call {
            FileCall::Copy { from, to, .. } => [Some(*from), Some(*to)],
            FileCall::Open { .. }
            | FileCall::Close { .. }
            | FileCall::OnOpen { .. }
            | FileCall::OnPath { .. }
            | FileCall::Umask(_) => [call.slot(), None],
        };
        for own in slots.into_iter().flatten().filter_map(|slot| self.slots[slot].as_ref()) {
            let _not_locked = lock_open_file(own, Kind::Unlock, 0, 0);
        }
    }

    fn slot(&mut self, slot: usize) -> Result<&mut File, Errno> {
        self.slots[slot].as_mut().ok_or(Errno::BADF)
    }

    fn make(&mut self, call: &FileCall) -> Result<String, Errno> {
        match call {
            FileCall::Open { slot, path, flags, mode } => {
                self.slots[*slot] = None;
                let mode = Mode::from_raw_mode(*mode);
                let file: OwnedFd = openat(CWD, *path, *flags | OFlags::CLOEXEC, mode)?;
                self.slots[*slot] = Some(file.into());
            }
            FileCall::Close { slot } => drop(self.slots[*slot].take().ok_or(Errno::BADF)?),
            FileCall::OnOpen { slot, call } => return on_open(self.slot(*slot)?, call),
            FileCall::OnPath { path, call } => return path::make(path, call),
            FileCall::Copy { from, to, length } => {
                let from = self.slots[*from].as_ref().ok_or(Errno::BADF)?;
                let to = self.slots[*to].as_ref().ok_or(Errno::BADF)?;
                return copy_file_range(from, None, to, None, *length).map(|n| n.to_string());
            }
            FileCall::Umask(mask) => drop(umask(Mode::from_raw_mode(*mask))),
        }
        Ok("ok".into())
    }
}

fn inode(file: &File) -> Option<u64> {
    fstat(file).ok().map(|stat| stat.st_ino)
}

/// Locks a file as far as it is open. A directory, or a pipe, has no lock.
fn lock_somehow(file: &File) {
    let locked = lock_open_file(file, Kind::Write, 0, 0);
    let _not_locked = locked.or_else(|_| lock_open_file(file, Kind::Read, 0, 0));
}

fn on_open(file: &mut File, call: &OpenFileCall) -> Result<String, Errno> {
    let done = |outcome: Result<(), Errno>| outcome.map(|()| "ok".into());
    match call {
        OpenFileCall::Read(length) => read(*length, |buffer| file.read(buffer)),
        OpenFileCall::ReadAt(at, length) => read(*length, |buffer| file.read_at(buffer, *at)),
        OpenFileCall::Write(length, byte) => number(file.write(&vec![*byte; *length])),
        OpenFileCall::WriteAt(at, length, byte) => {
            let data = vec![*byte; *length];
            let flags = rustix::io::ReadWriteFlags::empty();
            Ok(rustix::io::pwritev2(file, &[IoSlice::new(&data)], *at, flags)?.to_string())
        }
        OpenFileCall::SetAppend(on) => {
            let flags = fcntl_getfl(&file)?;
            let flags = if *on { flags | OFlags::APPEND } else { flags - OFlags::APPEND };
            done(fcntl_setfl(&file, flags))
        }
        // Where the end of a directory is, each file system has its own number for.
        OpenFileCall::Seek(_) if file.metadata().map_err(errno)?.is_dir() => Ok("no file".into()),
        OpenFileCall::Seek(to) => number(file.seek(*to)),
        OpenFileCall::Truncate(size) => done(rustix::fs::ftruncate(file, *size)),
        OpenFileCall::Allocate { mode, at, length } => done(fallocate(file, *mode, *at, *length)),
        OpenFileCall::Stat => Ok(state::shown(&fstat(file)?)),
        OpenFileCall::Sync => done(rustix::fs::fsync(file)),
        OpenFileCall::Chmod(mode) => done(fchmod(file, Mode::from_raw_mode(*mode))),
        OpenFileCall::Chown(user, group) => {
            done(fchown(file, user.map(Uid::from_raw), group.map(Gid::from_raw)))
        }
        OpenFileCall::Times(access, change) => done(futimens(file, &times(*access, *change))),
    }
}

/// What was read: how much, and a sum of it.
fn read(
    length: usize,
    read: impl FnOnce(&mut [u8]) -> std::io::Result<usize>,
) -> Result<String, Errno> {
    let mut buffer = vec![0; length];
    let length = read(&mut buffer).map_err(errno)?;
    Ok(format!("{length} {}", state::sum(&buffer[..length])))
}

fn number(outcome: std::io::Result<impl ToString>) -> Result<String, Errno> {
    outcome.map(|number| number.to_string()).map_err(errno)
}

fn errno(error: std::io::Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::IO)
}

pub(super) fn times(access: Option<Stamp>, change: Option<Stamp>) -> Timestamps {
    let time = |stamp| match stamp {
        Some(Stamp::At(tv_sec, tv_nsec)) => Timespec { tv_sec, tv_nsec },
        Some(Stamp::Now) => Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
        None => Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
    };
    Timestamps { last_access: time(access), last_modification: time(change) }
}
