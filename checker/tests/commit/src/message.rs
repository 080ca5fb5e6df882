//! The messages between the coordinator and its participants.

use std::fmt;

use turnstile_step::Symbolic;

/// Another node, by its number: the coordinator is 0.
pub(crate) type Peer = usize;

/// The coordinator.
pub(crate) const COORDINATOR: Peer = 0;

/// The outcome of the transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Decision {
    Commit,
    Abort,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Message {
    Prepare,
    Yes,
    No,
    Ask,
    Done,
    Decided(Decision),
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prepare => "prepare",
            Self::Yes => "yes",
            Self::No => "no",
            Self::Ask => "what is decided?",
            Self::Done => "done",
            Self::Decided(Decision::Commit) => "commit",
            Self::Decided(Decision::Abort) => "abort",
        })
    }
}

/// The one timer of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) struct Timer;

impl fmt::Display for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("timer")
    }
}

/// A command: to begin the transaction, of the coordinator; to refuse it, of a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Command {
    Begin,
    Refuse,
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Begin => "begins the transaction",
            Self::Refuse => "can no longer commit",
        })
    }
}

/// A node notifies no user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Notice {}

impl fmt::Display for Notice {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}
