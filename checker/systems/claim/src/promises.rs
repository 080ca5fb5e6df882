//! Checks of a client's steps: what its user is told, and how a claim ends.
//!
//! It compares the client's state before and after a step, from outside.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a promise is about some states; what holds in every other one is one case"
)]

use turnstile_claim_core::client::{Command, Notice, OutstandingRequest, State, Timer};
use turnstile_claim_core::message::{Lease, Message, Request, RequestKind, Response};
use turnstile_claim_core::number::IdempotencyKey;
use turnstile_claim_machines::claim::{Action, Event, Resource, State as Stage};
use turnstile_machine::Rules as _;
use turnstile_step::{Effect, Input};
use turnstile_world::Breaches;

use crate::claim::ClientRules;
use crate::client_command::{ClientEffect, ClientInput};
use crate::envelope::Envelope;
use crate::rule;

/// A step of a client.
pub(crate) struct ClientStep<'a> {
    pub(crate) before: &'a State,
    pub(crate) input: &'a ClientInput,
    pub(crate) command: Option<Command>,
    pub(crate) after: &'a State,
    pub(crate) effects: &'a [ClientEffect],
    pub(crate) rules: &'a ClientRules,
}

impl ClientStep<'_> {
    /// Adds the promises that the step broke.
    pub(crate) fn add_to(&self, breaches: &mut Breaches) {
        if matches!(self.input, Input::Restart(_)) {
            return;
        }
        let checks = [
            (rule::FAILURE, self.reports_failure()),
            (rule::ENDING, self.ends_as_it_says()),
            (rule::TIME_TO_GIVE_UP, self.has_time_to_give_up()),
            (rule::OBEDIENCE, self.obeys()),
            (rule::GRANT, self.takes_grant()),
            (rule::RECALL, self.recalls_what_may_be()),
            (rule::REGISTRATION, self.knows_what_may_be()),
            (rule::KEY, self.sends_its_key()),
            (rule::OTHER_CLAIM, self.ignores_other_claims()),
            (rule::ABANDONED, self.ignores_abandoned()),
        ];
        for (rule, is_kept) in checks {
            breaches.require(rule, is_kept);
        }
    }

    /// The response to a request that is not abandoned.
    fn answered(&self) -> Option<(OutstandingRequest, Response)> {
        let Input::Message { message: envelope, .. } = self.input else { return None };
        let Message::Response(response) = envelope.message else { return None };
        let mut calls = self.before.calls.iter();
        let call = calls.find(|call| call.id == response.call && !call.is_abandoned)?;
        Some((*call, response))
    }

    fn tells(&self, notice: Notice) -> bool {
        self.effects.contains(&Effect::Notify(notice))
    }

    /// A response 4xx ends the claim, and its user learns the status, except where it is an answer
    /// to a waiting client: 409 to a poll, and that the claim has expired. 429 ends no claim. A
    /// client that only withdraws its new claim has returned before.
    fn reports_failure(&self) -> bool {
        let Some((call, response)) = self.answered() else { return true };
        let is_post = call.request == Resource::RegisterPostRequest;
        let is_wait = match response.status {
            404 => is_post,
            429 => return self.after.at != Stage::Fail,
            409 => call.request == Resource::ActivatePatchRequest,
            _ => false,
        };
        if !(400..500).contains(&response.status) || is_wait {
            return true;
        }
        let is_recalled = self.before.at == Stage::Recalling;
        match self.after.at {
            Stage::StartingOver => true,
            Stage::Done => is_recalled,
            Stage::Fail => {
                !is_recalled && self.tells(Notice::Failed { status: Some(response.status) })
            }
            _ => false,
        }
    }

    /// A final state says how the claim ended.
    fn ends_as_it_says(&self) -> bool {
        if self.after.at == self.before.at {
            return true;
        }
        let answered = self.answered();
        let is_ended_by = |request| {
            answered
                .is_some_and(|(call, response)| call.request == request && response.status == 204)
        };
        match self.after.at {
            Stage::Aborted => is_ended_by(Resource::AbortPatchRequest),
            Stage::Released => is_ended_by(Resource::ReleasePatchRequest),
            Stage::Withdrawn => is_ended_by(Resource::WithdrawPatchRequest),
            Stage::Fail => answered.is_some_and(|(_, response)| response.status < 500),
            _ => true,
        }
    }

    /// The time-out of a claim counts anew from each request by which it is given up.
    fn has_time_to_give_up(&self) -> bool {
        let way = way_out(self.after.at);
        let starts = way.is_some() && way != way_out(self.before.at);
        !starts || self.effects.contains(&Effect::Arm(Timer(Resource::TimeoutTimer)))
    }

    /// A signal gives a claim up that is started, and a release one that is held.
    fn obeys(&self) -> bool {
        let is_started = self.before.at != Stage::New;
        match self.command {
            Some(Command::Signal) => !is_started || is_given_back(self.after.at),
            Some(Command::Release) => !self.before.is_held() || is_given_back(self.after.at),
            Some(Command::Claim { .. } | Command::Act) | None => true,
        }
    }

    /// A grant whose lease leaves time for a renewal makes the claim active, and starts its lease;
    /// for a holder, each one does whose lease is live. No other does. Where a client counts no
    /// lease, it polls for its grant, and none starts one.
    fn takes_grant(&self) -> bool {
        let Some((call, response)) = self.answered() else { return true };
        let leases = counts_leases(self.rules);
        let grants = match call.request {
            Resource::ActivatePatchRequest if !leases => {
                response.status == 200 && self.before.at == Stage::Activating
            }
            Resource::RenewPatchRequest => response.status == 200,
            Resource::RegisterPostRequest => {
                response.status == 201 && self.before.at == Stage::Registering
            }
            _ => return self.after.at != Stage::Active,
        };
        let is_live = grants
            && match response.lease {
                Lease::Live => true,
                Lease::Brief => self.before.is_held(),
                Lease::Lapsed => false,
            };
        let starts = self.effects.contains(&Effect::Arm(Timer(Resource::LeaseTimer)));
        (self.after.at == Stage::Active) == is_live && starts == (is_live && leases)
    }

    /// A claim is recalled only if the server may have it.
    fn recalls_what_may_be(&self) -> bool {
        let repeats = match self.after.at {
            Stage::RetryingRecall => true,
            Stage::Recalling => self.before.at == Stage::RetryingRegister,
            _ => false,
        };
        !repeats || self.after.may_be_registered
    }

    /// A claim may be at the server from an answer to its POST that leaves that open, until its id
    /// is known. A claim that has ended is not asked.
    fn knows_what_may_be(&self) -> bool {
        let is_new = matches!(self.command, Some(Command::Claim { .. }));
        let known = !is_new && self.before.may_be_registered;
        let expected = self.answered().map_or(known, |(call, response)| {
            let is_post = call.request == Resource::RegisterPostRequest;
            let may_be = response.status >= 500 && response.status != Response::REFUSED;
            response.claim.is_none() && (known || is_post && may_be)
        });
        is_over(self.after.at) || self.after.may_be_registered == expected
    }

    /// The end of another claim changes nothing.
    fn ignores_other_claims(&self) -> bool {
        let Input::Message { message: envelope, .. } = self.input else { return true };
        envelope.over().is_none_or(|claim| {
            self.before.claim == Some(claim) || self.before == self.after && self.effects.is_empty()
        })
    }

    /// The answer to an abandoned request changes nothing but that the request is answered.
    fn ignores_abandoned(&self) -> bool {
        let Input::Message { message: envelope, .. } = self.input else { return true };
        let Message::Response(response) = envelope.message else { return true };
        let mut calls = self.before.calls.iter();
        let known = |state: &State| {
            let State { at, claim, token, key, may_be_registered, .. } = *state;
            (at, claim, token, key, may_be_registered, state.is_held())
        };
        !calls.any(|call| call.id == response.call && call.is_abandoned)
            || known(self.before) == known(self.after) && self.effects.is_empty()
    }

    /// A POST of a new claim carries its key.
    fn sends_its_key(&self) -> bool {
        let Some(Command::Claim { key }) = self.command else { return true };
        posts_its_key(self.rules, key, self.effects)
    }
}

/// Whether each POST of a new claim carries the key that its driver supplied, unless claims have
/// none.
pub(crate) fn posts_its_key<P, T, N, S>(
    rules: &ClientRules,
    key: IdempotencyKey,
    effects: &[Effect<P, Envelope, T, N, S>],
) -> bool {
    let draws = |state| {
        let step = rules.step(state, Event::Start, &|_| true);
        let mut actions = step.into_iter().flat_map(|step| step.actions);
        actions.any(|call| call.action == Action::DrawIdempotencyKey)
    };
    let has_keys = [Stage::New, Stage::StartingOver].into_iter().any(draws);
    !has_keys
        || effects.iter().all(|effect| {
            let Effect::Send { message: envelope, .. } = effect else { return true };
            let Message::Request(Request { kind, .. }) = envelope.message else { return true };
            !matches!(kind, RequestKind::Post { key: sent, .. } if sent != Some(key))
        })
}

/// Whether a client that holds its lock counts the lease.
pub(crate) fn counts_leases(rules: &ClientRules) -> bool {
    rules.holds(Stage::Active).contains(&Resource::LeaseTimer)
}

/// Whether a claim is being released, or has ended.
pub(crate) fn is_given_back(at: Stage) -> bool {
    match at {
        Stage::Aborting
        | Stage::Releasing
        | Stage::Withdrawing
        | Stage::Recalling
        | Stage::RetryingAbort
        | Stage::RetryingRelease
        | Stage::RetryingWithdraw
        | Stage::RetryingRecall
        | Stage::Aborted
        | Stage::AbortedCapital
        | Stage::Released
        | Stage::Withdrawn
        | Stage::Lapsed
        | Stage::Done
        | Stage::Fail => true,
        Stage::New
        | Stage::Registering
        | Stage::RetryingRegister
        | Stage::Waiting
        | Stage::Activating
        | Stage::RetryingActivate
        | Stage::Confirming
        | Stage::RetryingConfirm
        | Stage::StartingOver
        | Stage::Active
        | Stage::Renewing
        | Stage::RetryingRenew => false,
    }
}

/// Whether a claim has ended in this state.
const fn is_over(at: Stage) -> bool {
    matches!(at, Stage::Aborted | Stage::Done | Stage::Fail | Stage::Released | Stage::Withdrawn)
}

/// The request by which a claim is given up in this state, while it is.
const fn way_out(at: Stage) -> Option<Resource> {
    match at {
        Stage::Aborting | Stage::RetryingAbort => Some(Resource::AbortPatchRequest),
        Stage::Releasing | Stage::RetryingRelease => Some(Resource::ReleasePatchRequest),
        Stage::Withdrawing | Stage::RetryingWithdraw => Some(Resource::WithdrawPatchRequest),
        Stage::Recalling | Stage::RetryingRecall => Some(Resource::RegisterPostRequest),
        _ => None,
    }
}
