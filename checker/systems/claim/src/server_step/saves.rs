//! Checks of what the server saves: a restart finds each claim as it was, but for its connection.
//!
//! It compares claims before and after a step, from outside.

use std::collections::BTreeMap;

use turnstile_claim_core::number::ClaimId;
use turnstile_claim_core::record::{Saved, SavedClaim, State, Status};
use turnstile_step::{Core as _, Effect, EffectOf, Input, InputOf};

use crate::claim::ServerCore;

/// The claims that a restart would find before a step.
pub(crate) struct SavedBefore {
    claims: BTreeMap<ClaimId, SavedClaim>,
    restarts: bool,
}

impl SavedBefore {
    /// Of a step: what is saved is the state's.
    pub(crate) fn of(state: &State, restarts: bool) -> Self {
        let claims = state.claims().map(|(id, record)| (id, SavedClaim::of(record))).collect();
        Self { claims, restarts }
    }

    /// Of an input: a crash has left what was saved.
    pub(crate) fn before(state: &State, input: &InputOf<ServerCore>) -> Self {
        let Input::Restart(saved) = input else { return Self::of(state, false) };
        let claims = saved.iter().flat_map(|saved| &saved.claims);
        let claims = claims.filter_map(|(id, kept)| Some((*id, (*kept)?)));
        Self { claims: claims.collect(), restarts: true }
    }

    /// Whether the step has saved each claim as it is, and a restart has found each again.
    pub(crate) fn is_right(&self, after: &State, effects: &[EffectOf<ServerCore>]) -> bool {
        let claims = self.claims.iter().map(|(id, kept)| (*id, Some(*kept))).collect();
        let mut saved = Some(Saved { claims, ..Saved::default() });
        for effect in effects {
            if let Effect::Save(new) = effect {
                ServerCore::merge_saved(&mut saved, new.clone());
            }
        }
        let saved = saved.map(|saved| saved.claims).unwrap_or_default();
        let is_saved = |id: &ClaimId| {
            let kept = saved.get(id).copied().flatten();
            kept == after.claim(*id).map(SavedClaim::of)
        };
        let mut all = self.claims.keys().copied().chain(after.claims().map(|(id, _)| id));
        all.all(|id| is_saved(&id) && self.is_found_again(id, after))
    }

    /// Whether a restart has kept a claim.
    fn is_found_again(&self, id: ClaimId, after: &State) -> bool {
        let Some(was) = self.claims.get(&id).filter(|_| self.restarts) else { return true };
        let Some(is) = after.claim(id).map(SavedClaim::of) else { return false };
        let waits = |at| Status::of(at) == Some(Status::Waiting);
        SavedClaim { at: was.at, ..is } == *was
            && (is.at == was.at || waits(is.at) && waits(was.at))
    }
}
