//! The user of a program: as whom new files are made, and with whose privileges files are changed.

use std::io;
use std::os::fd::AsFd;

use nix::unistd::{Gid, Uid, setfsgid, setfsuid};
use rustix::fs::{Mode, Stat, fstat};
use rustix::process::{getgroups, umask};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, UnshareFlags, capabilities,
    set_capabilities, set_capabilities_secure_bits, set_thread_groups, unshare_unsafe,
};

/// The user of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller {
    pub(crate) user: u32,
    pub(crate) group: u32,
    pub(crate) process: u32,
}

/// Lets a thread act as others: it has a umask of its own, and keeps its rights when it does, since
/// the kernel has asked whether the program has them.
///
/// # Errors
/// When the thread cannot have a umask of its own.
#[expect(unsafe_code, reason = "descriptors, whose sharing others rely upon, stay shared")]
pub(crate) fn may_act_as_others() -> io::Result<()> {
    // SAFETY: see above.
    unsafe { unshare_unsafe(UnshareFlags::FS) }?;
    if Uid::effective().is_root()
        && let Err(error) = set_capabilities_secure_bits(CapabilitiesSecureBits::NO_SETUID_FIXUP)
    {
        tracing::warn!(%error, "new files may be refused to users who have a right by a group");
    }
    Ok(())
}

impl Caller {
    /// Makes a file, which from its beginning is the program's user's. Without root, it is that of
    /// the user who has mounted the directory. Whether the program's umask counts, the file system
    /// behind knows: not where the directory has an access list for new files.
    pub(crate) fn make<T>(self, mask: u32, make: impl FnOnce() -> T) -> T {
        let _acting = Uid::effective().is_root().then(|| Acting::begin(self));
        let own = umask(Mode::from_raw_mode(mask));
        let made = make();
        umask(own);
        made
    }
}

/// The capabilities by which a change of a file keeps its set-user-id and set-group-id bits, and by
/// which all names of extended attributes are listed.
const PRIVILEGES: CapabilitySet = CapabilitySet::FSETID.union(CapabilitySet::SYS_ADMIN);

/// The capabilities by which files are used whoever they are for.
const OF_FILES: CapabilitySet =
    CapabilitySet::DAC_OVERRIDE.union(CapabilitySet::DAC_READ_SEARCH).union(CapabilitySet::FOWNER);

/// The user of requests that the kernel makes by itself, as of writes to shared memory.
const KERNEL: u32 = u32::MAX;

impl Caller {
    /// Does what the file system behind is to do as for a program without privileges, unless the
    /// program is root's. The kernel knows the exact capabilities of a program, and tells by what
    /// it asks for; but not whether its own knowledge of a file is of yesterday.
    pub(crate) fn without_privileges<T>(self, act: impl FnOnce() -> T) -> T {
        if !self.is_restrained() {
            return act();
        }
        let _restrained = Restrained::begin(self.group, PRIVILEGES);
        act()
    }

    /// Makes or opens a file with the rights of the program's user and its groups, and no others.
    pub(crate) fn as_itself<T>(self, mask: u32, act: impl FnOnce() -> T) -> T {
        if !self.is_restrained() {
            return self.make(mask, act);
        }
        let _grouped = Grouped::begin(&self.groups());
        let _restrained = Restrained::begin(self.group, PRIVILEGES | OF_FILES);
        self.make(mask, act)
    }

    /// Changes a file without privileges. Whether its set-group-id bit is kept may depend on all
    /// groups of the program.
    pub(crate) fn change<T>(self, file: impl AsFd, act: impl FnOnce() -> T) -> T {
        let depends = |stat: Stat| stat.st_mode & 0o2000 != 0 && stat.st_gid != self.group;
        if !self.is_restrained() || !fstat(file).is_ok_and(depends) {
            return self.without_privileges(act);
        }
        let _grouped = Grouped::begin(&self.groups());
        self.without_privileges(act)
    }

    /// Whether the kernel may act by itself, or a program of root's that has no number here.
    pub(crate) const fn is_kernel(self) -> bool {
        self.process == 0 && matches!(self.user, 0 | KERNEL)
    }

    fn is_restrained(self) -> bool {
        self.user != 0 && self.user != KERNEL && Uid::effective().is_root()
    }

    /// Whether the program may change what only the owner of a file may. The kernel has asked so,
    /// but of the owner that it knows of.
    pub(crate) fn owns(self, stat: &Stat) -> bool {
        let capabilities = || {
            let status = self.status("CapEff:");
            let bits = status.and_then(|bits| u64::from_str_radix(&bits, 16).ok());
            CapabilitySet::from_bits_retain(bits.unwrap_or_default())
        };
        !self.is_restrained()
            || stat.st_uid == self.user
            || capabilities().intersects(CapabilitySet::FOWNER | CapabilitySet::CHOWN)
    }

    /// All groups of the program; none if it is gone.
    fn groups(self) -> Vec<rustix::thread::Gid> {
        let groups = self.status("Groups:").unwrap_or_default();
        let groups = groups.split_whitespace();
        groups.flat_map(str::parse).map(rustix::thread::Gid::from_raw).collect()
    }

    /// What the system shows of the program.
    fn status(self, name: &str) -> Option<String> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process)).ok()?;
        status.lines().find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()))
    }
}

/// Takes groups from a thread when it is dropped.
struct Grouped(Vec<rustix::thread::Gid>);

impl Grouped {
    fn begin(groups: &[rustix::thread::Gid]) -> Self {
        let own = getgroups().unwrap_or_default();
        if let Err(error) = set_thread_groups(groups) {
            tracing::warn!(%error, "a thread does not get the groups of a program");
        }
        Self(own)
    }
}

impl Drop for Grouped {
    fn drop(&mut self) {
        if let Err(error) = set_thread_groups(&self.0) {
            tracing::error!(%error, "a thread does not get its groups back");
        }
    }
}

/// Gives a thread its capabilities and its group back when it is dropped.
struct Restrained {
    all: Option<CapabilitySets>,
    group: Gid,
}

impl Restrained {
    fn begin(group: u32, without: CapabilitySet) -> Self {
        let all = capabilities(None).and_then(|all| {
            let effective = all.effective - without;
            set_capabilities(None, CapabilitySets { effective, ..all }).map(|()| all)
        });
        // A process may always do with less.
        debug_assert!(all.is_ok(), "{all:?}");
        Self { all: all.ok(), group: setfsgid(Gid::from_raw(group)) }
    }
}

impl Drop for Restrained {
    fn drop(&mut self) {
        setfsgid(self.group);
        if let Some(all) = self.all
            && let Err(error) = set_capabilities(None, all)
        {
            tracing::error!(%error, "a thread does not get its capabilities back");
        }
    }
}

/// Ends acting as another user when it is dropped.
struct Acting {
    user: Uid,
    group: Gid,
}

impl Acting {
    fn begin(Caller { user, group, .. }: Caller) -> Self {
        let group = setfsgid(Gid::from_raw(group));
        let user = setfsuid(Uid::from_raw(user));
        Self { user, group }
    }
}

impl Drop for Acting {
    fn drop(&mut self) {
        setfsuid(self.user);
        setfsgid(self.group);
    }
}
