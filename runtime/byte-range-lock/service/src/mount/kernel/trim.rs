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

/// Lets the kernel forget files if there are many of them. It takes the lock of their directory
/// for that, which it has while it waits for answers: no thread may do this that answers.
/// Returns how long a user who looks for more is to wait meanwhile.
pub(crate) fn trim(volume: &Arc<Volume>, caller: Caller) -> Option<Duration> {
    let crowding = volume.descriptors.crowding(caller.user);
    let is_due = || {
        volume.inodes.opened() >= volume.next_trim.load(Ordering::Acquire)
            || trimmed(volume).elapsed() >= again(crowding)
    };
    if crowding != Crowding::Empty && is_due() && !volume.is_trimming.swap(true, Ordering::AcqRel) {
        start_trimming(volume);
    }
    // It waits for what is being forgotten, not for what cannot be.
    pause(crowding).filter(|_| volume.is_trimming.load(Ordering::Acquire))
}

fn start_trimming(volume: &Arc<Volume>) {
    let volume = volume.clone();
    tokio::runtime::Handle::current().spawn_blocking(move || {
        volume.inodes.close_old_directories();
        forget_old_names(&volume);
        *trimmed(&volume) = Instant::now();
        volume.is_trimming.store(false, Ordering::Release);
    });
}

/// When the kernel has last been made to forget files.
fn trimmed(volume: &Volume) -> MutexGuard<'_, Instant> {
    volume.last_trim.lock().unwrap_or_else(PoisonError::into_inner)
}

fn forget_old_names(volume: &Volume) {
    let Some(Kernel(notifier)) = volume.notifier.get() else { return };
    let (known, names) = volume.inodes.old_names();
    // Those that programs have in another way stay: they are not tried again for each new one.
    let pause = u64::try_from((names.len() / 2).max(known / 16)).unwrap_or(u64::MAX);
    volume.next_trim.store(volume.inodes.opened().saturating_add(pause), Ordering::Release);
    for (parent, name) in names {
        match notifier.inval_entry(parent, &name) {
            Ok(()) => {}
            // It has another name by now, or is forgotten.
            Err(error) if error.raw_os_error() == Some(Errno::NOENT.raw_os_error()) => {}
            Err(error) => return tracing::warn!(%error, "the kernel forgets no files"),
        }
    }
}
