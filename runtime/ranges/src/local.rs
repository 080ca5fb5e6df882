//! The operating system as the file server: open file description locks of whole files.
//!
//! Managers of one machine agree by them, with each other and with programs that lock the files
//! themselves. They are held until they are released, so no lock is ever lost.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::file_server::{FileServer, Reply, ServerLock};

/// How often a lock that another one is in the way of is tried again.
const RETRY: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(16)];

/// A file whose whole lock is one of the operating system.
#[derive(Debug)]
pub struct LocalFile {
    file: Arc<OwnedFd>,
    runtime: Handle,
}

impl LocalFile {
    /// The file at a path. A file that may not be written has no exclusive locks.
    ///
    /// # Errors
    /// When the file cannot be opened.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn open(path: &Path) -> io::Result<Self> {
        let both = OpenOptions::new().read(true).write(true).open(path);
        let file = both.or_else(|_| File::open(path))?;
        Ok(Self::new(file.into()))
    }

    /// An open file. Nobody else may use this open file description for locks.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    #[must_use]
    pub fn new(file: OwnedFd) -> Self {
        Self { file: Arc::new(file), runtime: Handle::current() }
    }
}

impl FileServer for LocalFile {
    fn lock(&self, lock: ServerLock, reply: Reply) {
        match set(&self.file, Some(lock)) {
            Ok(()) => reply.granted(lock, 0, None),
            Err(Errno::EAGAIN | Errno::EACCES) => {
                reply.busy();
                self.runtime.spawn(wait(self.file.clone(), lock, reply));
            }
            Err(error) => refuse(lock, reply, error),
        }
    }

    fn extend(&self, reply: Reply) {
        reply.extended(0, None);
    }

    fn release(&self, reply: Reply) {
        if let Err(error) = set(&self.file, None) {
            tracing::error!(%error, "the lock of a file cannot be released");
        }
        reply.released();
    }
}

/// Tries until the lock is granted or nobody wants it any more.
async fn wait(file: Arc<OwnedFd>, lock: ServerLock, reply: Reply) {
    let [mut pause, longest] = RETRY;
    while !reply.is_given_up() {
        tokio::select! {
            () = sleep(pause) => {}
            () = reply.given_up() => return,
        }
        match set(&file, Some(lock)) {
            Ok(()) => return reply.granted(lock, 0, None),
            Err(Errno::EAGAIN | Errno::EACCES) => pause = longest.min(pause * 2),
            Err(error) => return refuse(lock, reply, error),
        }
    }
}

fn refuse(lock: ServerLock, reply: Reply, error: Errno) {
    tracing::error!(%error, "{lock} of a file is refused by the system");
    reply.refused();
}

/// Replaces the lock of the whole file.
fn set(file: impl AsFd, lock: Option<ServerLock>) -> Result<(), Errno> {
    let kind = match lock {
        None => libc::F_UNLCK,
        Some(ServerLock::LockRead) => libc::F_RDLCK,
        Some(ServerLock::LockWrite) => libc::F_WRLCK,
    };
    let whole = libc::flock {
        l_type: i16::try_from(kind).expect("a type of a lock is a small number"),
        l_whence: i16::try_from(libc::SEEK_SET).expect("it is zero"),
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    };
    fcntl(file, FcntlArg::F_OFD_SETLK(&whole)).map(|_| ())
}
