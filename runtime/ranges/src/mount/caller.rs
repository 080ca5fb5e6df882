//! The user of a program, as whom new files are made.

use nix::unistd::{Gid, Uid, setfsgid, setfsuid};
use rustix::thread::{CapabilitiesSecureBits, set_capabilities_secure_bits};

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
