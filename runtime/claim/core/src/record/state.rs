//! The state of the claim server: its claims, the queue of each resource, and the numbers minted
//! last. Every collection is a map or a set in ascending order.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use turnstile_claim_machines::claim_record as machine;
use turnstile_step::{IdClass, Symbolic};

use crate::message::{Caller, ResourceName};
use crate::number::{ClaimId, IdempotencyKey};
use turnstile_ids::number::{CallId, Token};

/// The state of a claim server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) claims: BTreeMap<ClaimId, Record>,
    pub(super) queues: BTreeMap<ResourceName, ResourceQueue>,
    pub(super) keys: BTreeMap<IdempotencyKey, ClaimId>,
    pub(super) finished: BTreeSet<ClaimId>,
    pub(super) last_claim: ClaimId,
    pub(super) last_token: Token,
}

/// One claim at the server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct Record {
    /// The claimed resource.
    pub resource: ResourceName,
    /// The machine's state.
    #[symbolic(skip)]
    pub at: machine::State,
    /// The token minted when the claim became active.
    pub token: Option<Token>,
    /// The idempotency key of its POST.
    pub key: Option<IdempotencyKey>,
    /// The long poll of its client, if one is open.
    pub open_request: Option<OpenRequest>,
}

/// A request that was received and is not yet answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct OpenRequest {
    /// Its client.
    pub from: Caller,
    /// Its number at the client.
    pub call: CallId,
    /// Whether it is a POST; the statuses of its response differ from those of a PATCH.
    pub is_post: bool,
}

/// The unfinished claims of one resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(super) struct ResourceQueue {
    /// The active claim, lapsed or not.
    pub(super) holder: Option<ClaimId>,
    /// The others that wait for their context. Ids grow, so the least one waits longest.
    pub(super) waiting: BTreeSet<ClaimId>,
    /// The waiting claims with an open request.
    pub(super) listening: BTreeSet<ClaimId>,
    /// Waiting claims that are skipped until their client sends a request again.
    pub(super) absent: BTreeSet<ClaimId>,
}

/// A claim's status, as the protocol spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Status {
    /// It waits in the queue.
    Waiting,
    /// It holds the lock.
    Active,
    /// Its client released the lock.
    Released,
    /// Its client failed.
    Aborted,
    /// Its client stopped waiting.
    Withdrawn,
    /// It was taken from its client.
    Revoked,
    /// Its ttl was over when another claim contended.
    Expired,
}

impl Status {
    /// All statuses. A store saves indices into this list: append new ones at the end.
    pub const ALL: [Self; 7] = [
        Self::Waiting,
        Self::Active,
        Self::Released,
        Self::Aborted,
        Self::Withdrawn,
        Self::Revoked,
        Self::Expired,
    ];

    /// The status of a name of the protocol.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// The protocol's name.
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

    /// Whether it is final.
    #[must_use]
    pub const fn is_final(self) -> bool {
        match self {
            Self::Waiting | Self::Active => false,
            Self::Released | Self::Aborted | Self::Withdrawn | Self::Revoked | Self::Expired => {
                true
            }
        }
    }

    /// The status of a state of the machine; `None` for a claim that was removed.
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
    /// Its status; `None` once it was removed, which no stored record is.
    #[must_use]
    pub const fn status(&self) -> Option<Status> {
        Status::of(self.at)
    }
}

impl ResourceQueue {
    /// Moves a claim to the place of its state. Returns whether that is final.
    fn update(&mut self, id: ClaimId, at: machine::State, is_held: bool) -> bool {
        self.waiting.remove(&id);
        self.listening.remove(&id);
        self.absent.remove(&id);
        let Some(status) = Status::of(at).filter(|status| !status.is_final()) else {
            self.holder = self.holder.filter(|holder| *holder != id);
            return true;
        };
        if status == Status::Active {
            self.holder = Some(id);
        } else if at == machine::State::Absent {
            self.absent.insert(id);
        } else {
            self.waiting.insert(id);
            self.listening.extend(is_held.then_some(id));
        }
        false
    }

    fn is_empty(&self) -> bool {
        self.holder.is_none() && self.waiting.is_empty() && self.absent.is_empty()
    }
}

impl State {
    /// A claim, if it is stored.
    #[must_use]
    pub fn claim(&self, id: ClaimId) -> Option<&Record> {
        self.claims.get(&id)
    }

    /// Every claim, oldest first.
    pub fn claims(&self) -> impl Iterator<Item = (ClaimId, &Record)> {
        self.claims.iter().map(|(id, record)| (*id, record))
    }

    /// The claim whose POST had an idempotency key, if it is stored.
    #[must_use]
    pub fn keyed(&self, key: IdempotencyKey) -> Option<ClaimId> {
        self.keys.get(&key).copied()
    }

    /// The claim that is active, lapsed or not.
    #[must_use]
    pub fn holder(&self, resource: ResourceName) -> Option<ClaimId> {
        self.queues.get(&resource)?.holder
    }

    /// The waiting claims, oldest first, without those that are skipped.
    pub fn waiting(&self, resource: ResourceName) -> impl Iterator<Item = ClaimId> {
        self.queues.get(&resource).into_iter().flat_map(|queue| queue.waiting.iter().copied())
    }

    /// Whether a request is open: its response comes later.
    #[must_use]
    pub fn is_open(&self, from: Caller, call: CallId) -> bool {
        let mut open = self.claims.values().filter_map(|record| record.open_request);
        open.any(|request| (request.from, request.call) == (from, call))
    }

    /// Calls `each` with each client whose request is open; it may replace the client's number,
    /// which symmetry reduction does.
    pub fn visit_callers(&mut self, each: &mut dyn FnMut(&mut Caller)) {
        let open = self.claims.values_mut().filter_map(|record| record.open_request.as_mut());
        open.for_each(|request| each(&mut request.from));
    }

    /// Moves a claim to the queue of its state.
    pub(super) fn update_queue(&mut self, id: ClaimId, resource: ResourceName, at: machine::State) {
        let is_held = self.claims.get(&id).is_some_and(|record| record.open_request.is_some());
        let queue = self.queues.entry(resource).or_default();
        if queue.update(id, at, is_held) {
            self.finished.insert(id);
        }
        if queue.is_empty() {
            self.queues.remove(&resource);
        }
    }

    /// Closes the connections of all requests that wait.
    pub(super) fn close_connections(&mut self) {
        for record in self.claims.values_mut().filter(|record| record.open_request.is_some()) {
            record.open_request = None;
            if let Some(queue) = self.queues.get_mut(&record.resource) {
                queue.listening.clear();
            }
        }
    }

    /// The state of these claims. Each collection is built at once, which takes half of the memory
    /// of insertions in order.
    pub(super) fn of(claims: BTreeMap<ClaimId, Record>) -> Self {
        let mut finished = Vec::new();
        let mut placed: Vec<_> = claims.iter().map(|(id, record)| (record.resource, *id)).collect();
        placed.sort_unstable();
        let of_resource = |claimants: &[(ResourceName, ClaimId)]| {
            let mut queue = ResourceQueue::default();
            for (_, id) in claimants {
                let is_final = claims.get(id).is_some_and(|record| {
                    queue.update(*id, record.at, record.open_request.is_some())
                });
                finished.extend(is_final.then_some(*id));
            }
            let (resource, _) = *claimants.first()?;
            (!queue.is_empty()).then_some((resource, queue))
        };
        let queues = placed.chunk_by(|(one, _), (other, _)| one == other);
        let queues = queues.filter_map(of_resource).collect();
        let key = |(id, record): (&ClaimId, &Record)| Some((record.key?, *id));
        let keys = claims.iter().filter_map(key).collect();
        let finished = finished.into_iter().collect();
        Self { claims, queues, keys, finished, ..Self::default() }
    }

    /// Removes a claim and its idempotency key.
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
        // In the order of claims: the order of the keys depends on their numbers.
        let mut keys: Vec<_> = core::mem::take(&mut self.keys).into_iter().collect();
        keys.sort_unstable_by_key(|(key, claim)| (*claim, *key));
        for (key, claim) in &mut keys {
            claim.visit_ids(each);
            key.visit_ids(each);
        }
        self.keys = keys.into_iter().collect();
    }
}
