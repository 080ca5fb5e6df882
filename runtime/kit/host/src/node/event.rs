//! What a node tells its user.

use std::fmt;

use turnstile_step::Core;

use crate::transport::Unsent;

/// An event for the user of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<P, M, N> {
    /// A notice of the core.
    Notice(N),
    /// A message of the core that was not sent.
    Unsent(Unsent<P, M>),
    /// A step of the core, the store or the timers panicked. Nothing has been saved or sent since,
    /// and the node takes no more input.
    Broken,
}

impl<P: fmt::Debug, M, N: fmt::Debug> fmt::Display for Event<P, M, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Notice(notice) => write!(f, "{notice:?}"),
            Self::Unsent(unsent) => unsent.fmt(f),
            Self::Broken => f.write_str("the node has failed and takes no more input"),
        }
    }
}

/// The event type of a core.
pub type EventOf<C> = Event<<C as Core>::Peer, <C as Core>::Message, <C as Core>::Notice>;
