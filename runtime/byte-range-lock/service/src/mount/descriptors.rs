//! The descriptors of this process, which all users of a mount share: what each may have.
//!
//! An open file takes one for itself and one for its lock, a file that the kernel remembers one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// How many descriptors the process keeps for itself: standard streams, the kernel, the claim
/// server.
const OWN: u64 = 64;

/// What an open file takes.
const OPEN_FILE: u64 = 2;

/// The part of the descriptors that are a user's open files. With what is remembered of them, and
/// of as many others, that is four times as many descriptors: an eighth, as root has.
const SHARE: u64 = 32;

/// What can be taken.
#[derive(Debug)]
pub(super) struct Descriptors {
    limits: Limits,
    taken: Mutex<HashMap<u32, PerUser>>,
}

#[derive(Clone, Copy, Debug)]
struct Limits {
    /// How many descriptors there are.
    all: u64,
    /// How many of them root alone may take.
    for_root: u64,
    /// How many files and directories each other user may have open; as many may be remembered
    /// that are not open.
    files: u64,
}

/// What a user has.
#[derive(Clone, Copy, Debug, Default)]
struct PerUser {
    open: u64,
    remembered: u64,
}

impl PerUser {
    const fn descriptors(self) -> u64 {
        self.open * OPEN_FILE + self.remembered
    }
}

/// A part of the descriptors, which is given back when it is dropped.
#[derive(Debug)]
pub(super) struct Taken {
    from: Arc<Descriptors>,
    user: u32,
    part: PerUser,
}

impl Descriptors {
    /// All that the process may have, of which each user but root may have so many files open.
    /// Without a number it is a part of the descriptors, and no limit if all is one user's.
    pub(super) fn new(files: Option<u64>, is_for_all: bool) -> Self {
        let all = raise_limit().saturating_sub(OWN);
        let files = files.unwrap_or(if is_for_all { all / SHARE } else { all });
        let limits = Limits { all, for_root: if is_for_all { all / 8 } else { 0 }, files };
        Self { limits, taken: Mutex::default() }
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<u32, PerUser>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what an open file needs.
    pub(super) fn open(self: &Arc<Self>, user: u32) -> Result<Taken, Errno> {
        self.take(user, PerUser { open: 1, remembered: 0 })
    }

    /// Takes what a file needs that the kernel remembers.
    pub(super) fn remember(self: &Arc<Self>, user: u32) -> Result<Taken, Errno> {
        self.take(user, PerUser { open: 0, remembered: 1 })
    }

    /// Takes what a file needs that had it before: what others of its user have since taken is in
    /// nobody's way.
    pub(super) fn remember_again(self: &Arc<Self>, user: u32) -> Result<Taken, Errno> {
        self.take_within(user, PerUser { open: 0, remembered: 1 }, |_, _| true)
    }

    fn take(self: &Arc<Self>, user: u32, part: PerUser) -> Result<Taken, Errno> {
        let Limits { all: most, for_root, files } = self.limits;
        self.take_within(user, part, |own, all| {
            user == 0
                || (own.open <= files
                    && own.remembered <= files.saturating_mul(2)
                    && all <= most - for_root)
        })
    }

    /// Takes a part, if what the user and all would then have is permitted.
    fn take_within(
        self: &Arc<Self>,
        user: u32,
        part: PerUser,
        is_within: impl FnOnce(PerUser, u64) -> bool,
    ) -> Result<Taken, Errno> {
        let mut taken = self.taken();
        let all: u64 = taken.values().map(|user| user.descriptors()).sum();
        let all = all + part.descriptors();
        let own = taken.entry(user).or_default();
        let new =
            PerUser { open: own.open + part.open, remembered: own.remembered + part.remembered };
        if all > self.limits.all || !is_within(new, all) {
            return Err(Errno::NFILE);
        }
        *own = new;
        Ok(Taken { from: self.clone(), user, part })
    }

    /// How near a user's remembered files are to what they may be, or those of all users.
    pub(super) fn crowding(&self, user: u32) -> Crowding {
        let Limits { all, files, .. } = self.limits;
        let taken = self.taken();
        let remembered: u64 = taken.values().map(|user| user.remembered).sum();
        let own = taken.get(&user).filter(|_| user != 0).map_or(0, |own| own.remembered);
        if remembered > all / 4 * 3 || own > files / 4 * 7 {
            Crowding::Brimming
        } else if remembered > all / 2 || own > files {
            Crowding::Full
        } else if remembered > all / 4 || own > files / 2 {
            Crowding::Filling
        } else {
            Crowding::Empty
        }
    }
}

/// How many files the kernel remembers, of those that it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crowding {
    /// It may go on.
    Empty,
    /// It is to forget some.
    Filling,
    /// It is to go on slowly until it has forgotten some.
    Full,
    /// It is hardly to go on until then.
    Brimming,
}

impl Taken {
    pub(super) const fn user(&self) -> u32 {
        self.user
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut taken = self.from.taken();
        let Some(own) = taken.get_mut(&self.user) else { return };
        own.open -= self.part.open;
        own.remembered -= self.part.remembered;
        if own.descriptors() == 0 {
            taken.remove(&self.user);
        }
    }
}

/// The most descriptors that the system gives to any process.
const SYSTEM_MAX: &str = "/proc/sys/fs/nr_open";

/// Raises the limit of this process as far as it goes: root may exceed the one that it was given.
fn raise_limit() -> u64 {
    let given = getrlimit(Resource::Nofile);
    let system = std::fs::read_to_string(SYSTEM_MAX).ok().and_then(|max| max.trim().parse().ok());
    for maximum in [system, given.maximum].into_iter().flatten() {
        let raised = Rlimit { current: Some(maximum), maximum: Some(maximum) };
        if given.current == raised.current || setrlimit(Resource::Nofile, raised).is_ok() {
            return maximum;
        }
    }
    tracing::warn!("the limit of open files stays at {:?}", given.current);
    given.current.unwrap_or(u64::MAX)
}
