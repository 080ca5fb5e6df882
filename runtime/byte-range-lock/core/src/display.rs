//! The text of the inputs and effects of byte-range locks, in scenarios and counterexamples.

use core::fmt::{Display, Formatter, Result};

use super::locks::{ClientKey, LockType};
use super::manager::{Command, Notice, Operation, Outcome, Timer};

impl Display for ClientKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "client {}", self.0)
    }
}

impl Display for LockType {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Self::Shared => "shared",
            Self::Exclusive => "exclusive",
        })
    }
}

impl Display for Timer {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Check(file) => write!(f, "check timer of {file}"),
            Self::Lease(file) => write!(f, "lease timer of {file}"),
            Self::Wait(file, lock) => write!(f, "wait timer of lock {lock} of {file}"),
        }
    }
}

impl Display for Command {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { file, key, operation } = self;
        write!(f, "by {key} of {file} to {operation}")
    }
}

impl Display for Operation {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Lock(kind, range) => write!(f, "lock {range} {kind}"),
            Self::Unlock(lock) => write!(f, "release lock {lock}"),
            Self::Abandon(lock) => write!(f, "abandon lock {lock}"),
            Self::Read(range) => write!(f, "read {range}"),
            Self::Write(range) => write!(f, "write {range}"),
        }
    }
}

impl Display for Notice {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { file, key, outcome } = self;
        write!(f, "{key} of {file}: {outcome}")
    }
}

impl Display for Outcome {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Granted(lock) => write!(f, "lock {lock} is granted"),
            Self::Waits(lock) => write!(f, "lock {lock} waits"),
            Self::TimedOut(lock) => write!(f, "lock {lock} waited too long"),
            Self::Lost(lock) => write!(f, "lock {lock} is lost"),
            Self::Refused => f.write_str("refused"),
            Self::Allowed => f.write_str("allowed"),
        }
    }
}
