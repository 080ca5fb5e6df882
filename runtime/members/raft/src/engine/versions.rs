//! The version of the operations: the oldest of the members' versions.
//!
//! It never decreases: what the log has, all members can apply. A member that is down, and so not
//! known, may have any version; until it is known the version stays as it is.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::peers::Peers;

pub(super) struct Versions {
    id: u64,
    own: u32,
    peers: Arc<Peers>,
    /// That of the log, as far as it is applied.
    applied: Arc<AtomicU32>,
    state: Mutex<VersionsState>,
}

struct VersionsState {
    /// The term in which this member has written last, and the version of its last entry there. In
    /// another term another leader may have added an older member.
    written: (u64, u32),
    /// That of a member that is being added.
    joining: Option<u32>,
}

/// While a member is being added, no newer version than its own is written.
pub(super) struct Joining<'a>(&'a Versions);

impl Versions {
    pub(super) const fn new(id: u64, own: u32, peers: Arc<Peers>, applied: Arc<AtomicU32>) -> Self {
        let state = Mutex::new(VersionsState { written: (0, 1), joining: None });
        Self { id, own, peers, applied, state }
    }

    /// The version of the next entry, which this member writes as the leader of a term.
    pub(super) fn next(&self, members: impl Iterator<Item = u64>, term: u64) -> u32 {
        let mut state = self.lock();
        let version = self.agreed(&state, members, term);
        state.written = (term, version);
        version
    }

    /// The version of the log, as far as it is applied.
    pub(super) fn applied(&self) -> u32 {
        self.applied.load(Ordering::Relaxed)
    }

    /// What [`Versions::next`] would be.
    pub(super) fn peek(&self, members: impl Iterator<Item = u64>, term: u64) -> u32 {
        self.agreed(&self.lock(), members, term)
    }

    fn agreed(&self, state: &VersionsState, members: impl Iterator<Item = u64>, term: u64) -> u32 {
        // A member whose version is unknown may have the first one.
        let version = |id| if id == self.id { Some(self.own) } else { self.peers.version(id) };
        let known = members.map(|id| version(id).unwrap_or(1));
        let oldest = known.chain(state.joining).min();
        self.floor(state, term).max(oldest.unwrap_or(1))
    }

    /// Begins to add a member of this version, as the leader of a term; the error is the version of
    /// the log, if it is newer.
    pub(super) fn join(&self, version: u32, term: u64) -> Result<Joining<'_>, u32> {
        let mut state = self.lock();
        let floor = self.floor(&state, term);
        if version < floor {
            return Err(floor);
        }
        state.joining = Some(version);
        Ok(Joining(self))
    }

    fn floor(&self, state: &VersionsState, term: u64) -> u32 {
        let (in_term, written) = state.written;
        let written = if in_term == term { written } else { 1 };
        written.max(self.applied())
    }

    fn lock(&self) -> MutexGuard<'_, VersionsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Joining<'_> {
    fn drop(&mut self) {
        self.0.lock().joining = None;
    }
}
