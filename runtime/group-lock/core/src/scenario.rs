//! The text format of the group lock: members, whose views are commands.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::message::{LockName, Message};
use crate::{Command, Member};
use turnstile_group_lock_machines::{group_lock_client, group_lock_coordinator};
use turnstile_machine::Rules;
#[cfg(not(feature = "serde"))]
pub(crate) use turnstile_scenario::CoreNode as NodeOf;
#[cfg(feature = "serde")]
pub(crate) use turnstile_scenario::trace::TraceableNode as NodeOf;
use turnstile_scenario::{Deliverable, LinkKind, Node, NodeFactory, Protocol, TextFormat};
use turnstile_view_handler_core::number::ViewId;
use turnstile_view_handler_core::{MemberId, Members, View};

/// The protocol of the group lock: its nodes and their messages as text.
pub const PROTOCOL: Protocol = Protocol::of::<GroupNodes>();

/// The nodes of the group system, by the compiled tables.
#[derive(Clone, Copy, Debug)]
struct GroupNodes;

impl NodeFactory for GroupNodes {
    type Message = Message;

    const LINKS: LinkKind = LinkKind::Fifo;

    const NODE_KINDS: &'static str = "all of them `member with locks`";

    fn node(name: &str, what: &str) -> Option<Box<dyn Node<Message>>> {
        if what != "member with locks" {
            return None;
        }
        Some(Box::new(NodeOf::new(Member::new(member(name)?))))
    }
}

fn member(name: &str) -> Option<MemberId> {
    name.strip_prefix("member ")?.parse().ok().map(MemberId)
}

fn members(words: &str) -> Option<Members> {
    let members: Result<Vec<u64>, _> = words.split(", ").map(str::parse).collect();
    Some(Members::new(members.ok()?.into_iter().map(MemberId)))
}

/// `view 2 of 1, 3`, and for a MergeView also `, merged from (1) and (3)`.
pub(crate) fn view(words: &str) -> Option<View> {
    let (id, words) = words.strip_prefix("view ")?.split_once(" of ")?;
    let id = ViewId::new(id.parse().ok()?);
    let Some((_, groups)) = words.split_once(", merged from (") else {
        return Some(View::new(id, members(words)?.iter()));
    };
    let groups = groups.strip_suffix(')')?.split(") and (").map(members);
    Some(View::merge(id, groups.collect::<Option<Vec<Members>>>()?))
}

impl Deliverable for Message {
    fn altered(&self) -> Vec<Self> {
        Vec::new()
    }

    fn unanswered(&self) -> Vec<Self> {
        Vec::new()
    }
}

impl<C, K> TextFormat for Member<C, K>
where
    C: Rules<group_lock_client::Machine>,
    K: Rules<group_lock_coordinator::Machine>,
{
    const COMMANDS: &'static str = "a member is told `to lock N`, `to unlock N`, `of view N of N, \
                                    N`, perhaps `, merged from (N) and (N)`";

    fn peer_name(peer: MemberId) -> String {
        alloc::format!("{peer}")
    }

    fn peer(name: &str) -> Option<MemberId> {
        member(name)
    }

    fn command(words: &str) -> Option<Command> {
        let lock = |number: &str| number.parse().ok().map(LockName);
        if let Some(number) = words.strip_prefix("to lock ") {
            return Some(Command::Lock(lock(number)?));
        }
        if let Some(number) = words.strip_prefix("to unlock ") {
            return Some(Command::Unlock(lock(number)?));
        }
        Some(Command::View(view(words.strip_prefix("of ")?)?))
    }

    fn saved((): &()) -> String {
        String::new()
    }
}
