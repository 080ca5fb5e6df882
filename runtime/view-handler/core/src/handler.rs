//! The core of a member of a group: the document's view-handler machine, with the views, the queue
//! and the merges that its rows speak of. Its timers, commands and notices.

use turnstile_machine::Rules;
use turnstile_step::Symbolic;
use turnstile_view_handler_machines::view_handler::Machine;

use super::types::{MemberId, Suspension, View};

/// The machine's name.
pub const MACHINE: &str = <Machine as turnstile_machine::Machine>::TABLE.machine;

/// The core of a member.
///
/// A member starts without a view and joins a group; [`State::new`] makes one with a view.
/// [`Timer::Queue`] is how long a coord collects events before it processes them,
/// [`Timer::Resumer`] the longest suspension of a handler. The host chooses both durations.
///
/// [`State::new`]: crate::State::new
#[derive(Clone, Debug)]
pub struct Handler<R: Rules<Machine> = Machine> {
    /// The table.
    pub rules: R,
    /// The address of this member.
    pub me: MemberId,
}

impl Handler {
    /// A member by the compiled table.
    #[must_use]
    pub const fn new(me: MemberId) -> Self {
        Self { rules: Machine, me }
    }
}

/// The timers of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Timer {
    /// The handler processes its queue.
    Queue,
    /// The processing of a MERGE event ends, if the table suspends the handler only after it.
    Merge,
    /// Resumes the handler. It may fire after it was disarmed, so it names its suspension.
    Resumer(Suspension),
}

/// A command of the group's user, or a report of the layers below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Command {
    /// Join the group that this member coordinates.
    Join {
        /// The member to send the request to.
        via: MemberId,
        /// Whether to transfer the group's state as well.
        with_state: bool,
    },
    /// Leave the group.
    Leave,
    /// A member is suspected to have failed.
    Suspect {
        /// The member.
        member: MemberId,
    },
    /// MERGE2: announce to a member that this one coordinates a group.
    Announce {
        /// The member.
        to: MemberId,
    },
    /// The installation of a view failed, for example its flush.
    InstallationFails,
}

/// A notification to the group's user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Notice {
    /// A view is installed.
    Installed(View),
    /// The group's state has arrived.
    GotState,
    /// The handler is suspended.
    Suspended(Suspension),
    /// The handler is resumed.
    Resumed {
        /// The suspension that ended.
        from: Suspension,
        /// The suspension in which the completed operation began.
        by: Option<Suspension>,
    },
}
