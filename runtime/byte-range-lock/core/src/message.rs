//! The messages between a cache manager and a file server about the lock of a whole file.
//!
//! The host keeps durations, and the names and contents of files. Each call gets exactly one reply;
//! [`ServerReply::None`] stands for every way in which no reply arrives.

use core::fmt;

use turnstile_step::Symbolic;

use crate::number::DataVersion;
use turnstile_ids::number::CallId;

pub use turnstile_ids::lease::Lease;

/// A file, by the number that the host gives it. Only ever compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FileId(pub u32);

/// A client host, by the number that the file server gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FileClient(pub u32);

/// The address of the file server, the only peer of a cache manager.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "data::Peer", into = "data::Peer"))]
pub struct FileServerPeer;

/// The lock of a whole file, which a file server grants to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ServerLock {
    /// Several hosts may have it at once.
    LockRead,
    /// One host alone may have it.
    LockWrite,
}

/// A message between a cache manager and the file server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Message {
    /// From the cache manager.
    Call {
        /// The number by which the reply finds the call.
        call: CallId,
        /// The file.
        file: FileId,
        /// The request.
        #[cfg_attr(feature = "serde", serde(rename = "ask"))]
        request: ServerRequest,
    },
    /// From the file server.
    #[cfg_attr(feature = "serde", serde(rename = "answer"))]
    Reply {
        /// The call's number.
        call: CallId,
        /// The result.
        #[cfg_attr(feature = "serde", serde(rename = "answer"))]
        reply: ServerReply,
        /// Whether the lease that the reply grants still runs; see [`Lease`].
        lease: Lease,
    },
}

/// A request of a cache manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ServerRequest {
    /// Replace the host's lock, if it has one, by this lock.
    Set(ServerLock),
    /// Restart the lease of the host's lock.
    Extend,
    /// Release the host's lock.
    Release,
}

/// A reply of a file server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ServerReply {
    /// The host holds the requested lock; with the version of the file's contents.
    Set(ServerLock, DataVersion),
    /// The host's lock is extended; with the version of the file's contents.
    Extended(DataVersion),
    /// The host holds no lock.
    Released,
    /// Another host's lock conflicts, or the host holds no lock to extend.
    Refused,
    /// No reply arrived: the server may or may not have handled the call.
    None,
}

impl Message {
    /// The message that stands for a reply that never arrives.
    #[must_use]
    pub const fn unanswered(call: CallId) -> Self {
        Self::Reply { call, reply: ServerReply::None, lease: Lease::Live }
    }

    /// The same reply, delivered after its lease may have expired; `None` if it grants no lease.
    #[must_use]
    pub const fn lapsed(self) -> Option<Self> {
        match self {
            Self::Reply {
                call,
                reply: reply @ (ServerReply::Set(..) | ServerReply::Extended(_)),
                ..
            } => Some(Self::Reply { call, reply, lease: Lease::Lapsed }),
            Self::Reply {
                reply: ServerReply::Released | ServerReply::Refused | ServerReply::None,
                ..
            }
            | Self::Call { .. } => None,
        }
    }
}

impl fmt::Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "file {}", self.0)
    }
}

impl fmt::Display for FileClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "host {}", self.0)
    }
}

impl fmt::Display for FileServerPeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("file server")
    }
}

impl fmt::Display for ServerLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LockRead => "LockRead",
            Self::LockWrite => "LockWrite",
        })
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { call, file, request } => write!(f, "call {call}: {request} {file}"),
            Self::Reply { call, reply, lease } => {
                write!(f, "call {call}: {reply}")?;
                match lease {
                    Lease::Live => Ok(()),
                    Lease::Brief => f.write_str(", brief"),
                    Lease::Lapsed => f.write_str(", lapsed"),
                }
            }
        }
    }
}

impl fmt::Display for ServerRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(whole) => write!(f, "set {whole} on"),
            Self::Extend => f.write_str("extend the lock of"),
            Self::Release => f.write_str("release"),
        }
    }
}

impl fmt::Display for ServerReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(whole, version) => write!(f, "{whole} is set, contents {version}"),
            Self::Extended(version) => write!(f, "extended, contents {version}"),
            Self::Released => f.write_str("released"),
            Self::Refused => f.write_str("refused"),
            Self::None => f.write_str("no answer"),
        }
    }
}

/// The serde form of the peer: its name, as a unit struct would be null.
#[cfg(feature = "serde")]
mod data {
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub(super) enum Peer {
        FileServer,
    }

    impl From<Peer> for super::FileServerPeer {
        fn from(_: Peer) -> Self {
            Self
        }
    }

    impl From<super::FileServerPeer> for Peer {
        fn from(_: super::FileServerPeer) -> Self {
            Self::FileServer
        }
    }
}
