//! The messages between members.

use turnstile_step::Symbolic;

use super::types::{MemberId, Suspension, View};
use crate::number::ViewId;

/// A request to a coord, which it queues as an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum MembershipRequest {
    /// The member joins the group.
    Join {
        /// The member.
        member: MemberId,
        /// Whether it will request the state.
        with_state: bool,
        /// The greatest number of a view that it knows of: 0, or one of the group that it left. The
        /// view that it joins by has a greater one.
        last_view: ViewId,
    },
    /// The member leaves the group.
    Leave {
        /// The member.
        member: MemberId,
    },
    /// The member is suspected to have failed.
    Suspect {
        /// The member.
        member: MemberId,
    },
    /// The member has joined and requests the group's state.
    GetState {
        /// The member.
        member: MemberId,
    },
}

/// A message between members.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Message {
    /// To the coord.
    Request(MembershipRequest),
    /// From the coord: install this view.
    View(View),
    /// To the coord: the view of this number is installed.
    Installed(ViewId),
    /// From one coord to another: merge the groups.
    MergeReq {
        /// The merge: the suspension that it runs under at its leader.
        merge: Suspension,
    },
    /// The response.
    MergeRsp {
        /// The merge.
        merge: Suspension,
        /// The view to be merged; `None`: `merge_rejected=true`.
        group: Option<View>,
    },
    /// From the merge leader to the other coord: the view of both groups.
    MergeView {
        /// The merge.
        merge: Suspension,
        /// The view.
        view: View,
    },
    /// From MERGE2: the sender coordinates a group with this view, which excludes the receiver.
    Coord(View),
    /// The group's state.
    State,
}
