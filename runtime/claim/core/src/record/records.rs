//! A claim server: the table that it runs and its limits; its timers, commands and notices.

use turnstile_claim_machines::claim_record::{Machine, Resource};
use turnstile_ids::number::{CallId, Token};
use turnstile_machine::Rules;
use turnstile_step::Symbolic;

use super::state::Status;
use crate::message::Caller;
use crate::number::ClaimId;

/// The core of a claim server.
///
/// Each request gets exactly one [`Send`](turnstile_step::Effect::Send) to its client: in the same
/// step, or, for a long poll, when the claim is granted or [`Timer::Wait`] fires; none after
/// [`Command::HungUp`]. The host keeps the ttl of a claim: that of its POST, replaced by that of a
/// PATCH ttl which arms [`Timer::Ttl`]. Every change of status is a [`Notice::Became`], in order
/// and before the responses.
///
/// [`Effect::Send`]: turnstile_step::Effect::Send
#[derive(Clone, Debug)]
pub struct Records<R: Rules<Machine> = Machine> {
    /// The table.
    pub rules: R,
    /// The limits on stored claims.
    pub limits: Limits,
}

/// The limits on stored claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most waiting claims of one resource; the response to a POST beyond it is 429.
    pub waiters_max: usize,
    /// The most finished claims; the oldest are removed first.
    pub finished_max: usize,
}

impl Limits {
    /// The default limits.
    pub const DEFAULT: Self = Self { waiters_max: 10_000, finished_max: 100_000 };
}

impl Records {
    /// A server by the compiled table.
    #[must_use]
    pub const fn new(limits: Limits) -> Self {
        Self { rules: Machine, limits }
    }
}

/// The timers of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Timer {
    /// The ttl of an active claim.
    Ttl(ClaimId),
    /// How long a long poll is held before the response that the claim waits.
    Wait(ClaimId),
    /// How long a waiting claim is kept without a request of its client.
    Idle(ClaimId),
    /// How long an expired claim without contention stays active.
    Lapse(ClaimId),
}

/// A command of the server's host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Command {
    /// The client of a long poll disconnected.
    HungUp {
        /// The claim.
        claim: ClaimId,
        /// The client.
        from: Caller,
        /// The request.
        call: CallId,
    },
}

/// A notification to the server's host, for histories and dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Notice {
    /// The status of a claim changed.
    Became {
        /// The claim.
        claim: ClaimId,
        /// The new status.
        status: Status,
        /// The claim's token, if one was minted.
        token: Option<Token>,
    },
    /// A claim that held the lock was revoked or has expired: its watchers are sent
    /// [`Message::Over`].
    ///
    /// [`Message::Over`]: crate::message::Message::Over
    Over {
        /// The claim.
        claim: ClaimId,
    },
}

/// The timer of a resource of a claim's machine, if the resource is a timer.
pub const fn timer(resource: Resource, claim: ClaimId) -> Option<Timer> {
    match resource {
        Resource::TtlTimer => Some(Timer::Ttl(claim)),
        Resource::WaitTimer => Some(Timer::Wait(claim)),
        Resource::IdleTimer => Some(Timer::Idle(claim)),
        Resource::LapseTimer => Some(Timer::Lapse(claim)),
        Resource::OpenRequest => None,
    }
}
