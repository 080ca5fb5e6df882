//! What may happen in the cluster, and what it sends to members.

use turnstile_core::number::Token;
use turnstile_core::replicated::message::Message;
use turnstile_core::replicated::types::{Address, Call, LockName, Operation, Status};
use turnstile_step::Symbolic;

use turnstile_world::NodeId;

/// A result on its way to who waits for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub(super) struct Answer {
    pub(super) to: NodeId,
    pub(super) address: Address,
    pub(super) lock: LockName,
    pub(super) call: Call,
    pub(super) index: Token,
    pub(super) status: Status,
    pub(super) token: Option<Token>,
}

/// What may happen in the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum Change {
    /// A result goes out.
    Answer(u8),
    /// It fails: who waits for it is told so.
    Fail(u8),
    /// Who waits for a command that came to nothing is told so.
    Refuse(u8),
    /// A leader is elected.
    Elect(NodeId),
    /// Though there is one.
    ElectAgain(NodeId),
    /// A member is cut off from all others.
    CutOff(NodeId),
    /// A member ends and starts again, under another address.
    Restart(NodeId),
    /// A member that was apart is connected, and given what it missed of the log.
    Connect(NodeId),
    /// A member that was apart is connected, and given a snapshot.
    Install(NodeId),
    /// What comes into the log is slow to come to a member.
    FallBehind(NodeId),
    /// A member that fell behind is given a snapshot.
    CatchUp(NodeId),
}

impl Change {
    /// What it is rationed by.
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

/// What the cluster sends to a member: a message, in step with the log or not, or its end and
/// another beginning.
pub(super) enum Sent {
    Message(Message),
    Answer(Address, Message),
    Begin(Address),
}

/// What goes out to whom, in order.
pub(super) type Mail = Vec<(NodeId, Sent)>;

/// What who waits for a result hears instead of it.
pub(super) fn failed(answer: &Answer) -> (NodeId, Sent) {
    let Answer { to, address, lock, call, .. } = *answer;
    (to, Sent::Answer(address, Message::Failed { lock, call }))
}

/// The lock that a mutex's command is about.
pub(super) const fn lock_of(operation: &Operation) -> Option<LockName> {
    match operation {
        Operation::Lock(lock) | Operation::TryLock(lock) | Operation::Unlock(lock) => Some(*lock),
        Operation::UnlockAll | Operation::Reset(_) => None,
    }
}
