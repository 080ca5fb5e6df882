//! The state, messages, timers, commands and notices of a stack: those of its two parts.

use turnstile_step::Symbolic;

use crate as group;
use crate::message::LockName;
use turnstile_view_handler_core as view;

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

/// A command of the local user or of the layers below. Views come from the member's own handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Command {
    /// Begin a group of its own, whose view is after all that the member knows. A member that is in
    /// a group, or joins one, does nothing.
    Begin,
    /// Acquire the lock.
    Lock(LockName),
    /// Release the lock.
    Unlock(LockName),
    /// About the group: by its user, or by the layers below.
    Views(view::Command),
}

/// A notification to the local user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Notice {
    /// About views.
    Views(view::Notice),
    /// About a lock.
    Locks(group::Notice),
}
