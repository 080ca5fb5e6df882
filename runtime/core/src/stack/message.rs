//! What a stack keeps, hears and says: that of its two parts, each under its name.

use turnstile_step::{Effect, IdClass, Symbolic, not_symbolic};

use crate::group::message::LockName;
use crate::view::MemberId;
use crate::{group, view};

/// The state of a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Of its view handling.
    pub views: view::State,
    /// Of its locks.
    pub locks: group::State,
}

/// A message between members.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Message {
    /// About views.
    Views(view::Message),
    /// About locks.
    Locks(group::message::Message),
}

/// The timers of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timer {
    /// Of its view handling.
    Views(view::Timer),
    /// Of its locks.
    Locks(group::Timer),
}

/// What a member is told. Views are nobody's to command: its own handler installs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Command {
    /// Get the lock.
    Lock(LockName),
    /// Give it back.
    Unlock(LockName),
    /// About the group: by its user, or by the layers below.
    Views(view::Command),
}

/// What the local user is told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Notice {
    /// About views.
    Views(view::Notice),
    /// About a lock.
    Locks(group::Notice),
}

not_symbolic!(Command);

type Of<M, T, N> = Effect<MemberId, M, T, N, ()>;

pub(super) fn of_views(
    effect: Of<view::Message, view::Timer, view::Notice>,
) -> Of<Message, Timer, Notice> {
    match effect {
        Effect::Send { to, message } => Effect::Send { to, message: Message::Views(message) },
        Effect::Arm(timer) => Effect::Arm(Timer::Views(timer)),
        Effect::Disarm(timer) => Effect::Disarm(Timer::Views(timer)),
        Effect::Save(()) => Effect::Save(()),
        Effect::Notify(notice) => Effect::Notify(Notice::Views(notice)),
    }
}

pub(super) fn of_locks(
    effect: Of<group::message::Message, group::Timer, group::Notice>,
) -> Of<Message, Timer, Notice> {
    match effect {
        Effect::Send { to, message } => Effect::Send { to, message: Message::Locks(message) },
        Effect::Arm(timer) => Effect::Arm(Timer::Locks(timer)),
        Effect::Disarm(timer) => Effect::Disarm(Timer::Locks(timer)),
        Effect::Save(()) => Effect::Save(()),
        Effect::Notify(notice) => Effect::Notify(Notice::Locks(notice)),
    }
}

impl Symbolic for State {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        self.views.visit_ids(each);
        self.locks.visit_ids(each);
    }
}

impl Symbolic for Message {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        match self {
            Self::Views(message) => message.visit_ids(each),
            Self::Locks(message) => message.visit_ids(each),
        }
    }
}

impl Symbolic for Timer {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        match self {
            Self::Views(timer) => timer.visit_ids(each),
            Self::Locks(timer) => timer.visit_ids(each),
        }
    }
}

impl Symbolic for Notice {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        match self {
            Self::Views(notice) => notice.visit_ids(each),
            Self::Locks(notice) => notice.visit_ids(each),
        }
    }
}
