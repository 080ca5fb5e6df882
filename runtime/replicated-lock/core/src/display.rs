//! The text of the replicated lock service's messages, commands and notices.

use core::fmt;

use super::message::{Command, Connectivity, ElectionReason, Message, MutexEvent, Notice};
use super::types::{Address, LogOperation};

fn list(members: &[Address], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut comma = " ";
    for member in members {
        write!(f, "{comma}{}", member.0)?;
        comma = ", ";
    }
    Ok(())
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::View { is, members } => {
                f.write_str(match is {
                    Connectivity::Minority => "a minority is connected:",
                    Connectivity::Left => "members left, connected are",
                    Connectivity::Joined => "members joined, connected are",
                })?;
                list(members, f)
            }
            Self::Elected(because) => f.write_str(match because {
                ElectionReason::MajorityIsJustReached => {
                    "elected, for the majority is just reached"
                }
                ElectionReason::TheLeaderLeft => "elected, for the leader left",
                ElectionReason::TheCoordinatorChanged => "elected, for the coordinator changed",
            }),
            Self::AnotherIsElected => f.write_str("another is elected"),
            Self::Apply { index, entry } => write!(f, "at {index}: {entry}"),
            Self::Snapshot { index, locks } => {
                f.write_str("snapshot")?;
                index.map_or(Ok(()), |index| write!(f, " at {index}"))?;
                for (name, lock) in locks.iter() {
                    write!(f, "; {name}")?;
                    if let Some(holder) = lock.holder {
                        write!(f, " held by {}", holder.0)?;
                    }
                    if let Some(token) = lock.token {
                        write!(f, " since {token}")?;
                    }
                    if !lock.waiters.is_empty() {
                        f.write_str(", waiting are")?;
                        list(&lock.waiters, f)?;
                    }
                }
                Ok(())
            }
            Self::Result { lock, call, index, status, token } => {
                write!(f, "result of call {}, at {index}: {status} {lock}", call.0)?;
                token.map_or(Ok(()), |token| write!(f, " with token {token}"))
            }
            Self::Failed { lock, call } => write!(f, "failure of call {}, for {lock}", call.0),
            Self::Execute(entry) => write!(f, "execute {entry}"),
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lock(lock) => write!(f, "to lock {lock}"),
            Self::TryLock(lock) => write!(f, "to try to lock {lock}"),
            Self::Unlock(lock) => write!(f, "to unlock {lock}"),
            Self::Serve(request) => write!(f, "to execute {}", LogOperation::from(*request)),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { lock, status, token } => {
                write!(f, "listener: {status} {lock}")?;
                token.map_or(Ok(()), |token| write!(f, " with token {token}"))
            }
            Self::Mutex { lock, event } => {
                let event = match event {
                    MutexEvent::Returns => "returns",
                    MutexEvent::NotLocked => "returns without the lock",
                    MutexEvent::Throws => "throws RaftException",
                    MutexEvent::UnexpectedUnlocking => "unexpected unlocking",
                    MutexEvent::UnexpectedLocking => "unexpected locking",
                };
                write!(f, "mutex of {lock}: {event}")
            }
        }
    }
}
