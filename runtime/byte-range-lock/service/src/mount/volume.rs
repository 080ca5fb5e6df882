//! The directory that is passed on, and what all of its files share.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use polyfuse::Notifier;
use polyfuse::op::LockOwner;
use rustix::fs::{Mode, OFlags, Stat, fdatasync, open};
use rustix::io::Errno;

use super::descriptors::Descriptors;
use super::handles::{Handle, Handles};
use super::inodes::{Inode, Inodes};
use super::options::{Locking, MountOptions};
use super::seen::{is_distinct, seen};
use super::stat::SET_IDS;
use super::waits::Waits;
use crate::claims::ClaimedFile;
use crate::local::LocalFile;
use crate::{Access, ByteRange, CachedFile, File, Manager, Owner, WHOLE_FILE};

/// The directory that is passed on.
#[derive(Debug)]
pub(super) struct Volume {
    pub(super) inodes: Inodes,
    pub(super) handles: Handles,
    pub(super) manager: Manager,
    pub(super) waits: Waits,
    pub(super) descriptors: Arc<Descriptors>,
    /// Whether the kernel is being made to forget files.
    pub(super) is_trimming: AtomicBool,
    /// How often files will have got descriptors when that may be done again.
    pub(super) next_trim: AtomicU64,
    /// When it was done.
    pub(super) last_trim: Mutex<Instant>,
    /// How long the kernel may use a name without asking again: programs see by names what others
    /// do, as SQLite by the name of its journal.
    pub(super) names_kept: Duration,
    /// Set when the kernel is connected.
    pub(super) notifier: OnceLock<Kernel>,
    locking: Locking,
    /// Whether reads and writes keep to the document's rules.
    pub(super) is_mandatory: bool,
}

/// The way to tell the kernel something.
pub(super) struct Kernel(pub(super) Notifier);

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Kernel")
    }
}

impl Volume {
    pub(super) fn new(backing: OwnedFd, options: MountOptions) -> Result<Self, Errno> {
        let MountOptions { locking, manager, is_mandatory, names_kept, files_per_user, .. } =
            options;
        let descriptors = Arc::new(Descriptors::new(files_per_user, options.is_for_all));
        Ok(Self {
            inodes: Inodes::new(backing, descriptors.clone())?,
            handles: Handles::default(),
            manager: Manager::start(manager),
            waits: Waits::default(),
            descriptors,
            is_trimming: AtomicBool::new(false),
            next_trim: AtomicU64::new(0),
            last_trim: Mutex::new(Instant::now()),
            names_kept,
            notifier: OnceLock::new(),
            locking,
            is_mandatory,
        })
    }

    /// The file of the manager.
    pub(super) fn locked<'a>(self: &Arc<Self>, inode: &'a Arc<Inode>) -> &'a File {
        inode.locked.get_or_init(|| {
            let volume = Arc::downgrade(self);
            let copies = Copies { volume, inode: Arc::downgrade(inode) };
            match &self.locking {
                Locking::Local | Locking::Off | Locking::Kernel => {
                    self.manager.open(LocalFile::new(copies))
                }
                Locking::Claims { client, volume, lease } => {
                    let resource = format!("{volume}/{}", inode.backing_number());
                    let (client, lease) = (client.clone(), *lease);
                    self.manager.open(ClaimedFile::new(client, resource, lease, copies))
                }
            }
        })
    }

    /// How long the kernel may use attributes without asking again. With them it asks whether its
    /// copies of a file are right, which they are not when a claim is lost. What a program may do
    /// by the bits of its file is asked for each time: a write of another mount takes them.
    pub(super) const fn attributes_kept(&self, stat: &Stat) -> Duration {
        match self.locking {
            _ if stat.st_mode & SET_IDS != 0 => Duration::ZERO,
            Locking::Claims { .. } => Duration::ZERO,
            Locking::Local | Locking::Off | Locking::Kernel => Duration::from_secs(1),
        }
    }

    /// Whether locks of a file are lost.
    pub(super) fn has_lost(&self, number: u64) -> bool {
        let inode = self.inodes.inode(number);
        inode.is_ok_and(|inode| {
            inode.locked.get().is_some_and(|locked| self.manager.has_lost(locked))
        })
    }

    /// Drops the copies of a file of which locks are lost: each read is to be refused. It waits for
    /// reads and writes of the file, so that no thread may call it that is to answer these.
    pub(super) fn drop_lost(&self, number: u64) {
        if let Ok(inode) = self.inodes.inode(number) {
            self.drop_copies(&inode);
        }
    }

    /// Drops the copies of a file that this thread may be asked for.
    pub(super) fn drop_copies_later(self: &Arc<Self>, inode: &Arc<Inode>) {
        let (volume, inode) = (self.clone(), inode.clone());
        tokio::runtime::Handle::current().spawn_blocking(move || volume.drop_copies(&inode));
    }

    /// Drops the copies of a file that the kernel keeps.
    fn drop_copies(&self, inode: &Inode) {
        if let Some(Kernel(notifier)) = self.notifier.get()
            && let Err(error) = notifier.inval_inode(inode.number, 0, 0)
            && error.raw_os_error() != Some(Errno::NOENT.raw_os_error())
        {
            tracing::warn!(%error, "the kernel keeps copies of a file");
        }
    }

    /// Whether locks are kept.
    pub(super) const fn has_locks(&self) -> bool {
        !matches!(self.locking, Locking::Off)
    }

    /// Whether a program may read or write a range. Its owner is known from the request, or from
    /// the locks that were taken by the same handle.
    pub(super) fn permit(
        &self,
        inode: &Inode,
        handle: Option<&Handle>,
        by: Option<LockOwner>,
        access: Access,
        range: ByteRange,
    ) -> Result<(), Errno> {
        // A file that nobody has locked permits everything.
        let Some(locked) = inode.locked.get() else { return Ok(()) };
        let mut owners = handle.map(Handle::owners).unwrap_or_default();
        owners.extend(by.map(|by| Owner(by.into_raw())));
        if self.manager.has_lost(locked) {
            // Who has lost a lock of the whole file, by `flock`, has lost it for each byte.
            let has_kept = |range| self.manager.has_kept(locked, &owners, access, range);
            if !has_kept(range) || !has_kept(WHOLE_FILE) {
                return Err(Errno::IO);
            }
        }
        let is_allowed = !self.is_mandatory || self.manager.allows(locked, &owners, access, range);
        if is_allowed { Ok(()) } else { Err(Errno::AGAIN) }
    }
}

/// The copies of a file that the kernel keeps for programs.
struct Copies {
    volume: Weak<Volume>,
    inode: Weak<Inode>,
}

impl Copies {
    fn inode(&self) -> io::Result<Arc<Inode>> {
        self.inode.upgrade().ok_or_else(|| Errno::STALE.into())
    }
}

impl CachedFile for Copies {
    fn name(&self) -> String {
        let path = self.inode().and_then(|inode| std::fs::read_link(inode.path()));
        path.map_or_else(|_| "a forgotten file".into(), |path| path.display().to_string())
    }

    fn open(&self) -> io::Result<OwnedFd> {
        let path = self.inode()?.path();
        let flags = OFlags::CLOEXEC | OFlags::NONBLOCK;
        let both = open(&path, flags | OFlags::RDWR, Mode::empty());
        Ok(both.or_else(|_| open(&path, flags | OFlags::RDONLY, Mode::empty()))?)
    }

    fn is_stale(&self) -> bool {
        let Ok(inode) = self.inode() else { return false };
        let before = *inode.seen.lock().unwrap_or_else(PoisonError::into_inner);
        before.is_none() || before != seen(&inode).ok()
    }

    fn drop_copies(&self) {
        if let Some((volume, inode)) = self.volume.upgrade().zip(self.inode.upgrade()) {
            volume.drop_copies(&inode);
        }
    }

    fn is_dirty(&self) -> bool {
        // All mounts of a machine have the same file system behind them.
        let volume = self.volume.upgrade();
        let is_shared =
            volume.is_some_and(|volume| matches!(volume.locking, Locking::Claims { .. }));
        is_shared && self.inode().is_ok_and(|inode| inode.is_dirty.load(Ordering::Acquire))
    }

    fn write_back(&self) -> io::Result<()> {
        let Ok(inode) = self.inode() else { return Ok(()) };
        if self.is_dirty() && inode.is_dirty.swap(false, Ordering::AcqRel) {
            fdatasync(self.open()?)?;
        }
        let seen = seen(&inode).ok().filter(|seen| is_distinct(*seen));
        *inode.seen.lock().unwrap_or_else(PoisonError::into_inner) = seen;
        Ok(())
    }
}
