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
mod tests {
    use openraft::CommittedLeaderId;

    use super::*;

    const OWN: u64 = 1;

    fn id(term: u64, leader: u64, index: u64) -> Id {
        LogId::new(CommittedLeaderId::new(term, leader), index)
    }

    fn leading(entries: &[Id]) -> Unsynced {
        let unsynced = Unsynced::default();
        unsynced.vote(Vote::new_committed(2, OWN), OWN);
        assert!(entries.iter().all(|entry| unsynced.begin(*entry)));
        unsynced
    }

    /// What a future has when it is polled once.
    async fn now<T>(future: impl Future<Output = T>) -> Option<T> {
        tokio::select! { biased; value = future => Some(value), () = async {} => None }
    }

    #[tokio::test(start_paused = true)]
    async fn an_entry_is_applied_and_told_committed_after_its_sync() {
        let [first, second, third] = [5, 6, 7].map(|index| id(2, OWN, index));
        let unsynced = leading(&[first, second]);
        let applied = |entry| now(unsynced.wait(Some(entry)));
        assert!(applied(first).await.is_none(), "it is not synced");
        assert!(applied(id(1, 3, 4)).await.is_some(), "that of a former term is");
        unsynced.end(first, &Ok(()));
        assert!(applied(first).await.is_some() && applied(second).await.is_none());
        let most = Duration::from_millis(100);
        let committed = |told_again| now(unsynced.committed(Some(second), told_again, most));
        assert_eq!(committed(true).await, Some(Some(first)), "entries do not wait");
        assert_eq!(committed(false).await, None, "what is only told of does");
        tokio::time::advance(most).await;
        assert_eq!(committed(true).await, None, "the sync takes too long: it is silent");
        unsynced.end(second, &Ok(()));
        assert_eq!(committed(false).await, Some(Some(second)));
        assert!(unsynced.begin(third));
        unsynced.end(third, &Err(io::Error::other("full")));
        assert!(applied(third).await.is_some_and(|closed| closed.is_err()), "no sync follows");
    }

    #[tokio::test]
    async fn what_a_leader_of_another_term_has_synced_is_not_told_committed() {
        let unsynced = leading(&[id(2, OWN, 9)]);
        unsynced.end(id(2, OWN, 9), &Ok(()));
        unsynced.vote(Vote::new_committed(3, 2), OWN);
        assert!(!unsynced.begin(id(3, 2, 7)), "openraft awaits the sync of a follower");
        unsynced.vote(Vote::new(4, OWN), OWN);
        assert!(!unsynced.begin(id(4, OWN, 8)), "it does not lead yet");
        unsynced.vote(Vote::new_committed(4, OWN), OWN);
        assert!(unsynced.begin(id(4, OWN, 8)));
        let committed = now(unsynced.committed(Some(id(4, OWN, 8)), true, Duration::MAX));
        assert_eq!(committed.await, Some(None), "entry 9 of term 2 is no more");
    }
}
