//! The user of a program: as whom new files are made, and with whose privileges files are changed.

use nix::unistd::{Gid, Uid, setfsgid, setfsuid};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, capabilities, set_capabilities,
    set_capabilities_secure_bits,
};

/// The user of a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caller {
    pub(super) user: u32,
    pub(super) group: u32,
}

/// Lets a thread act as others: it keeps its rights when it does, since the kernel has asked
/// whether the program has them.
pub(super) fn may_act_as_others() {
    if Uid::effective().is_root()
        && let Err(error) = set_capabilities_secure_bits(CapabilitiesSecureBits::NO_SETUID_FIXUP)
    {
        tracing::warn!(%error, "new files may be refused to users who have a right by a group");
    }
}

impl Caller {
    /// Makes a file, which from its beginning is the program's user's. Without root, it is that of
    /// the user who has mounted the directory.
    pub(super) fn act<T>(self, make: impl FnOnce() -> T) -> T {
        if !Uid::effective().is_root() {
            return make();
        }
        let _acting = Acting::begin(self);
        make()
    }
}

/// The capabilities by which a change of a file keeps its set-user-id and set-group-id bits, and by
/// which all names of extended attributes are listed.
const PRIVILEGES: CapabilitySet = CapabilitySet::FSETID.union(CapabilitySet::SYS_ADMIN);

/// The user of requests that the kernel makes by itself, as of writes to shared memory.
const KERNEL: u32 = u32::MAX;

impl Caller {
    /// Does what the file system behind is to do as for a program without privileges, unless the
    /// program is root's. The kernel knows the exact capabilities of a program, and tells by what
    /// it asks for; but not whether its own knowledge of a file is of yesterday.
    pub(super) fn without_privileges<T>(self, act: impl FnOnce() -> T) -> T {
        if self.user == 0 || self.user == KERNEL || !Uid::effective().is_root() {
            return act();
        }
        let _restrained = Restrained::begin();
        act()
    }
}

/// Gives a thread its capabilities back when it is dropped.
struct Restrained(Option<CapabilitySets>);

impl Restrained {
    fn begin() -> Self {
        let all = capabilities(None).and_then(|all| {
            let effective = all.effective - PRIVILEGES;
            set_capabilities(None, CapabilitySets { effective, ..all }).map(|()| all)
        });
        // A process may always do with less.
        debug_assert!(all.is_ok(), "{all:?}");
        Self(all.ok())
    }
}

impl Drop for Restrained {
    fn drop(&mut self) {
        if let Some(all) = self.0
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
    fn begin(Caller { user, group }: Caller) -> Self {
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
