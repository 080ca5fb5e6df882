//! What a client runs: its table, its resource, and what events bring that the table does not name.

use turnstile_claim_machines::claim::Machine;
use turnstile_machine::Rules;

use crate::message::{ResourceName, Response};
use crate::number::IdempotencyKey;

pub(super) const MACHINE: &str = <Machine as turnstile_machine::Machine>::TABLE.machine;

/// The client core of one claim.
///
/// [`Command::Claim`] starts it, and another one answers each [`Notice::KeyNeeded`]. In a final
/// state the core has ended; another claim of the resource needs another state. The host chooses
/// the duration of each timer: the timeout, the renewal period, the polling interval, and the retry
/// backoff of each kind of request. The number of an attempt, for backoff, is the number of times
/// its timer was armed since a timer of another kind was. The lease timer counts from the *send* of
/// the request whose response arms it.
///
/// [`Command::Claim`]: super::Command::Claim
/// [`Notice::KeyNeeded`]: super::Notice::KeyNeeded
#[derive(Clone, Debug)]
pub struct Client<R: Rules<Machine> = Machine> {
    /// The table.
    pub rules: R,
    /// The resource that it claims.
    pub resource: ResourceName,
    /// Whether its requests are long polls: the server responds when the lock is granted.
    pub waits: bool,
}

impl Client {
    /// A client that polls, as in the document, by the compiled table.
    #[must_use]
    pub const fn new(resource: ResourceName) -> Self {
        Self { rules: Machine, resource, waits: false }
    }
}

/// The data of an event that the table does not name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EventContext {
    /// The response.
    pub(super) response: Option<Response>,
    /// A fresh idempotency key.
    pub(super) key: Option<IdempotencyKey>,
}
