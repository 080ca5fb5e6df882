//! What may happen in the cluster, and what it sends to members.

use turnstile_core::replicated::message::Message;
use turnstile_core::replicated::types::{Address, LockName, Operation};
use turnstile_step::Symbolic;

use turnstile_world::NodeId;

/// What may happen in the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Change {
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

/// What nodes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Letter {
    /// To or from a member, in step with the log.
    Log(Message),
    /// A member ends, and begins again under this address.
    Begin(Address),
    /// To a member, past the log: whoever has another address does not hear it.
    Past(Address, Message),
}

impl Letter {
    /// Calls `each` with every address; it may replace them.
    pub(crate) fn visit_addresses(&mut self, each: &mut dyn FnMut(&mut Address)) {
        match self {
            Self::Log(message) => message.visit_addresses(each),
            Self::Begin(address) => each(address),
            Self::Past(address, message) => {
                each(address);
                message.visit_addresses(each);
            }
        }
    }
}

/// What goes out to whom, in order.
pub(super) type Mail = Vec<(NodeId, Letter)>;

/// The lock that a mutex's command is about.
pub(super) const fn lock_of(operation: &Operation) -> Option<LockName> {
    match operation {
        Operation::Lock(lock) | Operation::TryLock(lock) | Operation::Unlock(lock) => Some(*lock),
        Operation::UnlockAll | Operation::Reset(_) => None,
    }
}
