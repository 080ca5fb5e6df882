//! The text format of byte-range locks: cache managers, whose clients act by commands, and the file
//! server.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::ByteRange;
use crate::locks::{ClientKey, LockType};
use crate::manager::{CacheManager, Command, Operation};
use crate::message::{FileClient, FileId, FileServerPeer, Message, ServerLock};
use crate::number::LockId;
use crate::server::{self, FileServer};
use turnstile_byte_range_lock_machines::{byte_range_lock, server_lock};
use turnstile_machine::Rules;
#[cfg(not(feature = "serde"))]
use turnstile_scenario::CoreNode as NodeOf;
#[cfg(feature = "serde")]
use turnstile_scenario::trace::TraceableNode as NodeOf;
use turnstile_scenario::{Deliverable, Node, NodeFactory, Protocol, TextFormat};

/// The protocol of byte-range locks: its nodes and their messages as text.
pub const PROTOCOL: Protocol = Protocol::of::<RangeNodes>();

/// The nodes of the byte-range lock system, by the compiled tables.
#[derive(Clone, Copy, Debug)]
struct RangeNodes;

impl NodeFactory for RangeNodes {
    type Message = Message;

    const NODE_KINDS: &'static str =
        "`host N is a cache manager` and `file server is a server of files`";

    fn node(name: &str, what: &str) -> Option<Box<dyn Node<Message>>> {
        match what {
            "cache manager" if host(name).is_some() => {
                Some(Box::new(NodeOf::new(CacheManager::new())))
            }
            "server of files" if name == FileServerPeer.to_string() => {
                Some(Box::new(NodeOf::new(FileServer)))
            }
            _ => None,
        }
    }
}

fn host(name: &str) -> Option<FileClient> {
    name.strip_prefix("host ")?.parse().ok().map(FileClient)
}

fn file(words: &str) -> Option<FileId> {
    words.strip_prefix("file ")?.parse().ok().map(FileId)
}

fn range(words: &str) -> Option<ByteRange> {
    if words == ByteRange::ALL.to_string() {
        return Some(ByteRange::ALL);
    }
    let (offset, length) = words.split_once(",+")?;
    ByteRange::new(offset.parse().ok()?, length.parse().ok()?).ok()
}

fn operation(words: &str) -> Option<Operation> {
    let lock = |number: &str| number.parse().ok().map(LockId::new);
    if let Some(number) = words.strip_prefix("release lock ") {
        return Some(Operation::Unlock(lock(number)?));
    }
    if let Some(number) = words.strip_prefix("abandon lock ") {
        return Some(Operation::Abandon(lock(number)?));
    }
    if let Some(words) = words.strip_prefix("read ") {
        return Some(Operation::Read(range(words)?));
    }
    if let Some(words) = words.strip_prefix("write ") {
        return Some(Operation::Write(range(words)?));
    }
    let (words, kind) = words.strip_prefix("lock ")?.rsplit_once(' ')?;
    let kinds = [LockType::Shared, LockType::Exclusive];
    let kind = kinds.into_iter().find(|known| known.to_string() == kind)?;
    Some(Operation::Lock(kind, range(words)?))
}

impl Deliverable for Message {
    fn altered(&self) -> Vec<Self> {
        self.lapsed().into_iter().collect()
    }

    fn unanswered(&self) -> Vec<Self> {
        match self {
            Self::Call { call, .. } => [Self::unanswered(*call)].into(),
            Self::Reply { .. } => Vec::new(),
        }
    }
}

impl<L: Rules<byte_range_lock::Machine>, S: Rules<server_lock::Machine>> TextFormat
    for CacheManager<L, S>
{
    const COMMANDS: &'static str = "a host is told `by client N of file N to` `lock N,+N shared`, \
                                    `lock N,+N exclusive`, `release lock N`, `abandon lock N`, \
                                    `read N,+N` or `write N,+N`";

    fn peer_name(peer: FileServerPeer) -> String {
        peer.to_string()
    }

    fn peer(name: &str) -> Option<FileServerPeer> {
        (name == FileServerPeer.to_string()).then_some(FileServerPeer)
    }

    fn command(words: &str) -> Option<Command> {
        let (key, words) = words.strip_prefix("by client ")?.split_once(" of ")?;
        let (of, words) = words.split_once(" to ")?;
        let key = ClientKey(key.parse().ok()?);
        Some(Command { file: file(of)?, key, operation: operation(words)? })
    }

    fn saved((): &()) -> String {
        String::new()
    }
}

impl TextFormat for FileServer {
    const COMMANDS: &'static str = "it is told `that another host` `takes LockRead of file N`, \
                                    `takes LockWrite of file N`, `frees file N` or `changes \
                                    file N`";

    fn peer_name(peer: FileClient) -> String {
        peer.to_string()
    }

    fn peer(name: &str) -> Option<FileClient> {
        host(name)
    }

    fn command(words: &str) -> Option<server::Command> {
        let words = words.strip_prefix("that another host ")?;
        if let Some(words) = words.strip_prefix("frees ") {
            return Some(server::Command::Free(file(words)?));
        }
        if let Some(words) = words.strip_prefix("changes ") {
            return Some(server::Command::Change(file(words)?));
        }
        let (lock, of) = words.strip_prefix("takes ")?.split_once(" of ")?;
        let locks = [ServerLock::LockRead, ServerLock::LockWrite];
        let lock = locks.into_iter().find(|known| known.to_string() == lock)?;
        Some(server::Command::Take(file(of)?, lock))
    }

    fn saved((): &()) -> String {
        String::new()
    }
}
