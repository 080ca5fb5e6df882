//! The operating system as the file server: open file description locks of whole files.
//!
//! Managers of one machine agree by them, with each other and with programs that lock the files
//! themselves. They are held until they are released, so no lock is ever lost.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::cache::CachedFile;
use crate::file_server::{FileServer, Reply, ServerLock};

/// How often a lock that another one is in the way of is tried again: at first, and at most.
pub(crate) const RETRY: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(16)];

/// A file whose whole lock is one of the operating system. A file that may not be written has no
/// exclusive locks.
#[derive(Debug)]
pub struct LocalFile<C> {
    shared: Arc<LockedFile<C>>,
    runtime: Handle,
}

#[derive(Debug)]
struct LockedFile<C> {
    cache: C,
    /// The open file by which it is locked, or by which that is tried.
    open: Mutex<Option<OpenFile>>,
}

#[derive(Debug)]
struct OpenFile {
    file: OwnedFd,
    is_locked: bool,
}

impl<C: CachedFile> LocalFile<C> {
    /// A file that nobody has locked yet.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    #[must_use]
    pub fn new(cache: C) -> Self {
        let shared = Arc::new(LockedFile { cache, open: Mutex::default() });
        Self { shared, runtime: Handle::current() }
    }
}

impl<C: CachedFile> LockedFile<C> {
    /// Replaces the lock. Without one, the file is closed.
    fn set(&self, lock: Option<ServerLock>) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(lock) = lock else {
            *open = None;
            return Ok(());
        };
        let mut opened = match open.take() {
            Some(opened) => opened,
            None => OpenFile { file: self.cache.open()?, is_locked: false },
        };
        let was_set = set(&opened.file, lock);
        opened.is_locked |= was_set.is_ok();
        *open = Some(opened);
        Ok(was_set?)
    }

    /// Closes the file if it is not locked.
    fn give_up(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.take_if(|opened| !opened.is_locked);
    }

    /// Tries until the lock is granted or nobody wants it any more.
    async fn wait(self: Arc<Self>, lock: ServerLock, reply: Reply) {
        let [mut pause, longest] = RETRY;
        while !reply.is_given_up() {
            tokio::select! {
                () = sleep(pause) => {}
                () = reply.given_up() => break,
            }
            match self.set(Some(lock)) {
                Ok(()) => return self.grant(&Handle::current(), lock, reply),
                Err(error) if is_busy(&error) => pause = longest.min(pause * 2),
                Err(error) => return self.refuse(lock, reply, &error),
            }
        }
        self.give_up();
    }

    fn refuse(&self, lock: ServerLock, reply: Reply, error: &io::Error) {
        let file = self.cache.name();
        tracing::error!(file, %error, "{lock} is refused by the system");
        reply.refused();
    }

    /// Answers with the lock, after copies from before it are dropped.
    fn grant(self: Arc<Self>, runtime: &Handle, lock: ServerLock, reply: Reply) {
        if !self.cache.is_stale() {
            return reply.granted(lock, 0, None);
        }
        runtime.spawn_blocking(move || {
            self.cache.drop_copies();
            reply.granted(lock, 0, None);
        });
    }

    fn release(&self, reply: Reply) {
        if let Err(error) = self.cache.write_back() {
            let file = self.cache.name();
            tracing::error!(file, %error, "changes are not written back");
        }
        // It releases the lock, which cannot fail.
        let _closed = self.set(None);
        reply.released();
    }
}

impl<C: CachedFile> FileServer for LocalFile<C> {
    fn lock(&self, lock: ServerLock, reply: Reply) {
        match self.shared.set(Some(lock)) {
            Ok(()) => self.shared.clone().grant(&self.runtime, lock, reply),
            Err(error) if is_busy(&error) => {
                reply.busy();
                self.runtime.spawn(self.shared.clone().wait(lock, reply));
            }
            Err(error) => self.shared.refuse(lock, reply, &error),
        }
    }

    fn extend(&self, reply: Reply) {
        reply.extended(0, None);
    }

    fn release(&self, reply: Reply) {
        if self.shared.cache.is_dirty() {
            let shared = self.shared.clone();
            self.runtime.spawn_blocking(move || shared.release(reply));
        } else {
            self.shared.release(reply);
        }
    }
}

fn is_busy(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EAGAIN)
}

/// Sets the lock of a whole file.
fn set(file: impl AsFd, lock: ServerLock) -> Result<(), Errno> {
    let kind = match lock {
        ServerLock::LockRead => libc::F_RDLCK,
        ServerLock::LockWrite => libc::F_WRLCK,
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
