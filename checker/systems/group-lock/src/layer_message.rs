//! The messages between a member and the layer below.

use std::fmt;

use turnstile_step::Symbolic;
use turnstile_view_handler_core::{MemberId, View};

use crate::member_state::Remains;

/// A message between a member and the layer below.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum LayerMessage {
    /// To a member: its view.
    View(View),
    /// To a member: its departure.
    Stop,
    /// To a member, repeatedly: a member has crashed.
    Crashed(MemberId),
    /// From a member: its process has ended.
    Ended(MemberId),
    /// To the next life of a member: what is left of the former one.
    Restarted(Remains),
}

impl fmt::Display for LayerMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::View(view) => view.fmt(f),
            Self::Stop => f.write_str("the end"),
            Self::Crashed(member) => write!(f, "SUSPECT {member}"),
            Self::Ended(member) => write!(f, "the end of {member}"),
            Self::Restarted(_) => f.write_str("what it saved"),
        }
    }
}
