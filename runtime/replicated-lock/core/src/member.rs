//! A member: its address, and the tables that it runs.

use turnstile_machine::Rules;
use turnstile_replicated_lock_machines::{lock_member, lock_mutex, lock_status};

use super::locks::Service;
use super::types::Address;

/// The core of a member.
///
/// It needs a log that delivers the same commands in the same order to each member, each once, or a
/// [`Message::Snapshot`] of some of them; and views and elections in the order in which they
/// happened. The commands of one member enter the log in the order in which it executed them. A
/// restarted member is a new one, with another [`Address`].
///
/// No input makes it panic. A repeated result, or one of an abandoned command, changes nothing;
/// neither does a timer that is not armed. The host chooses the timeout of a command
/// ([`Timer::Timeout`]) and the delay before an UNLOCK without a waiting thread is retried
/// ([`Timer::Retry`]).
///
/// [`Message::Snapshot`]: crate::message::Message::Snapshot
/// [`Timer::Timeout`]: crate::types::Timer::Timeout
/// [`Timer::Retry`]: crate::types::Timer::Retry
#[derive(Clone, Debug)]
pub struct Member<
    S: Rules<lock_status::Machine> = lock_status::Machine,
    M: Rules<lock_member::Machine> = lock_member::Machine,
    X: Rules<lock_mutex::Machine> = lock_mutex::Machine,
> {
    /// The address of this member.
    pub me: Address,
    /// The replicated part.
    pub service: Service<S>,
    /// The table of the member.
    pub member: M,
    /// The table of its mutexes.
    pub mutex: X,
}

impl Member {
    /// A member by the compiled tables.
    #[must_use]
    pub const fn new(me: Address) -> Self {
        let service = Service { rules: lock_status::Machine };
        Self { me, service, member: lock_member::Machine, mutex: lock_mutex::Machine }
    }
}
