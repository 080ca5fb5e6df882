//! Whose turn it is at the server: what a step made of the queue, as the properties are told of it.
//!
//! Looks at the server from outside, before and after a step. The server never sees this.

use turnstile_core::claim::message::{Ask, Asked, Message, ResourceName};
use turnstile_core::claim::record::{Notice, State, Status};
use turnstile_core::number::{ClaimId, IdempotencyKey};
use turnstile_machines::claim_record;
use turnstile_step::{Effect, EffectOf, Input, InputOf};

use crate::server::Of;

/// The claims that waited before a step, oldest first, and all that were kept.
pub(super) struct Queue {
    waited: Vec<Waiter>,
    /// Somebody asks for a lock. Then all that wait are alike; where a lock only becomes free, it
    /// goes to one whose request is open, or to nobody.
    asked: Option<Ask>,
    kept: Vec<(ClaimId, Option<IdempotencyKey>)>,
}

#[derive(Clone, Copy)]
struct Waiter {
    claim: ClaimId,
    resource: ResourceName,
    listens: bool,
}

impl Queue {
    pub(super) fn before(state: &State, input: &InputOf<Of>) -> Self {
        let waited = state.claims().filter(|(_, record)| record.status() == Some(Status::Waiting));
        let waited = waited.map(|(claim, record)| Waiter {
            claim,
            resource: record.resource,
            listens: record.at == claim_record::State::Listening,
        });
        // Whose connection broke is passed over until it asks again.
        let waited = waited.filter(|one| {
            state.claim(one.claim).is_none_or(|record| record.at != claim_record::State::Absent)
        });
        let kept = state.claims().map(|(claim, record)| (claim, record.key));
        Self { waited: waited.collect(), asked: asked(input), kept: kept.collect() }
    }

    /// Whether somebody asked for a lock and has to wait, though no claim is active.
    pub(super) fn is_idle(&self, after: &State, effects: &[EffectOf<Of>]) -> bool {
        let (claim, wanted) = match self.asked {
            Some(Ask::Post { resource, key, wait: _ }) => {
                (key.and_then(|key| after.keyed(key)), Some(resource))
            }
            Some(Ask::Ttl { claim } | Ask::Status { claim, to: _ }) => (Some(claim), None),
            None => return false,
        };
        let record = claim.and_then(|claim| after.claim(claim));
        let waits = record.is_some_and(|record| record.status() == Some(Status::Waiting));
        let resource = wanted.or(record.map(|record| record.resource));
        let holder = resource.and_then(|resource| after.holder(resource));
        let at = holder.and_then(|holder| after.claim(holder)).map(|record| record.at);
        (waits || effects.iter().any(is_too_many)) && at != Some(claim_record::State::Active)
    }

    /// A claim that the step has forgotten, though an older one that is finished is kept, or though
    /// its key still leads to it.
    pub(super) fn forgotten(&self, after: &State) -> Option<ClaimId> {
        let is_final = |status: Option<Status>| status.is_none_or(Status::is_final);
        let mut finished = after.claims().filter(|(_, record)| is_final(record.status()));
        let oldest = finished.next().map(|(claim, _)| claim);
        let mut gone = self.kept.iter().filter(|(claim, _)| after.claim(*claim).is_none());
        let is_amiss = |(claim, key): &&(ClaimId, Option<IdempotencyKey>)| {
            oldest.is_some_and(|oldest| *claim > oldest)
                || key.and_then(|key| after.keyed(key)) == Some(*claim)
        };
        gone.find(is_amiss).map(|(claim, _)| *claim)
    }

    /// A claim that the step has made active before an older one whose turn it was.
    pub(super) fn passed_over(&self, after: &State, effects: &[EffectOf<Of>]) -> Option<ClaimId> {
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
        let mut granted = granted.filter(|granted| {
            let listened = self.waited.iter().any(|one| one.claim == *granted && one.listens);
            let resource = after.claim(*granted).map(|record| record.resource);
            let mut older = self.waited.iter().filter(|one| {
                one.claim < *granted && Some(one.resource) == resource && still_waits(one.claim)
            });
            let is_its_turn = self.asked.is_some() || listened;
            !is_its_turn || older.any(|older| self.asked.is_some() || older.listens)
        });
        granted.next()
    }
}

/// The request, if it wants a lock.
fn asked(input: &InputOf<Of>) -> Option<Ask> {
    let Input::Message { from: _, message: Message::Request(request) } = input else { return None };
    match request.ask {
        Ask::Post { .. } | Ask::Status { claim: _, to: Asked::Active { .. } } => Some(request.ask),
        Ask::Ttl { .. }
        | Ask::Status {
            claim: _,
            to: Asked::Released | Asked::Aborted | Asked::Withdrawn | Asked::Revoked,
        } => None,
    }
}

/// Whether an effect is the answer that there is no room.
fn is_too_many(effect: &EffectOf<Of>) -> bool {
    matches!(effect, Effect::Send { message: Message::Response(response), .. }
        if response.status == TOO_MANY_REQUESTS)
}

const TOO_MANY_REQUESTS: u16 = 429;
