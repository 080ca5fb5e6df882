//! What a cache manager and a file server say to each other about the lock of a whole file.
//!
//! Durations, names and contents of files are the driver's. A call is answered exactly once, if
//! need be by [`Answer::None`], which stands for every way in which no answer came.

use core::fmt;

use turnstile_step::Symbolic;

use crate::number::{CallId, DataVersion};

/// A file, as the driver numbers it. Only ever compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FileId(pub u32);

/// A host that calls, as the file server's driver numbers it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Host(pub u32);

/// The one node that a cache manager calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "data::Peer", into = "data::Peer"))]
pub struct Server;

/// What a file server grants: the lock of a whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Whole {
    /// Several hosts may have it at once.
    LockRead,
    /// One host alone may have it.
    LockWrite,
}

/// Anything that travels between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Message {
    /// From the cache manager.
    Call {
        /// Its number for it.
        call: CallId,
        /// About which file.
        file: FileId,
        /// What it asks for.
        ask: Ask,
    },
    /// From the file server.
    Answer {
        /// The call's number.
        call: CallId,
        /// What it says.
        answer: Answer,
        /// Written as live; whoever delivers the answer sets it.
        lease: Lease,
    },
}

/// What a cache manager may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Ask {
    /// To have this lock, instead of the one that the host has, if any.
    Set(Whole),
    /// To count anew how long the host keeps its lock.
    Extend,
    /// To have none.
    Release,
}

/// What a file server answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Answer {
    /// The host has the lock that it asked for.
    Set(Whole, DataVersion),
    /// The host keeps its lock.
    Extended(DataVersion),
    /// The host has no lock any more.
    Released,
    /// Another host's lock is in the way, or there is none to extend.
    Refused,
    /// Nothing was heard: nobody knows whether the call was handled.
    None,
}

/// Whether what an answer grants can still be counted on when the answer is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Lease {
    /// Counted from when the call was sent, the file server still keeps the lock.
    Live,
    /// It may have let it go already.
    Lapsed,
}

impl Message {
    /// What the caller hears when no answer comes.
    #[must_use]
    pub const fn unanswered(call: CallId) -> Self {
        Self::Answer { call, answer: Answer::None, lease: Lease::Live }
    }

    /// The same, heard after what it grants may have lapsed; `None` where it grants nothing.
    #[must_use]
    pub const fn lapsed(self) -> Option<Self> {
        match self {
            Self::Answer {
                call, answer: answer @ (Answer::Set(..) | Answer::Extended(_)), ..
            } => Some(Self::Answer { call, answer, lease: Lease::Lapsed }),
            Self::Answer { answer: Answer::Released | Answer::Refused | Answer::None, .. }
            | Self::Call { .. } => None,
        }
    }
}

impl fmt::Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "file {}", self.0)
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "host {}", self.0)
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("file server")
    }
}

impl fmt::Display for Whole {
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
            Self::Call { call, file, ask } => write!(f, "call {call}: {ask} {file}"),
            Self::Answer { call, answer, lease } => {
                write!(f, "call {call}: {answer}")?;
                match lease {
                    Lease::Live => Ok(()),
                    Lease::Lapsed => f.write_str(", lapsed"),
                }
            }
        }
    }
}

impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(whole) => write!(f, "set {whole} on"),
            Self::Extend => f.write_str("extend the lock of"),
            Self::Release => f.write_str("release"),
        }
    }
}

impl fmt::Display for Answer {
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

/// The one peer as data: its name, where the type alone would be null.
#[cfg(feature = "serde")]
mod data {
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub(super) enum Peer {
        FileServer,
    }

    impl From<Peer> for super::Server {
        fn from(_: Peer) -> Self {
            Self
        }
    }

    impl From<super::Server> for Peer {
        fn from(_: super::Server) -> Self {
            Self::FileServer
        }
    }
}
