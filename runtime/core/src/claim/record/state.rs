//! What the claim server remembers: its claims, who queues for which resource, and the numbers
//! that it minted last. Every collection is a map or a set in ascending order.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use turnstile_machines::claim_record as machine;
use turnstile_step::{IdClass, Symbolic};

use crate::claim::message::{Caller, ResourceName};
use crate::number::{CallId, ClaimId, IdempotencyKey, Token};

/// The state of a claim server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) claims: BTreeMap<ClaimId, Record>,
    pub(super) queues: BTreeMap<ResourceName, Queue>,
    pub(super) keys: BTreeMap<IdempotencyKey, ClaimId>,
    pub(super) finished: BTreeSet<ClaimId>,
    pub(super) last_claim: ClaimId,
    pub(super) last_token: Token,
}

/// One claim at the server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct Record {
    /// What it claims.
    pub resource: ResourceName,
    /// Where its machine stands.
    #[symbolic(skip)]
    pub at: machine::State,
    /// The token minted when it became active.
    pub token: Option<Token>,
    /// What its POST carried.
    pub key: Option<IdempotencyKey>,
    /// The request that is answered only when the claim becomes active.
    pub(super) held: Option<Held>,
}

/// A request that is not answered yet, though it was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(super) struct Held {
    pub(super) from: Caller,
    pub(super) call: CallId,
    /// Whether it is a POST, which is answered otherwise than a PATCH.
    pub(super) is_post: bool,
}

/// The claims of one resource that are not final.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(super) struct Queue {
    /// The one that is active; lapsed or not.
    pub(super) holder: Option<ClaimId>,
    /// The others that wait for their turn. Ids grow, so the least one waits longest.
    pub(super) waiting: BTreeSet<ClaimId>,
    /// Those of them that have a request open.
    pub(super) listening: BTreeSet<ClaimId>,
    /// Those that are passed over until they ask again.
    pub(super) absent: BTreeSet<ClaimId>,
}

/// A claim's status, as the protocol spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Status {
    /// It queues.
    Waiting,
    /// It holds the lock.
    Active,
    /// Its holder gave the lock back.
    Released,
    /// Its client failed.
    Aborted,
    /// Its client waits no longer.
    Withdrawn,
    /// It was taken from its client.
    Revoked,
    /// Its ttl was over when another wanted the lock.
    Expired,
}

impl Status {
    /// All, in the order of the protocol's description. A store keeps their places in it: a new
    /// one goes to the end.
    pub const ALL: [Self; 7] = [
        Self::Waiting,
        Self::Active,
        Self::Released,
        Self::Aborted,
        Self::Withdrawn,
        Self::Revoked,
        Self::Expired,
    ];

    /// The status of a word of the protocol.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// The protocol's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Active => "active",
            Self::Released => "released",
            Self::Aborted => "aborted",
            Self::Withdrawn => "withdrawn",
            Self::Revoked => "revoked",
            Self::Expired => "expired",
        }
    }

    /// Whether nothing comes after it.
    #[must_use]
    pub const fn is_final(self) -> bool {
        match self {
            Self::Waiting | Self::Active => false,
            Self::Released | Self::Aborted | Self::Withdrawn | Self::Revoked | Self::Expired => {
                true
            }
        }
    }

    /// What the protocol calls a state of the machine; `None` for a claim that is forgotten.
    #[must_use]
    pub const fn of(state: machine::State) -> Option<Self> {
        match state {
            machine::State::New
            | machine::State::Waiting
            | machine::State::Listening
            | machine::State::Absent => Some(Self::Waiting),
            machine::State::Active | machine::State::Lapsed => Some(Self::Active),
            machine::State::Released => Some(Self::Released),
            machine::State::Aborted => Some(Self::Aborted),
            machine::State::Withdrawn => Some(Self::Withdrawn),
            machine::State::Revoked => Some(Self::Revoked),
            machine::State::Expired => Some(Self::Expired),
            machine::State::Forgotten => None,
        }
    }
}

impl Record {
    /// Its status; `None` once it is forgotten, which no record that is kept is.
    #[must_use]
    pub const fn status(&self) -> Option<Status> {
        Status::of(self.at)
    }
}

impl State {
    /// One claim, if the server has it.
    #[must_use]
    pub fn claim(&self, id: ClaimId) -> Option<&Record> {
        self.claims.get(&id)
    }

    /// Every claim, oldest first.
    pub fn claims(&self) -> impl Iterator<Item = (ClaimId, &Record)> {
        self.claims.iter().map(|(id, record)| (*id, record))
    }

    /// The claim whose POST carried a key, while it is kept.
    #[must_use]
    pub fn keyed(&self, key: IdempotencyKey) -> Option<ClaimId> {
        self.keys.get(&key).copied()
    }

    /// The claim that is active, lapsed or not.
    #[must_use]
    pub fn holder(&self, resource: ResourceName) -> Option<ClaimId> {
        self.queues.get(&resource)?.holder
    }

    /// The claims that wait for their turn, oldest first: none whose client is gone.
    pub fn waiting(&self, resource: ResourceName) -> impl Iterator<Item = ClaimId> {
        self.queues.get(&resource).into_iter().flat_map(|queue| queue.waiting.iter().copied())
    }

    /// Whether a request is held open: it is answered later.
    #[must_use]
    pub fn is_open(&self, from: Caller, call: CallId) -> bool {
        let mut held = self.claims.values().filter_map(|record| record.held);
        held.any(|held| (held.from, held.call) == (from, call))
    }

    /// Shows each caller whose request is open, to be read or replaced: where callers are
    /// exchangeable, a search may give them other numbers.
    pub fn visit_callers(&mut self, each: &mut dyn FnMut(&mut Caller)) {
        let held = self.claims.values_mut().filter_map(|record| record.held.as_mut());
        held.for_each(|held| each(&mut held.from));
    }

    /// Puts a claim where its state belongs, and takes it from where it was.
    pub(super) fn settle(&mut self, id: ClaimId, resource: ResourceName, at: machine::State) {
        let is_held = self.claims.get(&id).is_some_and(|record| record.held.is_some());
        let queue = self.queues.entry(resource).or_default();
        queue.waiting.remove(&id);
        queue.listening.remove(&id);
        queue.absent.remove(&id);
        match Status::of(at) {
            Some(Status::Waiting) if at == machine::State::Absent => {
                queue.absent.insert(id);
            }
            Some(Status::Waiting) => {
                queue.waiting.insert(id);
                queue.listening.extend(is_held.then_some(id));
            }
            Some(Status::Active) => queue.holder = Some(id),
            Some(
                Status::Released
                | Status::Aborted
                | Status::Withdrawn
                | Status::Revoked
                | Status::Expired,
            )
            | None => {
                if queue.holder == Some(id) {
                    queue.holder = None;
                }
                self.finished.insert(id);
            }
        }
        if queue.holder.is_none() && queue.waiting.is_empty() && queue.absent.is_empty() {
            self.queues.remove(&resource);
        }
    }

    /// Takes a claim out, and with it the key that led to it.
    pub(super) fn drop_claim(&mut self, id: ClaimId) {
        self.finished.remove(&id);
        if let Some(key) = self.claims.remove(&id).and_then(|record| record.key) {
            self.keys.remove(&key);
        }
    }
}

impl Symbolic for State {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        self.last_claim.visit_ids(each);
        self.last_token.visit_ids(each);
        self.claims.visit_ids(each);
        self.queues.values_mut().for_each(|queue| queue.visit_ids(each));
        self.finished.visit_ids(each);
        // By claim, as the order of the keys depends on what they are.
        let mut keys: Vec<_> = core::mem::take(&mut self.keys).into_iter().collect();
        keys.sort_unstable_by_key(|(key, claim)| (*claim, *key));
        for (key, claim) in &mut keys {
            claim.visit_ids(each);
            key.visit_ids(each);
        }
        self.keys = keys.into_iter().collect();
    }
}
