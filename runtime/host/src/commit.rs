//! Group commit: one task takes what has collected, writes and syncs it, then lets it leave.
//!
//! While one batch is on its way to the disk the next collects, so that the load alone decides how
//! large a batch is; nothing waits for a clock.
//!
//! The task stands still while the disk works: what leaves then leaves on the same thread, and no
//! thread is woken for it. It begins only once every task that was ready has run.
//!
//! A store that refuses keeps what it was given and is asked again every now and then, until it has
//! all of it.

use std::io;
use std::time::Duration;

use tokio::time::Instant;

use crate::engine::Service;
use crate::host::{Host, Outbox};
use crate::store::Store;

/// What nothing waits for is held back for so long: most of the time an input comes whose effects
/// wait for it, and both are one commit.
const HOLD: Duration = Duration::from_millis(1);
/// A store that has refused is asked again after so long.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// How long a sync takes in a simulated store, whose syncs take no time.
pub type Pause = Box<dyn FnMut() -> Duration + Send>;

impl<S: Service> Host<S> {
    /// Commits until the host is closed and nothing is left to write. A pause stands for what a
    /// sync takes where it takes no time. False: not everything is durable. The store refused when
    /// the host was closed, or a step has panicked: what that left behind is not written.
    pub async fn commit(self, mut store: Box<dyn Store>, mut pause: Option<Pause>) -> bool {
        let (mut empty, mut medium) = (Outbox::default(), Medium::default());
        let mut held_back = Vec::new();
        // What nothing waits for goes out then.
        let mut held_until = None;
        loop {
            match self.take_work(&mut empty, medium.retry_at, held_until) {
                Work::Broken(mut outbox) => {
                    self.set_failed(true);
                    self.shared.outlet.deliver(&mut outbox.outgoing, false);
                    return false;
                }
                Work::Done if medium.retry_at.is_none() => return true,
                Work::Done if !self.lock().waits_for_store() => return false,
                // The store is asked again then.
                Work::Done | Work::None => self.wait_for_work(medium.retry_at).await,
                Work::Unurgent => {
                    let until = *held_until.get_or_insert_with(|| Instant::now() + HOLD);
                    self.wait_for_work(Some(until)).await;
                }
                Work::Some(outbox) => {
                    held_until = None;
                    self.shared.outlet.log(&outbox.log);
                    store.write(&outbox.batch);
                    if let Some(pause) = &mut pause {
                        tokio::time::sleep(pause()).await;
                    }
                    leave_to_others();
                    let is_written = medium.sync(&mut *store);
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
                // Either way there is something to do.
                let _either = tokio::time::timeout_at(until, has_work).await;
            }
        }
        // Others that are ready have work, too.
        tokio::task::yield_now().await;
    }

    fn take_work(
        &self,
        empty: &mut Outbox<S>,
        retry_at: Option<Instant>,
        held_until: Option<Instant>,
    ) -> Work<S> {
        let mut state = self.lock();
        if state.is_broken() {
            return Work::Broken(state.exchange(Outbox::default()));
        }
        let is_due = is_due(retry_at) || is_due(held_until);
        match (state.is_idle(), state.is_closing) {
            (true, true) if !is_due => Work::Done,
            (true, false) if !is_due => Work::None,
            (false, false) if !is_due && !state.is_awaited() => Work::Unurgent,
            (_, _) => Work::Some(state.take_outbox(std::mem::take(empty))),
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

/// What the committing task has to do.
enum Work<S: Service> {
    Some(Outbox<S>),
    /// Something that nothing waits for.
    Unurgent,
    None,
    Done,
    /// A step has panicked.
    Broken(Outbox<S>),
}

/// Leaves to other threads what only this one would do, which may stand still from now on. The task
/// that was woken last is not stolen by others: the first of these takes its place, and the second
/// the first's. That they may be stolen wakes a thread, which waits for sockets and timers from
/// then on: it may have found this one waiting for them when it fell asleep.
fn leave_to_others() {
    for _ in 0..2 {
        tokio::spawn(std::future::ready(()));
    }
}

fn is_due(at: Option<Instant>) -> bool {
    at.is_some_and(|at| at <= Instant::now())
}

/// How it stands with the store.
#[derive(Debug, Default)]
struct Medium {
    /// The store has refused, and is asked again then.
    retry_at: Option<Instant>,
}

impl Medium {
    /// Whether everything that was written is synced. A store that refuses is not asked again at
    /// once, whatever comes.
    fn sync(&mut self, store: &mut dyn Store) -> bool {
        let was_refused = self.retry_at.is_some();
        if was_refused && !is_due(self.retry_at) {
            return false;
        }
        let synced: io::Result<()> = store.sync();
        self.retry_at = synced.is_err().then(|| Instant::now() + RETRY_PAUSE);
        match synced {
            Ok(()) if was_refused => tracing::info!("the store takes everything again"),
            Err(error) if !was_refused => {
                tracing::error!(%error, "the store refuses: nothing leaves until it takes all");
            }
            Ok(()) | Err(_) => {}
        }
        self.retry_at.is_none()
    }
}
