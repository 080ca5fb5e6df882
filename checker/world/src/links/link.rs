//! The kinds of links and the operations on them.

use crate::links::network::NodeId;
use crate::value::{Ordered, Value};

/// A link between two nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The node that sends, or that calls.
    pub from: NodeId,
    /// The node that receives, or that answers.
    pub to: NodeId,
    /// Its kind.
    pub kind: LinkKind,
    /// What happens to a message that is sent while it is full.
    pub when_full: WhenFull,
}

/// What happens to a message that is sent on a full link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhenFull {
    /// It is dropped, and the search is incomplete beyond this state.
    #[default]
    Fail,
    /// It is dropped.
    Drop,
    /// It is not sent: the step of its sender is not enabled.
    Block,
}

impl Link {
    /// Whether requests go one way and answers the other.
    #[must_use]
    pub fn is_calls(&self) -> bool {
        matches!(self.kind, LinkKind::Calls { .. })
    }

    /// Whether it is an unordered set of messages: then a message may stay in flight forever
    /// without blocking another, unless the capacity is exceeded, which makes the search
    /// incomplete.
    pub(crate) fn is_unordered_set(&self) -> bool {
        match self.kind {
            LinkKind::Calls { .. } => false,
            LinkKind::Messages(options) => {
                !options.is_ordered && options.duplication == Occurrence::Unbounded
            }
        }
    }
}

/// The kind of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// Calls: requests one way, replies the other; each request gets one reply or one failure.
    Calls {
        /// The most requests outstanding at once.
        slots: u8,
    },
    /// A channel: messages one way.
    Messages(ChannelOptions),
}

/// The delivery guarantees of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelOptions {
    /// Whether delivery is FIFO.
    pub is_ordered: bool,
    /// The loss of messages.
    pub loss: Occurrence,
    /// The duplication of messages. With [`Occurrence::Unbounded`] the messages in flight are a
    /// set.
    pub duplication: Occurrence,
    /// The most messages in flight at once.
    pub capacity: u8,
}

/// How often a kind of fault may occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Occurrence {
    /// Never.
    Never,
    /// Up to the limit of its budget.
    Budgeted,
    /// Any number of times.
    Unbounded,
}

/// Whether a link delivers messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkStatus {
    /// It does.
    #[default]
    Open,
    /// The receiver has crashed: messages are lost.
    ReceiverDown,
    /// The ends are in different partitions: messages wait.
    Partitioned,
    /// The ends are disconnected: messages are lost.
    Disconnected,
}

/// The kinds of fault that happen on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkFault {
    /// A request never reaches the server; the caller sees a failure.
    LostRequest,
    /// A request was handled; the caller sees a failure.
    LostAnswer,
    /// An answer comes after the caller did something else, or after what it tells of has expired.
    LateAnswer,
    /// The server replies with an error, having handled the request or not.
    ServerError,
    /// A request or a message arrives twice.
    Duplicate,
    /// A message without an answer never arrives.
    LostMessage,
    /// The connection is refused, and the caller is told so.
    RefusedRequest,
    /// The connection breaks while the server holds the request; both ends are told so.
    HungUp,
}

impl LinkFault {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::LostRequest,
        Self::LostAnswer,
        Self::LateAnswer,
        Self::ServerError,
        Self::Duplicate,
        Self::LostMessage,
        Self::RefusedRequest,
        Self::HungUp,
    ];

    /// Whether it happens to requests and their answers.
    #[must_use]
    pub fn is_of_calls(self) -> bool {
        self != Self::LostMessage
    }

    /// Whether it happens to messages that have no answer.
    #[must_use]
    pub fn is_of_messages(self) -> bool {
        matches!(self, Self::Duplicate | Self::LostMessage)
    }

    /// The budget's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LostRequest => "lost request",
            Self::LostAnswer => "lost answer",
            Self::LateAnswer => "late answer",
            Self::ServerError => "server error",
            Self::Duplicate => "duplicate",
            Self::LostMessage => "lost message",
            Self::RefusedRequest => "refused request",
            Self::HungUp => "hung up",
        }
    }
}

/// An operation on a link. A number is an index into the messages in flight.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LinkOp {
    /// Sends a message or a request.
    Push(Ordered),
    /// Sends the reply to a call that is being handled.
    Evaluation(Ordered),
    /// Removes one for delivery.
    Take(u8),
    /// Duplicates one.
    Double(u8),
    /// Loses one.
    Lose(u8),
    /// Turns one into a server error.
    Fail(u8),
    /// Refuses one.
    Refuse(u8),
    /// Delays a reply beyond the validity of what it tells.
    Delay(u8),
    /// The caller takes another step: replies in flight become late.
    Overtake,
    /// Something expires: replies that tell of it become stale and late.
    Expire(Value),
    /// The caller is gone: its connections close.
    CallerGone,
    /// The server is gone: its connections close, and requests being handled get no reply.
    ServerGone,
    /// Sets the status when the receiver crashes or restarts.
    SetStatus(LinkStatus),
    /// Partitions the ends, unless the receiver has crashed.
    Partition,
    /// Disconnects the ends, unless the receiver has crashed.
    Disconnect,
    /// Heals the link.
    Heal,
}

/// An operation enabled on a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnabledLinkOp {
    /// The operation.
    pub op: LinkOp,
    /// The message it delivers: sender, receiver, message.
    pub delivers: Option<(NodeId, NodeId, Ordered)>,
    /// The fault, if it is one.
    pub fault: Option<LinkFault>,
}
