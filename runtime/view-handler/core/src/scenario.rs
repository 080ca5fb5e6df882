//! The text format of the view handling system: members of groups.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::number::ViewId;
use crate::{Command, Handler, MemberId, Message, State, View};
use turnstile_machine::Rules;
#[cfg(not(feature = "serde"))]
use turnstile_scenario::CoreNode as NodeOf;
#[cfg(feature = "serde")]
use turnstile_scenario::trace::TraceableNode as NodeOf;
use turnstile_scenario::{Deliverable, Node, NodeFactory, Protocol, TextFormat};
use turnstile_view_handler_machines::view_handler::Machine;

/// The protocol of view handling: its nodes and their messages as text.
pub const PROTOCOL: Protocol = Protocol::of::<ViewNodes>();

/// The nodes of the view system, by the compiled tables.
#[derive(Clone, Copy, Debug)]
struct ViewNodes;

impl NodeFactory for ViewNodes {
    type Message = Message;

    const NODE_KINDS: &'static str =
        "all of them `member of view N of N, N` or `member of no group`";

    fn node(name: &str, what: &str) -> Option<Box<dyn Node<Message>>> {
        let me = member(name)?;
        let view = match what.strip_prefix("member of ")? {
            "no group" => None,
            view => Some(read(view)?),
        };
        let state = State::new(me, Machine.initial(), view);
        Some(Box::new(NodeOf::with_state(Handler::new(me), state)))
    }
}

fn member(name: &str) -> Option<MemberId> {
    name.strip_prefix("member ")?.parse().ok().map(MemberId)
}

fn read(words: &str) -> Option<View> {
    let (id, members) = words.strip_prefix("view ")?.split_once(" of ")?;
    let members: Result<Vec<u64>, _> = members.split(", ").map(str::parse).collect();
    Some(View::new(ViewId::new(id.parse().ok()?), members.ok()?.into_iter().map(MemberId)))
}

impl Deliverable for Message {
    fn altered(&self) -> Vec<Self> {
        Vec::new()
    }

    fn unanswered(&self) -> Vec<Self> {
        Vec::new()
    }
}

impl<R: Rules<Machine>> TextFormat for Handler<R> {
    const COMMANDS: &'static str = "a member is told `to join via`, `to join with the state via`, \
                                    `to suspect`, `to announce itself to` another, `to leave` or \
                                    `that the installation failed`";

    fn peer_name(peer: MemberId) -> String {
        peer.to_string()
    }

    fn peer(name: &str) -> Option<MemberId> {
        member(name)
    }

    fn command(words: &str) -> Option<Command> {
        if words == "to leave" {
            return Some(Command::Leave);
        }
        if words == "that the installation failed" {
            return Some(Command::InstallationFails);
        }
        if let Some(name) = words.strip_prefix("to suspect ") {
            return Some(Command::Suspect { member: member(name)? });
        }
        if let Some(name) = words.strip_prefix("to announce itself to ") {
            return Some(Command::Announce { to: member(name)? });
        }
        let (with_state, name) = match words.strip_prefix("to join via ") {
            Some(name) => (false, name),
            None => (true, words.strip_prefix("to join with the state via ")?),
        };
        Some(Command::Join { via: member(name)?, with_state })
    }

    fn saved((): &()) -> String {
        String::new()
    }
}
