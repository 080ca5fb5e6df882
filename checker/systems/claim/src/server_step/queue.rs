//! Checks of the server's queue: FIFO among waiters, no wait for a free lock, deletion of the
//! oldest first.
//!
//! It compares the server's state before and after a step, from outside.

use turnstile_claim_core::message::{Message, RequestKind, ResourceName, TargetStatus};
use turnstile_claim_core::number::{ClaimId, IdempotencyKey};
use turnstile_claim_core::record::{Notice, Record, State, Status};
use turnstile_claim_machines::claim_record;
use turnstile_step::{Effect, EffectOf, Input, InputOf};

use crate::claim::ServerCore;
use crate::server_step::statuses::finished;

/// The queue before a step: the waiting claims, oldest first, and all claims of the server.
pub(crate) struct QueueSnapshot {
    waited: Vec<Waiter>,
    /// The request for a lock in this step, if any. It may promote any waiter; without a request, a
    /// free lock goes only to a claim with an open long poll.
    asked: Option<RequestKind>,
    kept: Vec<(ClaimId, Option<IdempotencyKey>)>,
}

#[derive(Clone, Copy)]
struct Waiter {
    claim: ClaimId,
    resource: ResourceName,
    listens: bool,
}

impl QueueSnapshot {
    pub(crate) fn before(state: &State, input: &InputOf<ServerCore>) -> Self {
        let waited = state.claims().filter(|(_, record)| record.status() == Some(Status::Waiting));
        let waited = waited.map(|(claim, record)| Waiter {
            claim,
            resource: record.resource,
            listens: record.at == claim_record::State::Listening,
        });
        // Promotion skips a claim whose connection broke until its client polls again.
        let waited = waited.filter(|one| {
            state.claim(one.claim).is_none_or(|record| record.at != claim_record::State::Absent)
        });
        let kept = state.claims().map(|(claim, record)| (claim, record.key));
        Self { waited: waited.collect(), asked: asked(input), kept: kept.collect() }
    }

    /// Whether a claim waits after a request for its lock, or the request is refused for lack of
    /// room, although no claim is active. A lapsed claim may ask for itself, and a repeated POST
    /// of a claim that has ended asks for no lock.
    pub(crate) fn waits_for_free_lock(
        &self,
        after: &State,
        effects: &[EffectOf<ServerCore>],
    ) -> bool {
        let (claim, wanted) = match self.asked {
            Some(RequestKind::Post { resource, key, wait: _ }) => {
                (key.and_then(|key| after.keyed(key)), Some(resource))
            }
            Some(RequestKind::Ttl { claim } | RequestKind::Status { claim, to: _ }) => {
                (Some(claim), None)
            }
            None => return false,
        };
        let record = claim.and_then(|claim| after.claim(claim));
        let is_over = record.and_then(Record::status).is_some_and(Status::is_final);
        let Some(resource) = wanted.or(record.map(|record| record.resource)) else { return false };
        let holder = after.holder(resource);
        let at = holder.and_then(|holder| after.claim(holder)).map(|record| record.at);
        let asks = holder.is_none_or(|holder| Some(holder) != claim);
        let waits = asks && !(is_over && wanted.is_some()) && after.waiting(resource).count() > 0;
        (waits || effects.iter().any(is_too_many)) && at != Some(claim_record::State::Active)
    }

    /// Whether the step deleted a finished claim only after all older ones, and with its key.
    pub(crate) fn deletes_oldest(&self, after: &State) -> bool {
        let oldest = finished(after).next();
        let mut gone = self.kept.iter().filter(|(claim, _)| after.claim(*claim).is_none());
        let is_amiss = |(claim, key): &&(ClaimId, Option<IdempotencyKey>)| {
            oldest.is_some_and(|oldest| *claim > oldest)
                || key.and_then(|key| after.keyed(key)) == Some(*claim)
        };
        !gone.any(|claim| is_amiss(&claim))
    }

    /// Whether the step made no claim active before an older one (FIFO).
    pub(crate) fn keeps_order(&self, after: &State, effects: &[EffectOf<ServerCore>]) -> bool {
        let granted = effects.iter().filter_map(|effect| match effect {
            Effect::Notify(Notice::Became { claim, status: Status::Active, token: _ }) => {
                Some(*claim)
            }
            Effect::Notify(_)
            | Effect::Send { .. }
            | Effect::Arm(_)
            | Effect::Disarm(_)
            | Effect::Save(_) => None,
        });
        let still_waits = |claim| {
            let record = after.claim(claim);
            record.is_some_and(|record| record.status() == Some(Status::Waiting))
        };
        let mut overtaking = granted.filter(|granted| {
            let listened = self.waited.iter().any(|one| one.claim == *granted && one.listens);
            let resource = after.claim(*granted).map(|record| record.resource);
            let mut older = self.waited.iter().filter(|one| {
                one.claim < *granted && Some(one.resource) == resource && still_waits(one.claim)
            });
            let is_its_turn = self.asked.is_some() || listened;
            !is_its_turn || older.any(|older| self.asked.is_some() || older.listens)
        });
        overtaking.next().is_none()
    }
}

/// The request, if it asks for a lock.
fn asked(input: &InputOf<ServerCore>) -> Option<RequestKind> {
    let Input::Message { from: _, message: Message::Request(request) } = input else { return None };
    match request.kind {
        RequestKind::Post { .. }
        | RequestKind::Status { claim: _, to: TargetStatus::Active { .. } } => Some(request.kind),
        RequestKind::Ttl { .. }
        | RequestKind::Status {
            claim: _,
            to:
                TargetStatus::Released
                | TargetStatus::Aborted
                | TargetStatus::Withdrawn
                | TargetStatus::Revoked,
        } => None,
    }
}

/// Whether an effect is the answer 429, for lack of room.
fn is_too_many(effect: &EffectOf<ServerCore>) -> bool {
    matches!(effect, Effect::Send { message: Message::Response(response), .. }
        if response.status == TOO_MANY_REQUESTS)
}

const TOO_MANY_REQUESTS: u16 = 429;
