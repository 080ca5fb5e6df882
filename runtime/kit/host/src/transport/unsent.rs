//! A message that was not sent, and the reason.

use std::fmt;

/// A message that was not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsent<P, M> {
    /// The receiver of the message.
    pub to: P,
    /// The message.
    pub message: M,
    /// Why it was not sent.
    pub why: UnsentReason,
}

impl<P: fmt::Debug, M> fmt::Display for Unsent<P, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message to {:?} not sent: {}", self.to, self.why)
    }
}

impl<P: fmt::Debug, M: fmt::Debug> std::error::Error for Unsent<P, M> {}

/// Why a message was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnsentReason {
    /// No peer has this id.
    UnknownPeer,
    /// The peer's queue is full: it reads too slowly, or is unreachable.
    QueueFull,
    /// The peer is unreachable.
    Unreachable,
    /// The message is longer than the maximum frame.
    TooLong,
    /// The message cannot be serialized.
    Unencodable,
    /// The transport is closed.
    Closed,
}

impl fmt::Display for UnsentReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownPeer => "no peer has this id",
            Self::QueueFull => "the peer's queue is full",
            Self::Unreachable => "the peer is unreachable",
            Self::TooLong => "the message is too long",
            Self::Unencodable => "the message cannot be encoded",
            Self::Closed => "the transport is closed",
        })
    }
}
