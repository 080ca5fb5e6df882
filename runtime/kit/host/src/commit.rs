//! Group commit: one task takes the accumulated writes, syncs them, then releases the outputs.
//!
//! While one batch is being written the next accumulates, so that the batch size depends on the
//! load alone; there is no delay timer.
//!
//! The task blocks its thread during the sync: so the outputs leave on the same thread, and no
//! other thread has to be woken. It starts only after every task that was ready has run.
//!
//! A store that rejects writes keeps them, and the sync is retried until it succeeds.

use std::io;
use std::time::Duration;

use tokio::time::Instant;

use crate::engine::Service;
use crate::host::{Host, Outbox};
use crate::store::Store;

/// The delay of writes that no output waits for: in most cases an input with an output comes soon,
/// and both share one commit.
const HOLD: Duration = Duration::from_millis(1);
/// The delay between attempts to sync after a failure.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// The duration of a sync in a simulated store, whose own syncs take no time.
pub type Pause = Box<dyn FnMut() -> Duration + Send>;

impl<S: Service> Host<S> {
    /// Commits until the host is closed and nothing is left to write. `pause` simulates the
    /// duration of a sync. Returns `false` if not everything is durable: the store failed when the
    /// host was closed, or a step panicked, whose writes are discarded.
    pub async fn commit(self, mut store: Box<dyn Store>, mut pause: Option<Pause>) -> bool {
        let mut empty = Outbox::default();
        let mut sync_retry = SyncRetry { retry_at: self.is_failed().then(Instant::now) };
        let mut held_back = Vec::new();
        // When writes that no output waits for are committed.
        let mut held_until = None;
        loop {
            match self.take_work(&mut empty, sync_retry.retry_at, held_until) {
                CommitStep::Broken(mut outbox) => {
                    self.set_failed(true);
                    self.shared.outlet.deliver(&mut outbox.outgoing, false);
                    return false;
                }
                CommitStep::Done if sync_retry.retry_at.is_none() => return true,
                CommitStep::Done if !self.lock().waits_for_store() => return false,
                // Retry the sync then.
                CommitStep::Done | CommitStep::None => {
                    self.wait_for_work(sync_retry.retry_at).await
                }
                CommitStep::Unurgent => {
                    let until = *held_until.get_or_insert_with(|| Instant::now() + HOLD);
                    self.wait_for_work(Some(until)).await;
                }
                CommitStep::Some(outbox) => {
                    held_until = None;
                    self.shared.outlet.log(&outbox.log);
                    store.write(&outbox.batch);
                    if let Some(pause) = &mut pause {
                        tokio::time::sleep(pause()).await;
                    }
                    leave_to_others();
                    let is_written = sync_retry.sync(&mut *store);
                    empty = self.committed(outbox, &mut held_back, is_written);
                }
            }
        }
    }

    async fn wait_for_work(&self, until: Option<Instant>) {
        let has_work = self.shared.has_work.notified();
        match until {
            None => has_work.await,
            Some(until) => {
                // In both cases check again.
                let _either = tokio::time::timeout_at(until, has_work).await;
            }
        }
        // Let other ready tasks run first: they may add to the batch.
        tokio::task::yield_now().await;
    }

    fn take_work(
        &self,
        empty: &mut Outbox<S>,
        retry_at: Option<Instant>,
        held_until: Option<Instant>,
    ) -> CommitStep<S> {
        let mut state = self.lock();
        if state.is_broken() {
            return CommitStep::Broken(state.exchange(Outbox::default()));
        }
        let is_due = is_due(retry_at) || is_due(held_until);
        match (state.is_idle(), state.is_closing) {
            (true, true) if !is_due => CommitStep::Done,
            (true, false) if !is_due => CommitStep::None,
            (false, false) if !is_due && !state.is_awaited() => CommitStep::Unurgent,
            (_, _) => CommitStep::Some(state.take_outbox(std::mem::take(empty))),
        }
    }

    fn committed(
        &self,
        mut outbox: Outbox<S>,
        held_back: &mut Vec<S::Outgoing>,
        is_written: bool,
    ) -> Outbox<S> {
        let is_starved = self.lock().committed(is_written);
        self.set_failed(!is_written);
        if !held_back.is_empty() {
            held_back.append(&mut outbox.outgoing);
            std::mem::swap(held_back, &mut outbox.outgoing);
        }
        self.shared.outlet.deliver(&mut outbox.outgoing, is_written);
        if !is_written {
            held_back.append(&mut outbox.outgoing);
            self.lock().refused(held_back.len(), outbox.batch.len());
        }
        if is_starved {
            self.made_room();
        }
        outbox.batch.clear();
        outbox.outgoing.clear();
        outbox.log.clear();
        outbox
    }
}

/// The next action of the committing task.
enum CommitStep<S: Service> {
    Some(Outbox<S>),
    /// Writes that no output waits for.
    Unurgent,
    None,
    Done,
    /// A step has panicked.
    Broken(Outbox<S>),
}

/// Lets other threads take over before this one blocks. The most recently woken task of a thread
/// cannot be stolen by other threads: of two new tasks, the first moves it to the queue, and the
/// second moves the first. A task that can be stolen wakes a thread, which then polls sockets and
/// timers, in case this thread was the one that polled them.
fn leave_to_others() {
    for _ in 0..2 {
        tokio::spawn(std::future::ready(()));
    }
}

fn is_due(at: Option<Instant>) -> bool {
    at.is_some_and(|at| at <= Instant::now())
}

/// The retries of a sync.
#[derive(Debug)]
struct SyncRetry {
    /// When a failed sync is retried; `None` after a success.
    retry_at: Option<Instant>,
}

impl SyncRetry {
    /// Syncs, unless a failed sync is not due for a retry. Returns whether everything written is
    /// durable.
    fn sync(&mut self, store: &mut dyn Store) -> bool {
        let was_refused = self.retry_at.is_some();
        if was_refused && !is_due(self.retry_at) {
            return false;
        }
        let synced: io::Result<()> = store.sync();
        self.retry_at = synced.is_err().then(|| Instant::now() + RETRY_PAUSE);
        match synced {
            Ok(()) if was_refused => tracing::info!("the store accepts writes again"),
            Err(error) if !was_refused => {
                tracing::error!(%error, "the store rejects writes: outputs wait for it");
            }
            Ok(()) | Err(_) => {}
        }
        self.retry_at.is_none()
    }
}
