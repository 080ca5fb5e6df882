//! The configuration of a mount.

use std::time::Duration;

use turnstile_claim::client::LockClient;

use crate::Options;

/// The file server of the locks of a mount.
#[derive(Debug)]
pub enum Locking {
    /// The operating system: mounts and programs of this machine agree.
    Local,
    /// A claim server: all mounts agree that have the same client's server and volume.
    Claims {
        /// The client.
        client: LockClient,
        /// The name of the directory, which is part of the name of each claim. The rest of it is
        /// the number of the file, which is the same wherever the file system is mounted.
        volume: String,
        /// How long a claim lasts without being extended.
        lease: Duration,
    },
    /// Nobody: every lock is granted, and none is kept. For tests that show what locks are for.
    Off,
    /// The kernel, without this program. For measurements of what its requests cost.
    Kernel,
}

/// How a directory is mounted.
#[derive(Debug)]
pub struct MountOptions {
    /// The file server of its locks.
    pub locking: Locking,
    /// The configuration of its manager.
    pub manager: Options,
    /// Whether reads and writes keep to the document's rules, also of programs that lock nothing.
    pub is_mandatory: bool,
    /// How many threads serve it.
    pub threads: usize,
    /// Whether all users may use it.
    pub is_for_all: bool,
    /// How many files and directories each user but root may have open at a time; more are refused
    /// with `ENFILE`. `None`: a 32nd of the descriptors of the process if it is for all users.
    pub files_per_user: Option<u64>,
    /// How long the kernel may use a name without asking again. Then it also gets with the names of
    /// a directory what it would ask for next. Zero where others change the directory, too.
    pub names_kept: Duration,
}
