//! The text of the inputs and effects of members, in scenarios and counterexamples.

use core::fmt::{Display, Formatter, Result};

use super::handler::{Command, Notice, Timer};
use super::message::{MembershipRequest, Message};

impl Display for Command {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Join { via, with_state: false } => write!(f, "to join via {via}"),
            Self::Join { via, with_state: true } => write!(f, "to join with the state via {via}"),
            Self::Leave => f.write_str("to leave"),
            Self::Suspect { member } => write!(f, "to suspect {member}"),
            Self::Announce { to } => write!(f, "to announce itself to {to}"),
            Self::InstallationFails => f.write_str("that the installation failed"),
        }
    }
}

impl Display for Timer {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Queue => f.write_str("queue"),
            Self::Merge => f.write_str("merge"),
            Self::Resumer(of) => write!(f, "Resumer of {of}"),
        }
    }
}

impl Display for Notice {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Installed(view) => write!(f, "installed {view}"),
            Self::GotState => f.write_str("got the state"),
            Self::Suspended(of) => write!(f, "suspended: {of}"),
            Self::Resumed { from, by } if *by == Some(*from) => write!(f, "resumed: {from}"),
            Self::Resumed { from, by: Some(by) } => write!(f, "resumed: {from}, by {by}"),
            Self::Resumed { from, by: None } => write!(f, "resumed: {from}, by no operation"),
        }
    }
}

impl Display for MembershipRequest {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Join { member, with_state: false, .. } => write!(f, "JOIN of {member}"),
            Self::Join { member, with_state: true, .. } => write!(f, "JOIN_WITH_STATE of {member}"),
            Self::Leave { member } => write!(f, "LEAVE of {member}"),
            Self::Suspect { member } => write!(f, "SUSPECT of {member}"),
            Self::GetState { member } => write!(f, "GET_STATE of {member}"),
        }
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Request(request) => request.fmt(f),
            Self::View(view) => view.fmt(f),
            Self::Installed(id) => write!(f, "view {id} is installed"),
            Self::MergeReq { merge } => write!(f, "MERGE-REQ in {merge}"),
            Self::MergeRsp { merge, group: None } => {
                write!(f, "MERGE-RSP in {merge}, merge_rejected=true")
            }
            Self::MergeRsp { merge, group: Some(view) } => {
                write!(f, "MERGE-RSP in {merge} with {view}")
            }
            Self::MergeView { merge, view } => write!(f, "MergeView in {merge}: {view}"),
            Self::Coord(view) => write!(f, "MERGE with {view}"),
            Self::State => f.write_str("the state"),
        }
    }
}
