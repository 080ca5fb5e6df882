//! What of the claims survives a crash of the server. A save is a change: only what a step moved.

use alloc::collections::BTreeMap;

use turnstile_machines::claim_record as machine;
use turnstile_step::Symbolic;

use super::state::{Record, State};
use crate::claim::message::ResourceName;
use crate::number::{ClaimId, IdempotencyKey, Token};

/// Claims that changed, and the numbers minted last; put together, all claims.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Saved {
    /// What each claim is now; `None`: it is kept no longer.
    pub claims: BTreeMap<ClaimId, Option<Kept>>,
    /// The id minted last.
    pub last_claim: ClaimId,
    /// The token minted last.
    pub last_token: Token,
}

/// What is kept of one claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Kept {
    /// What it claims.
    pub resource: ResourceName,
    /// Where its machine stands, but for connections, which no crash survives.
    #[symbolic(skip)]
    #[cfg_attr(feature = "serde", serde(with = "crate::named"))]
    pub at: machine::State,
    /// The token minted when it became active.
    pub token: Option<Token>,
    /// What its POST carried.
    pub key: Option<IdempotencyKey>,
}

impl Kept {
    /// What is kept of a claim as it stands: the same as was saved of it last.
    #[must_use]
    pub const fn of(record: &Record) -> Self {
        let Record { resource, at, token, key, held: _ } = record;
        Self { resource: *resource, at: *at, token: *token, key: *key }
    }
}

impl Saved {
    /// Adds a later change.
    pub fn absorb(&mut self, later: Self) {
        let Self { claims, last_claim, last_token } = later;
        (self.last_claim, self.last_token) = (last_claim, last_token);
        for (id, kept) in claims {
            match kept {
                Some(kept) => self.claims.insert(id, Some(kept)),
                None => self.claims.remove(&id),
            };
        }
    }

    /// The state that a server has after a crash.
    pub(super) fn restore(self) -> State {
        let mut state =
            State { last_claim: self.last_claim, last_token: self.last_token, ..State::default() };
        for (id, kept) in self.claims {
            let Some(Kept { resource, at, token, key }) = kept else { continue };
            state.claims.insert(id, Record { resource, at, token, key, held: None });
            state.keys.extend(key.map(|key| (key, id)));
            state.settle(id, resource, at);
        }
        state
    }
}
