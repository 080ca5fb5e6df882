//! The replicated lock service in words, for counterexamples and Explorer.

use std::fmt;

use turnstile_step::{Effect, Input};
use turnstile_world::system::{EffectOf, InputOf};

use super::mail::Change;
use super::{Command, Letter, Notice, ReplicatedTypes};

impl fmt::Display for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(message) | Self::Past(_, message) => message.fmt(f),
            Self::Begin(address) => write!(f, "the end, and a beginning as {address}"),
            Self::Execute(entry) => entry.fmt(f),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer(_) => f.write_str("answers"),
            Self::Fail(_) => f.write_str("fails to answer"),
            Self::Refuse(_) => f.write_str("lets a lost command fail"),
            Self::Elect(who) => write!(f, "elects member {}", who + 1),
            Self::ElectAgain(who) => {
                write!(f, "elects member {} though there is a leader", who + 1)
            }
            Self::CutOff(who) => write!(f, "cuts off member {}", who + 1),
            Self::Restart(who) => write!(f, "ends member {} and starts it again", who + 1),
            Self::Connect(who) => write!(f, "connects member {}", who + 1),
            Self::Install(who) => write!(f, "connects member {} by a snapshot", who + 1),
            Self::FallBehind(who) => write!(f, "has member {} fall behind", who + 1),
            Self::CatchUp(who) => write!(f, "gives member {} a snapshot", who + 1),
        }
    }
}

pub(super) fn input(input: &InputOf<ReplicatedTypes>) -> String {
    match input {
        Input::Message { message, .. } => message.to_string(),
        Input::Fired(timer) => timer.to_string(),
        Input::Command(Command::Member(command)) => command.to_string(),
        Input::Command(Command::Act(lock)) => format!("acts under {lock}"),
        Input::Command(Command::Cluster(change)) => change.to_string(),
        Input::Restart(_) => "starts again".to_owned(),
    }
}

pub(super) fn effect(effect: &EffectOf<ReplicatedTypes>) -> Option<String> {
    match effect {
        Effect::Arm(timer) => Some(format!("arms {timer}")),
        Effect::Disarm(timer) => Some(format!("disarms {timer}")),
        Effect::Notify(Notice::Member(notice)) => Some(format!("notifies {notice}")),
        Effect::Notify(Notice::Acts { token: Some(token), .. }) => {
            Some(format!("acts with token {token}"))
        }
        Effect::Notify(Notice::Acts { token: None, .. }) => Some("acts".to_owned()),
        Effect::Save(()) | Effect::Send { .. } => None,
    }
}
