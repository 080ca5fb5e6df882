//! The words of members that have their views and their locks in one stack.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use turnstile_machine::Rules;
use turnstile_machines::{group_lock_client, group_lock_coordinator, view_handler};
use turnstile_step::Out;

use super::actor::{Actor, Node, Travels, Words};
use super::group::view;
use crate::group;
use crate::stack::{Command, Message, Stack};
use crate::view::{Handler, MemberId, Members};

/// The member of this name that the text after `is a` means, by the tables that are baked in:
/// `member with locks of no group`, or of a group of its own: `member with locks of view 1 of 2`.
#[must_use]
pub(super) fn cast(name: &str, what: &str) -> Option<Box<dyn Actor<Message>>> {
    let me = name.strip_prefix("member ")?.parse().ok().map(MemberId)?;
    let stack = Stack::new(me);
    match what.strip_prefix("member with locks of ")? {
        "no group" => Some(stack.into()),
        alone => {
            let view = view(alone).filter(|view| view.members == Members::new([me]))?;
            // It has nobody to send to, and no timer is armed when it has heard itself.
            let state = stack.begin(view, &mut Out::default());
            Some(Box::new(Node::with(stack, state)))
        }
    }
}

impl Travels for Message {
    fn altered(&self) -> Vec<Self> {
        Vec::new()
    }

    fn unanswered(&self) -> Vec<Self> {
        Vec::new()
    }
}

impl<V, C, K> Words for Stack<V, C, K>
where
    V: Rules<view_handler::Machine>,
    C: Rules<group_lock_client::Machine>,
    K: Rules<group_lock_coordinator::Machine>,
{
    const COMMANDS: &'static str = "a member is told `to lock N`, `to unlock N`, and what a member \
                                    without locks is told";

    fn peer_name(peer: MemberId) -> String {
        peer.to_string()
    }

    fn peer(name: &str) -> Option<MemberId> {
        <Handler<V> as Words>::peer(name)
    }

    fn command(words: &str) -> Option<Command> {
        match <group::Member<C, K> as Words>::command(words) {
            Some(group::Command::Lock(lock)) => Some(Command::Lock(lock)),
            Some(group::Command::Unlock(lock)) => Some(Command::Unlock(lock)),
            // Its views are those that it installs.
            Some(group::Command::View(_)) => None,
            None => <Handler<V> as Words>::command(words).map(Command::Views),
        }
    }

    fn saved((): &()) -> String {
        String::new()
    }
}
