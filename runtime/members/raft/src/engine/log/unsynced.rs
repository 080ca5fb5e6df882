//! The entries of a leader that its own store has not synced yet.
//!
//! Openraft 0.9 awaits the sync of the leader before it sends an entry. So the store calls an entry
//! of the leader written as soon as its write is queued, and both syncs go on at the same time
//! (Ongaro's thesis, 10.2.1). Openraft then counts the leader before its sync, and what it calls
//! committed may still be lost. Therefore nobody hears of it before the sync: the leader applies
//! nothing, sends no other member such an index, and changes no members. A leader whose store does
//! not sync for some heartbeats is silent, so that another one is elected.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openraft::{LogId, Vote};
use tokio::time::Instant;
use turnstile_host::Bell;

type Id = LogId<u64>;

#[derive(Default)]
pub(crate) struct Unsynced {
    state: Mutex<AppendState>,
    bell: Bell,
}

#[derive(Default)]
struct AppendState {
    /// The last vote, if it makes this member a leader.
    leads: Option<Vote<u64>>,
    /// The last entries of the appends whose sync has not ended, in their order.
    appends: VecDeque<Append>,
    /// The last synced entry of the present leader.
    synced: Option<Id>,
    /// Why no sync follows.
    stopped: Option<String>,
}

struct Append {
    last: Id,
    since: Instant,
}

impl AppendState {
    /// Whether all entries up to this one are synced.
    fn has_synced(&self, upto: Option<Id>) -> bool {
        self.appends.front().is_none_or(|append| upto < Some(append.last))
    }
}

impl Unsynced {
    /// Notes a vote that is durable, and so are the entries before it.
    pub(crate) fn vote(&self, vote: Vote<u64>, own: u64) {
        let leads = vote.committed && vote.leader_id.voted_for() == Some(own);
        let mut state = self.lock();
        state.leads = leads.then_some(vote);
        state.synced = None;
    }

    /// Begins the sync of entries, if this member wrote them as the present leader.
    pub(crate) fn begin(&self, last: Id) -> bool {
        let mut state = self.lock();
        let is_own = state.leads.is_some_and(|vote| vote.leader_id == last.leader_id);
        if is_own {
            state.appends.push_back(Append { last, since: Instant::now() });
        }
        is_own
    }

    /// Ends the sync of these entries, and so of those before them.
    pub(crate) fn end(&self, last: Id, result: &io::Result<()>) {
        let mut state = self.lock();
        match result {
            Ok(()) => {
                state.appends.retain(|append| append.last > last);
                state.synced = Some(last);
            }
            Err(error) => state.stopped = Some(error.to_string()),
        }
        drop(state);
        self.bell.ring();
    }

    /// Waits until all entries up to this one are synced.
    ///
    /// # Errors
    /// When the store was closed first, or has panicked.
    pub(crate) async fn wait(&self, upto: Option<Id>) -> io::Result<()> {
        let look = || {
            let state = self.lock();
            if state.has_synced(upto) {
                return Some(Ok(()));
            }
            state.stopped.clone().map(|why| Err(io::Error::other(why)))
        };
        self.bell.until(look).await
    }

    /// The committed entry that may be sent instead of this one. A request after which no other
    /// tells of it waits until it may be this one. All of them wait once a sync takes too long.
    pub(crate) async fn committed(
        &self,
        committed: Option<Id>,
        is_told_again: bool,
        sync_most: Duration,
    ) -> Option<Id> {
        let look = || {
            let state = self.lock();
            let is_late =
                state.appends.front().is_some_and(|append| append.since.elapsed() >= sync_most);
            if is_late {
                return None;
            }
            if state.has_synced(committed) {
                return Some(committed);
            }
            is_told_again.then_some(state.synced)
        };
        self.bell.until(look).await
    }

    fn lock(&self) -> MutexGuard<'_, AppendState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
