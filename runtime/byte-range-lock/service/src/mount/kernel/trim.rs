//! The kernel is made to forget files, whose descriptors others need.
//!
//! It remembers files as long as it has memory for them, and each of them is a descriptor here,
//! except for directories that can be opened again.

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::io::Errno;

use crate::mount::descriptors::Crowding;
use crate::mount::kernel::caller::Caller;
use crate::mount::volume::{Kernel, Volume};

/// The kernel is told again after this time, although nothing new is remembered: programs may have
/// ended that had what it could not forget.
const fn again(crowding: Crowding) -> Duration {
    match crowding {
        Crowding::Empty | Crowding::Filling => Duration::MAX,
        Crowding::Full => Duration::from_secs(1),
        Crowding::Brimming => Duration::from_millis(10),
    }
}

/// How long a lookup takes at least while files are being forgotten.
const fn pause(crowding: Crowding) -> Option<Duration> {
    match crowding {
        Crowding::Empty | Crowding::Filling => None,
        Crowding::Full => Some(Duration::from_millis(2)),
        Crowding::Brimming => Some(Duration::from_millis(20)),
    }
}

impl Volume {
    /// Lets the kernel forget files if there are many of them. It takes the lock of their directory
    /// for that, which it has while it waits for answers: no thread may do this that answers.
    /// Returns how long a user who looks for more is to wait meanwhile.
    pub(crate) fn trim(self: &Arc<Self>, caller: Caller) -> Option<Duration> {
        let crowding = self.descriptors.crowding(caller.user);
        let is_due = || {
            self.inodes.opened() >= self.next_trim.load(Ordering::Acquire)
                || self.trimmed().elapsed() >= again(crowding)
        };
        if crowding != Crowding::Empty && is_due() && !self.is_trimming.swap(true, Ordering::AcqRel)
        {
            self.start_trimming();
        }
        // It waits for what is being forgotten, not for what cannot be.
        pause(crowding).filter(|_| self.is_trimming.load(Ordering::Acquire))
    }

    fn start_trimming(self: &Arc<Self>) {
        let volume = self.clone();
        tokio::runtime::Handle::current().spawn_blocking(move || {
            volume.inodes.close_old_directories();
            volume.forget_old_names();
            *volume.trimmed() = Instant::now();
            volume.is_trimming.store(false, Ordering::Release);
        });
    }

    /// When the kernel has last been made to forget files.
    fn trimmed(&self) -> MutexGuard<'_, Instant> {
        self.last_trim.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget_old_names(&self) {
        let Some(Kernel(notifier)) = self.notifier.get() else { return };
        let (known, names) = self.inodes.old_names();
        // Those that programs have in another way stay: they are not tried again for each new one.
        let pause = u64::try_from((names.len() / 2).max(known / 16)).unwrap_or(u64::MAX);
        self.next_trim.store(self.inodes.opened().saturating_add(pause), Ordering::Release);
        for (parent, name) in names {
            match notifier.inval_entry(parent, &name) {
                Ok(()) => {}
                // It has another name by now, or is forgotten.
                Err(error) if error.raw_os_error() == Some(Errno::NOENT.raw_os_error()) => {}
                Err(error) => return tracing::warn!(%error, "the kernel forgets no files"),
            }
        }
    }
}
