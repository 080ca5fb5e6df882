//! The text format of the replicated lock service: members that apply a log. The cluster that keeps
//! the log is not a node, so its messages are parsed.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::message::{Cluster, Command, Connectivity, ElectionReason, Message};
use crate::types::{
    Address, CommandId, LockName, LockStatus, LogEntry, LogOperation, ServiceRequest,
};
use crate::{Lock, Locks, Member};
use turnstile_ids::number::Token;
use turnstile_machine::Rules;
use turnstile_replicated_lock_machines::lock_status::State;
use turnstile_replicated_lock_machines::{lock_member, lock_mutex, lock_status};
#[cfg(not(feature = "serde"))]
use turnstile_scenario::CoreNode as NodeOf;
#[cfg(feature = "serde")]
use turnstile_scenario::trace::TraceableNode as NodeOf;
use turnstile_scenario::{Deliverable, Node, NodeFactory, Protocol, TextFormat};
use turnstile_step::Core as _;

/// The protocol of the replicated lock: its nodes and their messages as text.
pub const PROTOCOL: Protocol = Protocol::of::<ReplicatedNodes>();

/// The nodes of the replicated lock system, by the compiled tables.
#[derive(Clone, Copy, Debug)]
struct ReplicatedNodes;

impl NodeFactory for ReplicatedNodes {
    type Message = Message;

    const NODE_KINDS: &'static str = "`member`, `follower` and `leader at address N`";

    fn node(_name: &str, what: &str) -> Option<Box<dyn Node<Message>>> {
        let (role, address) = what.split_once(" at address ")?;
        let core = Member::new(Address(address.parse().ok()?));
        let mut state = core.start();
        state.at = match role {
            "member" => state.at,
            "follower" => lock_member::State::Follower,
            "leader" => lock_member::State::Leader,
            _ => return None,
        };
        Some(Box::new(NodeOf::with_state(core, state)))
    }
}

fn token(words: &str) -> Option<Token> {
    words.parse().ok().map(Token::new)
}

fn lock(words: &str) -> Option<LockName> {
    words.strip_prefix("lock ")?.parse().ok().map(LockName)
}

fn call(words: &str) -> Option<CommandId> {
    words.parse().ok().map(CommandId)
}

fn members(words: &str) -> Option<Vec<Address>> {
    words.split(", ").map(|word| word.parse().ok().map(Address)).collect()
}

fn request(words: &str) -> Option<ServiceRequest> {
    if words == "UNLOCK_ALL" {
        return Some(ServiceRequest::UnlockAll);
    }
    let (name, of) = words.split_once(' ')?;
    match name {
        "LOCK" => lock(of).map(ServiceRequest::Lock),
        "TRY_LOCK" => lock(of).map(ServiceRequest::TryLock),
        "UNLOCK" => lock(of).map(ServiceRequest::Unlock),
        _ => None,
    }
}

fn operation(words: &str) -> Option<LogOperation> {
    if words == "RESET to nobody" {
        return Some(LogOperation::Reset(Vec::new()));
    }
    if let Some(list) = words.strip_prefix("RESET to ") {
        return members(list).map(LogOperation::Reset);
    }
    request(words).map(LogOperation::from)
}

/// `LOCK lock 5 of address 1, call 2`.
fn entry(words: &str) -> Option<LogEntry> {
    let (does, by) = words.rsplit_once(" of address ")?;
    let (by, asked) = match by.split_once(", call ") {
        Some((by, number)) => (by, Some(call(number)?)),
        None => (by, None),
    };
    let by = Address(by.parse().ok()?);
    Some(LogEntry { by, call: asked, operation: operation(does)? })
}

/// `lock 5 held by 1 since 3, waiting are 2, 4`.
fn kept(words: &str) -> Option<(LockName, Lock)> {
    let (words, waiters) = match words.split_once(", waiting are ") {
        Some((words, list)) => (words, members(list)?),
        None => (words, Vec::new()),
    };
    let (name, held) = words.split_once(" held by ")?;
    let (holder, since) = match held.split_once(" since ") {
        Some((holder, since)) => (holder, Some(token(since)?)),
        None => (held, None),
    };
    let holder = Address(holder.parse().ok()?);
    let mut status: Vec<_> = waiters.iter().map(|who| (*who, State::Waiting)).collect();
    status.push((holder, State::Holding));
    status.sort_unstable();
    Some((lock(name)?, Lock { holder: Some(holder), token: since, waiters, status }))
}

fn snapshot(words: &str) -> Option<Message> {
    let mut parts = words.split("; ");
    let index = match parts.next()? {
        "" => None,
        index => Some(token(index.strip_prefix(" at ")?)?),
    };
    Some(Message::Snapshot { index, locks: parts.map(kept).collect::<Option<Locks>>()? })
}

/// What follows `result of call`.
fn result(words: &str) -> Option<Message> {
    let (number, words) = words.split_once(", at ")?;
    let (index, words) = words.split_once(": ")?;
    let (words, minted) = match words.split_once(" with token ") {
        Some((words, minted)) => (words, Some(token(minted)?)),
        None => (words, None),
    };
    let (is, name) = words.split_once(' ')?;
    let status = [LockStatus::None, LockStatus::Waiting, LockStatus::Holding]
        .into_iter()
        .find(|status| alloc::format!("{status}") == is)?;
    let (call, index) = (call(number)?, token(index)?);
    Some(Message::Result { lock: lock(name)?, call, index, status, token: minted })
}

fn view(words: &str) -> Option<Message> {
    let kinds = [
        ("a minority is connected: ", Connectivity::Minority),
        ("members left, connected are ", Connectivity::Left),
        ("members joined, connected are ", Connectivity::Joined),
    ];
    let read = |(begin, is)| Some((is, words.strip_prefix(begin)?));
    let (is, list) = kinds.into_iter().find_map(read)?;
    Some(Message::View { is, members: members(list)? })
}

impl Deliverable for Message {
    fn altered(&self) -> Vec<Self> {
        Vec::new()
    }

    fn unanswered(&self) -> Vec<Self> {
        Vec::new()
    }

    fn parse(words: &str) -> Option<Self> {
        if let Some(why) = words.strip_prefix("elected, for ") {
            return match why {
                "the majority is just reached" => Some(ElectionReason::MajorityIsJustReached),
                "the leader left" => Some(ElectionReason::TheLeaderLeft),
                "the coordinator changed" => Some(ElectionReason::TheCoordinatorChanged),
                _ => None,
            }
            .map(Self::Elected);
        }
        if words == "another is elected" {
            return Some(Self::AnotherIsElected);
        }
        if let Some(words) = words.strip_prefix("at ") {
            let (index, words) = words.split_once(": ")?;
            return Some(Self::Apply { index: token(index)?, entry: entry(words)? });
        }
        if let Some(words) = words.strip_prefix("snapshot") {
            return snapshot(words);
        }
        if let Some(words) = words.strip_prefix("result of call ") {
            return result(words);
        }
        if let Some(words) = words.strip_prefix("failure of call ") {
            let (number, name) = words.split_once(", for ")?;
            return Some(Self::Failed { lock: lock(name)?, call: call(number)? });
        }
        view(words)
    }
}

impl<S, M, X> TextFormat for Member<S, M, X>
where
    S: Rules<lock_status::Machine>,
    M: Rules<lock_member::Machine>,
    X: Rules<lock_mutex::Machine>,
{
    const COMMANDS: &'static str = "a member is told `to lock lock N`, `to try to lock lock N`, \
                                    `to unlock lock N`, `to execute LOCK lock N` or another \
                                    command of the log but RESET";

    fn peer_name(peer: Cluster) -> String {
        alloc::format!("{peer}")
    }

    fn peer(name: &str) -> Option<Cluster> {
        (name == "cluster").then_some(Cluster)
    }

    fn command(words: &str) -> Option<Command> {
        if let Some(name) = words.strip_prefix("to lock ") {
            return lock(name).map(Command::Lock);
        }
        if let Some(name) = words.strip_prefix("to try to lock ") {
            return lock(name).map(Command::TryLock);
        }
        if let Some(name) = words.strip_prefix("to unlock ") {
            return lock(name).map(Command::Unlock);
        }
        request(words.strip_prefix("to execute ")?).map(Command::Serve)
    }

    fn saved((): &()) -> String {
        String::new()
    }
}
