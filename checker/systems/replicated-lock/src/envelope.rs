//! Events of the cluster, and its messages to members.

use turnstile_ids::number::Token;
use turnstile_replicated_lock_core::message::Message;
use turnstile_replicated_lock_core::types::{Address, LockName, LogEntry, LogOperation};
use turnstile_step::Symbolic;

use turnstile_world::NodeId;

/// An event of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum ClusterEvent {
    /// A result is sent.
    Answer(u8),
    /// A result fails: its caller is notified.
    Fail(u8),
    /// The caller of a dropped command is notified.
    Refuse(u8),
    /// A leader is elected.
    Elect(NodeId),
    /// A leader is elected although there is one.
    ElectAgain(NodeId),
    /// A member is partitioned from all others.
    CutOff(NodeId),
    /// A member ends and restarts, under another address.
    Restart(NodeId),
    /// A partitioned member is connected, and given the missing entries of the log.
    Connect(NodeId),
    /// A partitioned member is connected, and given a snapshot.
    Install(NodeId),
    /// A member begins to lag behind the log.
    FallBehind(NodeId),
    /// A lagging member is given a snapshot.
    CatchUp(NodeId),
}

impl ClusterEvent {
    /// The budget that limits it.
    pub(super) const fn budget(self) -> Option<&'static str> {
        match self {
            Self::Answer(_) | Self::Refuse(_) | Self::Elect(_) => None,
            Self::Connect(_) => Some("connection"),
            Self::Install(_) | Self::CatchUp(_) => Some("snapshot"),
            Self::FallBehind(_) => Some("lag"),
            Self::Fail(_) => Some("failed command"),
            Self::ElectAgain(_) => Some("coordinator change"),
            Self::CutOff(_) => Some("partition"),
            Self::Restart(_) => Some("restart"),
        }
    }
}

/// A message between nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Envelope {
    /// To or from a member, in the order of the log.
    Log(Message),
    /// An entry of the log, and which of several matching rows every replica takes for it, if not
    /// the first.
    Chosen(u8, Message),
    /// A member ends, and restarts under this address.
    Restart(Address),
    /// To a member, bypassing the log: a member with another address ignores it.
    Direct(Address, Message),
}

impl Envelope {
    /// Calls `each` with every address; it may replace them.
    pub(crate) fn visit_addresses(&mut self, each: &mut dyn FnMut(&mut Address)) {
        match self {
            Self::Log(message) | Self::Chosen(_, message) => message.visit_addresses(each),
            Self::Restart(address) => each(address),
            Self::Direct(address, message) => {
                each(address);
                message.visit_addresses(each);
            }
        }
    }
}

/// An entry of the log on its way to a member.
pub(super) const fn applied(index: Token, entry: LogEntry, choice: u8) -> Envelope {
    let message = Message::Apply { index, entry };
    if choice == 0 { Envelope::Log(message) } else { Envelope::Chosen(choice, message) }
}

/// Messages and their receivers, in order.
pub(super) type Outbox = Vec<(NodeId, Envelope)>;

/// The lock of a mutex's command.
pub(super) const fn lock_of(operation: &LogOperation) -> Option<LockName> {
    match operation {
        LogOperation::Lock(lock) | LogOperation::TryLock(lock) | LogOperation::Unlock(lock) => {
            Some(*lock)
        }
        LogOperation::UnlockAll | LogOperation::Reset(_) => None,
    }
}
