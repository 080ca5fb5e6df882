//! What members say to each other.

use turnstile_step::Symbolic;

use super::types::{MemberId, Suspension, View};
use crate::number::ViewId;

/// What a coord is asked, and puts into its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Request {
    /// This one wants to belong to the group.
    Join {
        /// Who.
        member: MemberId,
        /// It is going to ask for the state.
        with_state: bool,
    },
    /// This one belongs to the group no longer.
    Leave {
        /// Who.
        member: MemberId,
    },
    /// This one seems to be gone.
    Suspect {
        /// Who.
        member: MemberId,
    },
    /// This one has joined and wants the group's state.
    GetState {
        /// Who.
        member: MemberId,
    },
}

/// A message between members.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Message {
    /// To the coord.
    Request(Request),
    /// From the coord: install this view.
    View(View),
    /// To the coord: the view of this number is installed.
    Installed(ViewId),
    /// From one coord to another: let our groups become one.
    MergeReq {
        /// The merge: the suspension that it runs under at its leader.
        merge: Suspension,
    },
    /// The answer.
    MergeRsp {
        /// Which merge.
        merge: Suspension,
        /// The view that is to be merged; `None`: `merge_rejected=true`.
        group: Option<View>,
    },
    /// From the merge leader to the other coord: the view of both groups.
    MergeView {
        /// Which merge.
        merge: Suspension,
        /// The view.
        view: View,
    },
    /// From MERGE2: the sender coordinates a group.
    Coord,
    /// The group's state.
    State,
}
