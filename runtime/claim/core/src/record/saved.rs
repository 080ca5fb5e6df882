//! The saved data of a claim server. Each save has only the claims that its step changed.

use alloc::collections::BTreeMap;

use turnstile_claim_machines::claim_record as machine;
use turnstile_step::Symbolic;

use super::state::{OpenRequest, Record, State};
use crate::message::ResourceName;
use crate::number::{ClaimId, IdempotencyKey};
use turnstile_ids::number::Token;

/// Changed claims and the numbers minted last. All saves merged are all claims.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Saved {
    /// Each changed claim; `None` if it was removed.
    pub claims: BTreeMap<ClaimId, Option<SavedClaim>>,
    /// The id minted last.
    pub last_claim: ClaimId,
    /// The token minted last.
    pub last_token: Token,
}

/// The saved data of one claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SavedClaim {
    /// The claimed resource.
    pub resource: ResourceName,
    /// The machine's state, apart from connections, which no crash survives.
    #[symbolic(skip)]
    #[cfg_attr(feature = "serde", serde(with = "turnstile_ids::serde_names"))]
    pub at: machine::State,
    /// The token minted when the claim became active.
    pub token: Option<Token>,
    /// The idempotency key of its POST.
    pub key: Option<IdempotencyKey>,
}

impl SavedClaim {
    /// The saved data of a claim: equal to the last save of it.
    #[must_use]
    pub const fn of(record: &Record) -> Self {
        let Record { resource, at, token, key, open_request: _ } = record;
        Self { resource: *resource, at: *at, token: *token, key: *key }
    }
}

impl Saved {
    /// Merges a later save.
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

    /// The state of a server after a crash.
    pub(super) fn restore(self) -> State {
        self.resume(&BTreeMap::new())
    }

    /// The state of a server that has lost no connection: with these open requests, by claim. It
    /// equals the state whose claims were saved.
    #[must_use]
    pub fn resume(self, open: &BTreeMap<ClaimId, OpenRequest>) -> State {
        let Self { claims, last_claim, last_token } = self;
        let record = |(id, kept): (ClaimId, Option<SavedClaim>)| {
            let SavedClaim { resource, at, token, key } = kept?;
            let open_request = open.get(&id).copied();
            Some((id, Record { resource, at, token, key, open_request }))
        };
        let claims = claims.into_iter().filter_map(record).collect();
        State { last_claim, last_token, ..State::of(claims) }
    }
}
