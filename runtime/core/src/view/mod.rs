//! View handling with merges: the membership of a group, and the merge of two groups.
//!
//! [`Handler`] is the core of a member. It runs the document's machine, whose events (JOIN,
//! MERGE-REQ, a Resumer's timeout) are the core's inputs. Failure detection is not part of this
//! core: the layers below report suspicions as [`Command`]s.

mod actions;
mod context;
mod display;
mod handler;
mod merge;
mod message;
mod state;
mod types;
mod view_delivery;

pub use handler::{Command, Handler, MACHINE, Notice, Timer};
pub use message::{MembershipRequest, Message};
pub use state::{
    Exclusion, Installation, Intent, Merge, MergeLeader, MissedMerge, QUEUE_MAX, State,
};
pub use types::{MemberId, Members, Suspension, View};
