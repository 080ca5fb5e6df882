//! What a stack keeps, hears and says: that of its two parts, each under its name.

use turnstile_step::Symbolic;

use crate::group::message::LockName;
use crate::{group, view};

/// The state of a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct State {
    /// Of its view handling.
    pub views: view::State,
    /// Of its locks.
    pub locks: group::State,
}

/// A message between members.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Message {
    /// About views.
    Views(view::Message),
    /// About locks.
    Locks(group::message::Message),
}

/// The timers of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Timer {
    /// Of its view handling.
    Views(view::Timer),
    /// Of its locks.
    Locks(group::Timer),
}

/// What a member is told. Views are nobody's to command: its own handler installs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Command {
    /// Get the lock.
    Lock(LockName),
    /// Give it back.
    Unlock(LockName),
    /// About the group: by its user, or by the layers below.
    Views(view::Command),
}

/// What the local user is told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Notice {
    /// About views.
    Views(view::Notice),
    /// About a lock.
    Locks(group::Notice),
}
