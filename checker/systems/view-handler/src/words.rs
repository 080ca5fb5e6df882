//! Text of inputs and messages, in the words of the document.

use turnstile_view_handler_core::{Command, MembershipRequest, Message, Notice, Timer};

/// A command to a member, by its user or the layers below.
pub fn command(command: &Command) -> String {
    match command {
        Command::Join { with_state: false, .. } => "wants to join".to_owned(),
        Command::Join { with_state: true, .. } => "wants to join with the state".to_owned(),
        Command::Leave => "wants to leave".to_owned(),
        Command::Suspect { member } => format!("SUSPECT {member}"),
        Command::Announce { to } => format!("announces itself to {to}"),
        Command::InstallationFails => "the installation fails".to_owned(),
    }
}

/// A timer's name.
pub fn timer(timer: &Timer) -> &'static str {
    match timer {
        Timer::Queue => "queue",
        Timer::Merge => "merge",
        Timer::Resumer(_) => "Resumer",
    }
}

/// A timer that fires.
pub fn fired(timer: &Timer) -> &'static str {
    match timer {
        Timer::Queue => "processes its queue",
        Timer::Merge => "has processed the MERGE event",
        Timer::Resumer(_) => "Resumer runs",
    }
}

/// A message to a member.
pub fn message(message: &Message) -> String {
    match message {
        Message::Request(MembershipRequest::Join { with_state: false, .. }) => "JOIN".to_owned(),
        Message::Request(MembershipRequest::Join { with_state: true, .. }) => {
            "JOIN_WITH_STATE".to_owned()
        }
        Message::Request(MembershipRequest::Leave { .. }) => "LEAVE".to_owned(),
        Message::Request(MembershipRequest::Suspect { member }) => format!("SUSPECT {member}"),
        Message::Request(MembershipRequest::GetState { .. }) => "GET_STATE".to_owned(),
        Message::View(view) => format!("VIEW ({})", view.members),
        Message::Installed(_) => "view installed".to_owned(),
        Message::MergeReq { .. } => "MERGE-REQ".to_owned(),
        Message::MergeRsp { group: None, .. } => "MERGE-RSP (merge_rejected=true)".to_owned(),
        Message::MergeRsp { group: Some(view), .. } => format!("MERGE-RSP ({})", view.members),
        Message::MergeView { view, .. } => format!("MergeView ({})", view.members),
        Message::Coord(view) => format!("MERGE: there is this coord, of {view}"),
        Message::State => "the state".to_owned(),
    }
}

/// A notice to a member's user, unless other effects show it.
pub fn notice(notice: &Notice) -> Option<String> {
    match notice {
        Notice::Installed(view) => Some(format!("installs {view}")),
        Notice::GotState => Some("has got the state".to_owned()),
        Notice::Suspended(_) | Notice::Resumed { .. } => None,
    }
}
