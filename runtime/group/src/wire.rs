//! What the processes of a group send each other.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};
use turnstile_core::stack::Message;
use turnstile_core::view::{self, MemberId, MembershipRequest, View};

/// The protocol and its version, before the name of the group: processes of another one reject each
/// other.
pub(crate) const PROTOCOL: &str = "turnstile-group/1";

/// A member and the address of its process.
pub(crate) type Located = (MemberId, SocketAddr);

/// What a process sends to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Packet {
    /// Of the failure detector.
    Gossip(Vec<u8>),
    /// Between the cores of two members.
    Message {
        /// The sender.
        from: MemberId,
        /// The receiver; another life of its process has another number.
        to: MemberId,
        /// The number of the channel, and the message's place in it.
        channel: u64,
        place: u64,
        /// Members that the message speaks of.
        members: Vec<Located>,
        message: Message,
    },
    /// All messages of a channel before a place have arrived.
    Acknowledge { from: MemberId, to: MemberId, channel: u64, before: u64 },
    /// Who coordinates your group?
    Ask,
    /// The answer; `None`: the process is in no group.
    Coordinator(Option<Located>),
}

/// The members that a message speaks of.
pub(crate) fn mentioned(message: &Message) -> Vec<MemberId> {
    let all = |view: &View| {
        let groups = view.subgroups.iter().flat_map(|group| group.iter());
        view.members.iter().chain(groups).collect()
    };
    match message {
        Message::Views(
            view::Message::View(view)
            | view::Message::Coord(view)
            | view::Message::MergeRsp { group: Some(view), .. }
            | view::Message::MergeView { view, .. },
        ) => all(view),
        Message::Views(view::Message::Request(request)) => vec![match *request {
            MembershipRequest::Join { member, .. }
            | MembershipRequest::Leave { member }
            | MembershipRequest::Suspect { member }
            | MembershipRequest::GetState { member } => member,
        }],
        Message::Views(view::Message::MergeReq { merge }) => vec![merge.of],
        Message::Views(
            view::Message::Installed(_)
            | view::Message::MergeRsp { group: None, .. }
            | view::Message::State,
        )
        | Message::Locks(_) => Vec::new(),
    }
}
