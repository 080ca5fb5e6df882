//! The claim server: all its claims, each an instance of the machine `claim-record`, queued by
//! resource.
//!
//! It decides every answer's status, who is promoted and who expires, and mints ids and tokens.
//! Bodies, paths, dates, histories and user data are the driver's. Nothing here asks which state a
//! machine is in: rows decide, guards and queues are answered in [`turn`].

mod carry;
mod saved;
mod state;
mod turn;

use turnstile_machine::Rules;
use turnstile_machines::claim_record::{Event, Machine, PatchStatusStatus, Resource};
use turnstile_step::{Core, Input, InputOf, OutOf, Symbolic};

use self::state::Held;
use self::turn::{Asker, Turn};
use super::message::{Ask, Asked, Caller, Message, Request, Response};
use crate::number::{CallId, ClaimId, Token};

pub use saved::{Kept, Saved};
pub use state::{Record, State, Status};

/// The core of a claim server.
///
/// Each request is answered by exactly one [`Send`](turnstile_step::Effect::Send) to its caller: in
/// the same step, or, if it waits, when the claim is granted, when [`Timer::Wait`] fires, or not at
/// all after [`Command::HungUp`]. A claim's ttl is the driver's: that of its POST, replaced by that
/// of a PATCH ttl which arms [`Timer::Ttl`]. Every change of status is a [`Notice::Became`], in
/// order and before the answers.
#[derive(Clone, Debug)]
pub struct Records<R: Rules<Machine> = Machine> {
    /// The table.
    pub rules: R,
    /// How much is kept.
    pub limits: Limits,
}

/// How many claims a server keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most that wait for one resource; a POST beyond it is answered 429.
    pub waiters_max: usize,
    /// The most that are kept once final; the oldest are forgotten first.
    pub finished_max: usize,
}

impl Limits {
    /// Room for any load that a person would call a load.
    pub const DEFAULT: Self = Self { waiters_max: 10_000, finished_max: 100_000 };
}

impl Records {
    /// A server by the table that is baked in.
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
    /// How long a request that waits is held before it is answered that the claim waits.
    Wait(ClaimId),
    /// How long a claim waits though nobody asks for it.
    Idle(ClaimId),
    /// How long a claim whose ttl is over stays though nobody wants it or its resource.
    Lapse(ClaimId),
}

/// What the server's own user may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Command {
    /// Keep a final claim no longer.
    Forget {
        /// Which.
        claim: ClaimId,
    },
    /// The connection of a request that waits is gone.
    HungUp {
        /// Which claim's.
        claim: ClaimId,
        /// Who asked.
        from: Caller,
        /// By which call.
        call: CallId,
    },
}

/// What the server's driver is told, for histories and dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Notice {
    /// A claim has a new status.
    Became {
        /// Which claim.
        claim: ClaimId,
        /// The status.
        status: Status,
        /// Its token, if one was minted.
        token: Option<Token>,
    },
    /// A claim that held the lock was revoked or has expired: whoever watches it is to be told by
    /// [`Message::Over`].
    Over {
        /// Which claim.
        claim: ClaimId,
    },
}

impl<R: Rules<Machine>> Core for Records<R> {
    type State = State;
    type Peer = Caller;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = Saved;

    fn start(&self) -> State {
        State::default()
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let mut turn = Turn::new(&self.rules, state, out);
        match input {
            Input::Message { from, message: Message::Request(request) } => {
                self.answer(&mut turn, from, request);
            }
            // A server hears no answers, and nobody acts on it.
            Input::Message {
                from: _,
                message: Message::Response(_) | Message::Act { .. } | Message::Over { .. },
            } => {}
            Input::Fired(Timer::Ttl(claim)) => turn.take(claim, Event::TtlTimerTriggers, None),
            Input::Fired(Timer::Wait(claim)) => turn.take(claim, Event::WaitTimerTriggers, None),
            Input::Fired(Timer::Idle(claim)) => turn.take(claim, Event::IdleTimerTriggers, None),
            Input::Fired(Timer::Lapse(claim)) => turn.take(claim, Event::LapseTimerTriggers, None),
            Input::Command(Command::Forget { claim }) => turn.take(claim, Event::Forget, None),
            Input::Command(Command::HungUp { claim, from, call }) => {
                turn.hang_up(claim, from, call);
            }
            Input::Restart(saved) => turn.restart(saved),
        }
        turn.forget_beyond(self.limits.finished_max);
        turn.finish();
    }

    fn keep(saved: &mut Option<Saved>, new: Saved) {
        saved.get_or_insert_default().absorb(new);
    }
}

impl<R: Rules<Machine>> Records<R> {
    fn answer(&self, turn: &mut Turn<'_, R>, from: Caller, request: Request) {
        let Request { call, ask } = request;
        let is_post = matches!(ask, Ask::Post { .. });
        let (claim, event, waits) = match ask {
            Ask::Post { resource, key, wait } => {
                let known = key.and_then(|key| turn.known(key));
                if known.is_none() && turn.is_full(resource, self.limits.waiters_max) {
                    turn.contend(resource);
                    return turn.send(from, Response::bare(call, TOO_MANY_REQUESTS));
                }
                (known.unwrap_or_else(|| turn.add(resource, key)), Event::Post, wait)
            }
            Ask::Ttl { claim } => (claim, Event::PatchTtl, false),
            Ask::Status { claim, to } => {
                let (status, waits) = asked(to);
                (claim, Event::PatchStatus { status }, waits)
            }
        };
        if turn.has(claim) {
            turn.take(claim, event, Some(Asker { held: Held { from, call, is_post }, waits }));
        } else {
            turn.send(from, Response::bare(call, NOT_FOUND));
        }
    }
}

const NOT_FOUND: u16 = 404;
const TOO_MANY_REQUESTS: u16 = 429;

const fn asked(status: Asked) -> (PatchStatusStatus, bool) {
    match status {
        Asked::Active { wait } => (PatchStatusStatus::Active, wait),
        Asked::Released => (PatchStatusStatus::Released, false),
        Asked::Aborted => (PatchStatusStatus::Aborted, false),
        Asked::Withdrawn => (PatchStatusStatus::Withdrawn, false),
        Asked::Revoked => (PatchStatusStatus::Revoked, false),
    }
}

/// The timer that a resource of a claim's machine is, if it is one.
pub const fn timer(resource: Resource, claim: ClaimId) -> Option<Timer> {
    match resource {
        Resource::TtlTimer => Some(Timer::Ttl(claim)),
        Resource::WaitTimer => Some(Timer::Wait(claim)),
        Resource::IdleTimer => Some(Timer::Idle(claim)),
        Resource::LapseTimer => Some(Timer::Lapse(claim)),
        Resource::OpenRequest => None,
    }
}
