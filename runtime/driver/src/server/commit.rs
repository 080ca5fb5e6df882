//! Group commit: one writer takes whatever has collected, writes and syncs it, then answers.
//!
//! While one batch is on its way to the disk the next collects, so that the load alone decides how
//! large a batch is; nobody waits for a clock. In memory there is nothing to wait for.
//!
//! A store that refuses keeps what it was given and is asked again every now and then. Until it has
//! all of it, everybody is refused; then the server goes on as if nothing had been.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;

use super::audit::Audit;
use super::call::{Outbox, Turn};
use super::ear::Ear;
use super::engine::Engine;
use super::reply::Reply;
use crate::store::Store;

/// A store that has refused is asked again after so long.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// The engine, shared by requests, timers and the committer.
#[derive(Debug)]
pub(crate) struct Shared {
    desk: Mutex<Desk>,
    has_work: Condvar,
    has_work_async: Notify,
    is_rearmed: Notify,
    audit: Option<Audit>,
    /// Whoever only reads takes turns, so that one of them at most stands in the others' way.
    reading: Semaphore,
    /// The engine's word of the store, for whoever must not wait for the engine.
    is_failed: AtomicBool,
}

/// The engine and what the lock protects beside it.
#[derive(Debug)]
struct Desk {
    engine: Engine,
    /// When the timers' task wakes by itself.
    sleeps_until: Option<Instant>,
    is_closing: bool,
}

impl Shared {
    pub(crate) fn new(engine: Engine, audit: Option<Audit>) -> Arc<Self> {
        Arc::new(Self {
            desk: Mutex::new(Desk { engine, sleeps_until: None, is_closing: false }),
            has_work: Condvar::new(),
            has_work_async: Notify::new(),
            is_rearmed: Notify::new(),
            audit,
            reading: Semaphore::new(1),
            is_failed: AtomicBool::new(false),
        })
    }

    /// Does something with the engine, and wakes whom it concerns.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut Engine) -> T) -> T {
        let mut desk = self.desk();
        let result = act(&mut desk.engine);
        let is_earlier = match (desk.engine.next_tick(), desk.sleeps_until) {
            (Some(next), Some(until)) => next < until,
            (next, None) => next.is_some(),
            (None, Some(_)) => false,
        };
        if is_earlier {
            // Until the task has looked, nobody else needs to wake it.
            desk.sleeps_until = desk.engine.next_tick();
        }
        let outbox = desk.engine.take_volatile();
        if let Some(outbox) = &outbox {
            // Nobody else writes meanwhile, so that the lines are in order.
            self.audit(outbox);
        }
        let has_work = !desk.engine.is_outbox_empty();
        drop(desk);
        if is_earlier {
            self.is_rearmed.notify_one();
        }
        if has_work {
            self.has_work.notify_one();
            self.has_work_async.notify_one();
        }
        if let Some(outbox) = outbox {
            answer(outbox, true);
        }
        result
    }

    /// Reads something short, one after the other of those who read, and lets others go first.
    pub(crate) async fn read<T>(&self, act: impl FnOnce(&mut Engine) -> T) -> T {
        let result = {
            let _turn = self.reading.acquire().await;
            self.with(act)
        };
        tokio::task::yield_now().await;
        result
    }

    /// Whether the store refuses; it never waits.
    pub(crate) fn is_failed(&self) -> bool {
        self.is_failed.load(Ordering::Acquire)
    }

    /// Waits for an answer. Whoever stops waiting hangs up.
    pub(crate) async fn answer(self: &Arc<Self>, turn: Turn) -> Reply {
        let pending = match turn {
            Turn::Now(reply) => return reply,
            Turn::Later(pending) => pending,
        };
        let line = Line { shared: self, caller: pending.caller };
        let reply = pending.reply.await;
        drop(line);
        // A sender is dropped without a word only where the server gives up.
        reply.unwrap_or_else(|_| Reply::storage_in_trouble())
    }

    /// Waits for an answer. Where it waits for its turn, a client that closes its side hangs up:
    /// it cannot be told from one that is gone.
    pub(crate) async fn answer_to(self: &Arc<Self>, turn: Turn, ear: &Ear) -> Reply {
        if !matches!(&turn, Turn::Later(pending) if pending.caller != 0) {
            return self.answer(turn).await;
        }
        tokio::select! {
            biased;
            reply = self.answer(turn) => reply,
            () = ear.end() => Reply::message(408, "The connection ended while this waited"),
        }
    }

    /// Fires timers for ever.
    pub(crate) async fn drive_timers(self: Arc<Self>) {
        loop {
            self.with(Engine::tick);
            let until = {
                let mut desk = self.desk();
                desk.sleeps_until = desk.engine.next_tick();
                desk.sleeps_until
            };
            let rearmed = self.is_rearmed.notified();
            match until {
                None => rearmed.await,
                Some(until) => {
                    // Either way there is something to look at.
                    let _either = tokio::time::timeout_at(until, rearmed).await;
                }
            }
        }
    }

    /// Commits on a thread of its own, for a store that blocks.
    pub(crate) fn commit_on_thread(
        self: &Arc<Self>,
        mut store: Box<dyn Store>,
    ) -> io::Result<JoinHandle<()>> {
        let shared = self.clone();
        std::thread::Builder::new().name("commit".into()).spawn(move || {
            let (mut empty, mut medium) = (Outbox::default(), Medium::default());
            while let Some(outbox) = shared.wait_for_work(empty, medium.retry_at) {
                shared.audit(&outbox);
                store.write(&outbox.batch);
                empty = shared.committed(outbox, medium.sync(&mut *store));
            }
        })
    }

    /// Commits in a task, for a store that does not block; a sync takes as long as `pause` says.
    pub(crate) async fn commit_in_task(
        self: Arc<Self>,
        mut store: Box<dyn Store>,
        mut pause: impl FnMut() -> Duration,
    ) {
        let (mut empty, mut medium) = (Outbox::default(), Medium::default());
        loop {
            let Some(outbox) = self.take_work(&mut empty, medium.retry_at) else {
                let has_work = self.has_work_async.notified();
                match medium.retry_at {
                    None => has_work.await,
                    Some(at) => {
                        // Either way there is something to do.
                        let _either = tokio::time::timeout_at(at, has_work).await;
                    }
                }
                continue;
            };
            self.audit(&outbox);
            store.write(&outbox.batch);
            tokio::time::sleep(pause()).await;
            empty = self.committed(outbox, medium.sync(&mut *store));
        }
    }

    /// Ends the committing thread once nothing is left to write.
    pub(crate) fn close(&self) {
        self.desk().is_closing = true;
        self.has_work.notify_all();
    }

    fn take_work(&self, empty: &mut Outbox, retry_at: Option<Instant>) -> Option<Outbox> {
        let mut desk = self.desk();
        if desk.engine.is_outbox_empty() && !is_due(retry_at) {
            return None;
        }
        Some(desk.engine.take_outbox(std::mem::take(empty)))
    }

    fn wait_for_work(&self, empty: Outbox, retry_at: Option<Instant>) -> Option<Outbox> {
        let mut desk = self.desk();
        while desk.engine.is_outbox_empty() && !is_due(retry_at) {
            if desk.is_closing {
                return None;
            }
            let has_work = &self.has_work;
            desk = match retry_at {
                None => has_work.wait(desk).unwrap_or_else(PoisonError::into_inner),
                Some(at) => {
                    let pause = at.saturating_duration_since(Instant::now());
                    has_work.wait_timeout(desk, pause).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        Some(desk.engine.take_outbox(empty))
    }

    fn committed(&self, outbox: Outbox, is_written: bool) -> Outbox {
        self.desk().engine.committed(is_written);
        self.is_failed.store(!is_written, Ordering::Release);
        answer(outbox, is_written)
    }

    /// Writes the lines of the audit log, before anything that they tell of is answered.
    fn audit(&self, outbox: &Outbox) {
        if let Some(audit) = &self.audit {
            audit.write(&outbox.audit);
        }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
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
    /// once, whoever comes.
    fn sync(&mut self, store: &mut dyn Store) -> bool {
        let was_refused = self.retry_at.is_some();
        if was_refused && !is_due(self.retry_at) {
            return false;
        }
        let synced = store.sync();
        self.retry_at = synced.is_err().then(|| Instant::now() + RETRY_PAUSE);
        match synced {
            Ok(()) if was_refused => tracing::info!("the store takes everything again"),
            Err(error) if !was_refused => {
                tracing::error!(%error, "the store refuses: nothing is granted until it takes all");
            }
            Ok(()) | Err(_) => {}
        }
        self.retry_at.is_none()
    }
}

/// Answers everyone, and gives the emptied outbox back.
fn answer(mut outbox: Outbox, is_written: bool) -> Outbox {
    for (sender, reply) in outbox.answers.drain(..) {
        let reply = if is_written { reply } else { Reply::storage_in_trouble() };
        // Whoever has gone away needs no answer.
        let _gone = sender.send(reply);
    }
    outbox.batch.clear();
    outbox.audit.clear();
    outbox
}

/// The connection of a request that waits; dropped before its answer, it hangs up.
struct Line<'a> {
    shared: &'a Shared,
    caller: u64,
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        if self.caller != 0 {
            self.shared.with(|engine| engine.hang_up(self.caller));
        }
    }
}
