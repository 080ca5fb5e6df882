//! The text format of members with views and locks in one stack.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use turnstile_group_lock_machines::{group_lock_client, group_lock_coordinator};
use turnstile_machine::Rules;
use turnstile_step::Out;
use turnstile_view_handler_machines::view_handler;

use crate as group;
use crate::scenario::{NodeOf, view};
use crate::stack::{Command, Message, Stack};
use turnstile_scenario::{Deliverable, LinkKind, Node, NodeFactory, Protocol, TextFormat};
use turnstile_view_handler_core::number::ViewId;
use turnstile_view_handler_core::{Handler, MemberId, Members};

/// The protocol of the group lock above view handling: its nodes and their messages as text.
pub const PROTOCOL: Protocol = Protocol::of::<StackNodes>();

/// The nodes of the stack system, by the compiled tables.
#[derive(Clone, Copy, Debug)]
struct StackNodes;

impl NodeFactory for StackNodes {
    type Message = Message;

    const LINKS: LinkKind = LinkKind::Fifo;

    const NODE_KINDS: &'static str =
        "all of them `member with locks`, `of view N of N`, alone, or `of no group`";

    fn node(name: &str, what: &str) -> Option<Box<dyn Node<Message>>> {
        let me = name.strip_prefix("member ")?.parse().ok().map(MemberId)?;
        let stack = Stack::new(me);
        match what.strip_prefix("member with locks of ")? {
            "no group" => Some(Box::new(NodeOf::new(stack))),
            alone => {
                let view = view(alone).filter(|view| view.members == Members::new([me]))?;
                // Alone in its view, it sends no message and arms no timer.
                let state = stack.begin(view, &mut Out::default());
                Some(Box::new(NodeOf::with_state(stack, state)))
            }
        }
    }
}

impl Deliverable for Message {
    fn altered(&self) -> Vec<Self> {
        Vec::new()
    }

    fn unanswered(&self) -> Vec<Self> {
        Vec::new()
    }
}

impl<V, C, K> TextFormat for Stack<V, C, K>
where
    V: Rules<view_handler::Machine>,
    C: Rules<group_lock_client::Machine>,
    K: Rules<group_lock_coordinator::Machine>,
{
    const COMMANDS: &'static str = "a member is told `to begin a group`, `to lock N`, `to unlock \
                                    N`, and what a member without locks is told";

    fn peer_name(peer: MemberId) -> String {
        peer.to_string()
    }

    fn peer(name: &str) -> Option<MemberId> {
        <Handler<V> as TextFormat>::peer(name)
    }

    fn command(words: &str) -> Option<Command> {
        if words == "to begin a group" {
            return Some(Command::Begin);
        }
        match <group::Member<C, K> as TextFormat>::command(words) {
            Some(group::Command::Lock(lock)) => Some(Command::Lock(lock)),
            Some(group::Command::Unlock(lock)) => Some(Command::Unlock(lock)),
            // Its views are those that it installs.
            Some(group::Command::View(_)) => None,
            None => <Handler<V> as TextFormat>::command(words).map(Command::Views),
        }
    }

    fn saved(last_view: &ViewId) -> String {
        format!("view {last_view}")
    }
}
