//! Commands to the server from outside of a world's nodes: an operator's, and any request of any
//! client of the protocol, which has no authentication.

use std::fmt;

use turnstile_claim_core::message::{Caller, Message, Request, RequestKind, TargetStatus};
use turnstile_claim_core::number::{ClaimId, IdempotencyKey};
use turnstile_claim_core::record::{Command, State};
use turnstile_ids::number::CallId;
use turnstile_step::{Input, InputOf, Symbolic};

use crate::claim::{ClaimSystem, FRESH_KEY, ServerCore};

/// A command to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum ServerCommand {
    /// An operator revokes a claim.
    Revoke(ClaimId),
    /// A client that is no node of the world sends a request.
    Ask(RequestKind),
    /// The same client closes the connection of its long poll.
    HangUp(ClaimId),
    /// The server is a member of a cluster, and a term begins.
    BeginTerm,
}

/// The operator, who revokes claims.
pub(crate) const OPERATOR: Caller = Caller(u64::MAX);

/// The sender of a request without a waiting caller.
pub(crate) const STRAY: Caller = Caller(u64::MAX - 1);

/// The client that is no node.
pub(crate) const STRANGER: Caller = Caller(u64::MAX - 2);

/// The most calls of the stranger that may be open; the number of claims bounds them, too.
const CALLS_MAX: u16 = 16;

impl ServerCommand {
    /// An operator may revoke any claim.
    pub(crate) fn revocations(state: &State) -> Vec<Self> {
        state.claims().map(|(claim, _)| Self::Revoke(claim)).collect()
    }

    /// Every request that a stranger may send: about each claim, about an unknown one, and a POST
    /// with a fresh key or a known one.
    pub(crate) fn of_stranger(system: &ClaimSystem, state: &State) -> Vec<Self> {
        let fresh = IdempotencyKey::new(FRESH_KEY + STRANGERS_KEY);
        let keys = state.claims().filter_map(|(_, record)| record.key).chain([fresh]);
        let post = |key| {
            system.resources().flat_map(move |resource| {
                [false, true].map(|wait| RequestKind::Post { resource, key: Some(key), wait })
            })
        };
        let posts = keys.flat_map(post);
        let claims = state.claims().map(|(claim, _)| claim).chain([ClaimId::default()]);
        let patches = claims.flat_map(|claim| {
            let status = TARGETS.map(|to| RequestKind::Status { claim, to });
            status.into_iter().chain([RequestKind::Ttl { claim }])
        });
        let open = state.claims().filter(|(_, record)| {
            record.open_request.is_some_and(|request| request.from == STRANGER)
        });
        let hang_ups = open.map(|(claim, _)| Self::HangUp(claim));
        posts.chain(patches).map(Self::Ask).chain(hang_ups).collect()
    }

    /// The server's input; the beginning of a term is none.
    pub(crate) fn input(self, state: &State) -> Option<InputOf<ServerCore>> {
        let (from, kind) = match self {
            Self::Revoke(claim) => {
                (OPERATOR, RequestKind::Status { claim, to: TargetStatus::Revoked })
            }
            Self::Ask(kind) => (STRANGER, kind),
            Self::HangUp(claim) => {
                let call = state.claim(claim)?.open_request?.call;
                return Some(Input::Command(Command::HungUp { claim, from: STRANGER, call }));
            }
            Self::BeginTerm => return None,
        };
        let mut calls = (0..CALLS_MAX).map(CallId::new);
        let call = calls.find(|call| !state.is_open(from, *call))?;
        Some(Input::Message { from, message: Message::Request(Request { call, kind }) })
    }
}

/// Distinct from the number of every node.
const STRANGERS_KEY: u64 = 1 << 16;

const TARGETS: [TargetStatus; 6] = [
    TargetStatus::Active { wait: false },
    TargetStatus::Active { wait: true },
    TargetStatus::Released,
    TargetStatus::Aborted,
    TargetStatus::Withdrawn,
    TargetStatus::Revoked,
];

impl fmt::Display for ServerCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Revoke(claim) => write!(f, "an operator revokes claim {claim}"),
            Self::Ask(kind) => write!(f, "a stranger sends {kind}"),
            Self::BeginTerm => f.write_str("a term of its cluster begins"),
            Self::HangUp(claim) => write!(f, "a stranger hangs up, of claim {claim}"),
        }
    }
}
