//! Text of commands, messages and notices, for counterexamples and Explorer.

use std::fmt;

use turnstile_replicated_lock_core::message::Message;

use super::envelope::{ClusterEvent, Envelope};
use super::nodes::{Command, Notice};

impl fmt::Display for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Log(Message::Execute(entry)) => entry.fmt(f),
            Self::Log(message) | Self::Direct(_, message) => message.fmt(f),
            Self::Chosen(choice, message) => {
                write!(f, "{message} by matching row {}", u16::from(*choice) + 1)
            }
            Self::Restart(address) => write!(f, "end, and restart as {address}"),
        }
    }
}

impl fmt::Display for ClusterEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer(_) => f.write_str("answers"),
            Self::Fail(_) => f.write_str("fails to answer"),
            Self::Refuse(_) => f.write_str("fails a dropped command"),
            Self::Elect(who) => write!(f, "elects member {}", who + 1),
            Self::ElectAgain(who) => {
                write!(f, "elects member {} although there is a leader", who + 1)
            }
            Self::CutOff(who) => write!(f, "partitions member {}", who + 1),
            Self::Restart(who) => write!(f, "restarts member {}", who + 1),
            Self::Connect(who) => write!(f, "connects member {}", who + 1),
            Self::Install(who) => write!(f, "connects member {} by a snapshot", who + 1),
            Self::FallBehind(who) => write!(f, "lets member {} lag", who + 1),
            Self::CatchUp(who) => write!(f, "gives member {} a snapshot", who + 1),
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ask(command) => command.fmt(f),
            Self::Act(lock) => write!(f, "acts under {lock}"),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(notice) => write!(f, "notifies {notice}"),
            Self::Acts { token: Some(token), .. } => write!(f, "acts with token {token}"),
            Self::Acts { token: None, .. } => f.write_str("acts"),
        }
    }
}
