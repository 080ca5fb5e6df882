//! A member of any service: where it and its programs are, and what it says of itself.

use std::path::PathBuf;

/// The port on which members listen for each other.
pub(crate) const PEER_PORT: u16 = 7000;

/// A member, and where it keeps what.
#[derive(Clone, Debug)]
pub(crate) struct MemberPlace {
    /// Its number, and that of its host.
    pub(crate) id: u8,
    /// The directory of its log.
    pub(crate) data: PathBuf,
    /// The path of its Unix socket, if the service has one.
    pub(crate) socket: PathBuf,
    /// The file of its trace, if the service writes one.
    pub(crate) trace: PathBuf,
}

/// The folder of the programs under test.
#[derive(Clone, Debug)]
pub(crate) struct Programs(pub(crate) PathBuf);

impl Programs {
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

/// What a member says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) is_ready: bool,
    pub(crate) leader: Option<u8>,
    /// The term of the log; 0 without one.
    pub(crate) term: u64,
    /// How many members have its view, if there are different ones at times.
    pub(crate) members: Option<usize>,
}
