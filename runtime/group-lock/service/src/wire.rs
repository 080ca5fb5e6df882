//! What the processes of a group send each other.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};
use turnstile_group_lock_core::stack::Message;
use turnstile_step::Symbolic as _;
use turnstile_view_handler_core::number::ViewId;
use turnstile_view_handler_core::{self as view, MemberId, MembershipRequest, View};

/// The protocol and its version, before the name of the group: processes of another one reject each
/// other.
pub(crate) const PROTOCOL: &str = "turnstile-group-lock/2";

/// A member and the address of its process.
pub type Located = (MemberId, SocketAddr);

/// What a process sends to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Packet {
    /// Of the failure detector.
    Gossip(Vec<u8>),
    /// Between the cores of two members.
    Message {
        /// The sender.
        from: MemberId,
        /// The receiver; another life of its process has another number.
        to: MemberId,
        /// The number of the channel.
        channel: u64,
        /// The message's place in it.
        place: u64,
        /// Members that the message speaks of.
        members: Vec<Located>,
        /// The message.
        message: Message,
    },
    /// All messages of a channel before a place have arrived.
    Acknowledge {
        /// The sender.
        from: MemberId,
        /// The receiver.
        to: MemberId,
        /// The number of the channel.
        channel: u64,
        /// The place.
        before: u64,
    },
    /// Who coordinates your group?
    Ask,
    /// The answer; `None`: the process is in no group.
    Coordinator(Option<Located>),
    /// Is this still your channel to me? You seemed to be gone.
    Doubt {
        /// The sender.
        from: MemberId,
        /// The receiver.
        to: MemberId,
        /// The number of the channel.
        channel: u64,
    },
    /// It is.
    Confirm {
        /// The sender.
        from: MemberId,
        /// The receiver.
        to: MemberId,
        /// The number of the channel.
        channel: u64,
    },
    /// Which piece of the application's state a member that has joined needs next.
    Pull {
        /// The sender.
        from: MemberId,
        /// The receiver.
        to: MemberId,
        /// The place of the piece.
        place: u64,
    },
    /// That piece.
    Piece {
        /// The sender.
        from: MemberId,
        /// The receiver.
        to: MemberId,
        /// Its place.
        place: u64,
        /// The piece.
        piece: Piece,
    },
}

/// A part of a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    /// The next bytes.
    Bytes(Vec<u8>),
    /// The state has no more bytes.
    End,
    /// It cannot be read.
    Failed,
    /// The member that is asked has none.
    NoState,
}

/// No number of a view is greater: a group that makes a million views a second needs a hundred
/// thousand years.
const NUMBER_MAX: u64 = 1 << 62;

/// Whether a message has only numbers that can be: views are numbered after the greatest known one.
pub(crate) fn is_possible(message: &mut Message) -> bool {
    let mut is_possible = true;
    message.visit_ids(&mut |class, number| {
        is_possible &= class != ViewId::CLASS || *number <= NUMBER_MAX;
    });
    is_possible
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn coord(id: u64) -> Message {
        Message::Views(view::Message::Coord(View::new(ViewId::new(id), [MemberId(u64::MAX)])))
    }

    #[test]
    fn the_number_of_a_view_is_one_after_which_others_can_be_counted() {
        for (id, is_one) in [(0, true), (NUMBER_MAX, true), (NUMBER_MAX + 1, false)] {
            assert_eq!(is_possible(&mut coord(id)), is_one, "{id}");
        }
        let member = MemberId(1);
        let last_view = ViewId::new(u64::MAX);
        let join = MembershipRequest::Join { member, with_state: false, last_view };
        assert!(!is_possible(&mut Message::Views(view::Message::Request(join))));
    }

    proptest! {
        #[test]
        fn bytes_are_a_packet_or_none(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(packet) = postcard::from_bytes::<Packet>(&bytes) {
                let written = postcard::to_stdvec(&packet).expect("it can be written");
                prop_assert_eq!(postcard::from_bytes(&written), Ok(packet));
            }
        }
    }
}
