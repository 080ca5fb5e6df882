//! The text of the inputs and effects of a stack: that of its parts.

use core::fmt::{Display, Formatter, Result};

use super::message::{Command, Message, Notice, Timer};
use crate as group;

impl Display for Message {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Views(message) => message.fmt(f),
            Self::Locks(message) => message.fmt(f),
        }
    }
}

impl Display for Timer {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Views(timer) => timer.fmt(f),
            Self::Locks(timer) => timer.fmt(f),
        }
    }
}

impl Display for Command {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Begin => f.write_str("to begin a group"),
            Self::Views(command) => command.fmt(f),
            Self::Lock(lock) => group::Command::Lock(*lock).fmt(f),
            Self::Unlock(lock) => group::Command::Unlock(*lock).fmt(f),
        }
    }
}

impl Display for Notice {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Views(notice) => notice.fmt(f),
            Self::Locks(notice) => notice.fmt(f),
        }
    }
}
