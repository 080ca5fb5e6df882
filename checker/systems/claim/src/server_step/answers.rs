//! Checks of the server's answers: each request gets the one answer that the wire protocol
//! promises for the status of its claim.
//!
//! It compares the server's state before and after a step, from outside, and knows no row.

use turnstile_claim_core::message::{
    Caller, Message, Request, RequestKind, ResourceName, Response, TargetStatus,
};
use turnstile_claim_core::number::{ClaimId, IdempotencyKey};
use turnstile_claim_core::record::{OpenRequest, Status};
use turnstile_ids::number::CallId;
use turnstile_step::{Effect, EffectOf};

use crate::claim::ServerCore;
use crate::server_step::statuses::{Cause, ServerStep};

/// A request that was to be answered in a step.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Owed {
    from: Caller,
    call: CallId,
    /// The status of its answer; `None` if the request is to stay open.
    status: Option<u16>,
}

impl ServerStep<'_> {
    /// Whether each call has the promised answer, once, and after the changes that it reports.
    pub(crate) fn answers_as_promised(&self) -> bool {
        let mut early = self.effects.iter().skip_while(|effect| answer(effect).is_none());
        if early.any(|effect| matches!(effect, Effect::Notify(_))) {
            return false;
        }
        let late = self.before.claims().filter_map(|(claim, record)| {
            let request = record.open_request?;
            Some(self.late(claim, request)).flatten()
        });
        let mut owed: Vec<Owed> = late.chain(self.current()).collect();
        for (from, response) in self.effects.iter().filter_map(answer) {
            let answered = Owed { from, call: response.call, status: Some(response.status) };
            let Some(place) = owed.iter().position(|owed| *owed == answered) else {
                return false;
            };
            owed.swap_remove(place);
        }
        let is_open =
            |owed: &Owed| owed.status.is_none() && self.after.is_open(owed.from, owed.call);
        owed.iter().all(is_open)
    }

    /// What is owed to a request that was open before; nothing once its client has disconnected.
    fn late(&self, claim: ClaimId, request: OpenRequest) -> Option<Owed> {
        let OpenRequest { from, call, is_post } = request;
        if self.cause == Cause::Restarted || self.cause == Cause::HungUp(claim, from, call) {
            return None;
        }
        let status = match self.status(claim) {
            Some(Status::Waiting) if self.is_wait_over(claim) => {
                Some(if is_post { ACCEPTED } else { CONFLICT })
            }
            Some(Status::Waiting) => None,
            Some(Status::Active) => Some(if is_post { CREATED } else { OK }),
            _ => Some(BAD_REQUEST),
        };
        Some(Owed { from, call, status })
    }

    /// Whether the client of a long poll is to be told that its claim still waits: the long poll
    /// has timed out, or another request takes its place.
    fn is_wait_over(&self, claim: ClaimId) -> bool {
        self.wait_timed_out(claim) || self.wants_lock(claim)
    }

    /// What is owed to the request of this step.
    fn current(&self) -> Option<Owed> {
        let Cause::Request(from, Request { call, kind }) = self.cause else { return None };
        let status = match kind {
            RequestKind::Post { resource, key, wait } => self.to_post(resource, key, wait),
            RequestKind::Ttl { claim } | RequestKind::Status { claim, .. }
                if self.before.claim(claim).is_none() =>
            {
                Some(NOT_FOUND)
            }
            RequestKind::Ttl { claim } => {
                let holds = self.status_before(claim) == Some(Status::Active);
                Some(if holds { OK } else { BAD_REQUEST })
            }
            RequestKind::Status { claim, to: TargetStatus::Active { wait } } => {
                match self.status(claim) {
                    Some(Status::Active) => Some(OK),
                    Some(Status::Waiting) => (!wait).then_some(CONFLICT),
                    _ => Some(BAD_REQUEST),
                }
            }
            RequestKind::Status { claim, to: _ } => {
                Some(if self.is_ended_by_request(claim) { NO_CONTENT } else { BAD_REQUEST })
            }
        };
        Some(Owed { from, call, status })
    }

    /// The status of the answer to a POST.
    fn to_post(
        &self,
        resource: ResourceName,
        key: Option<IdempotencyKey>,
        wait: bool,
    ) -> Option<u16> {
        let known = key.and_then(|key| self.before.keyed(key));
        if known.is_none() && self.is_full(resource) {
            return Some(TOO_MANY_REQUESTS);
        }
        match self.status(known.or_else(|| self.added())?) {
            Some(Status::Active) => Some(CREATED),
            Some(Status::Waiting) => (!wait).then_some(ACCEPTED),
            _ => Some(CONFLICT),
        }
    }
}

/// An answer, and its receiver.
fn answer(effect: &EffectOf<ServerCore>) -> Option<(Caller, Response)> {
    match effect {
        Effect::Send { to, message: Message::Response(response) } => Some((*to, *response)),
        Effect::Send { .. }
        | Effect::Arm(_)
        | Effect::Disarm(_)
        | Effect::Save(_)
        | Effect::Notify(_) => None,
    }
}

const OK: u16 = 200;
const CREATED: u16 = 201;
const ACCEPTED: u16 = 202;
const NO_CONTENT: u16 = 204;
const BAD_REQUEST: u16 = 400;
const NOT_FOUND: u16 = 404;
const CONFLICT: u16 = 409;
const TOO_MANY_REQUESTS: u16 = 429;
