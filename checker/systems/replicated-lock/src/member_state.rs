//! A member as a node keeps it: its core's state, and what the checks of its steps have found.

use turnstile_replicated_lock_core::types::Address;
use turnstile_replicated_lock_core::{Member, State};
use turnstile_replicated_lock_machines::lock_mutex::State as Mutex;
use turnstile_step::{InputOf, Symbolic};

use crate::delivered::Delivered;
use crate::replicated::{MemberRules, MutexRules, StatusRules};

/// The core of a member by the tables that run.
pub(crate) type Inner = Member<StatusRules, MemberRules, MutexRules>;

/// An input of the member's core.
pub(crate) type MemberInput = InputOf<Inner>;

/// A member under its address.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct MemberState {
    /// The address.
    pub(crate) address: Address,
    /// The core's state.
    pub(crate) core: State,
    /// The listener was notified of a status that cannot follow the one before.
    pub(crate) inconsistent_notification: bool,
    /// A thread was not notified of a change of its lock.
    pub(crate) missed_notification: bool,
    /// A mutex took a step without a reason.
    pub(crate) unfounded_notification: bool,
    /// A mutex executed another command than it was asked for, or none.
    pub(crate) other_command: bool,
    /// It executed a RESET that no view and no election called for, or not the one that one did.
    pub(crate) other_reset: bool,
    /// It learned that it is in a minority, and did not give up its locks.
    pub(crate) kept_locks_in_minority: bool,
    /// The log as delivered to it.
    pub(crate) delivered: Delivered,
}

/// Whether the member holds no lock, waits for none and executes no command for one, as far as its
/// listener and its threads know.
pub(super) fn has_nothing(member: &State) -> bool {
    let mut mutexes = member.mutexes();
    member.told.is_empty() && mutexes.all(|(_, mutex)| mutex.at == Mutex::Unlocked)
}
