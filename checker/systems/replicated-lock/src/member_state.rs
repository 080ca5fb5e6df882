//! A member as a node keeps it: its core's state, and the log as delivered to it.

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
    /// The log as delivered to it.
    pub(crate) delivered: Delivered,
}

/// Whether the member holds no lock, waits for none and executes no command for one, as far as its
/// listener and its threads know.
pub(super) fn has_nothing(member: &State) -> bool {
    let mut mutexes = member.mutexes();
    member.told.is_empty() && mutexes.all(|(_, mutex)| mutex.at == Mutex::Unlocked)
}
