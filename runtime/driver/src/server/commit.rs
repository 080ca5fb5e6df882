//! Group commit: one writer takes whatever has collected, writes and syncs it, then answers.
//!
//! While one batch is on its way to the disk the next collects, so that the load alone decides how
//! large a batch is; nobody waits for a clock. In memory there is nothing to wait for.
//!
//! The writer is a task like those of the connections, which stands still while the disk works: who
//! is answered is answered on the same thread, and no thread is woken for it. It begins only once
//! whoever was ready has been heard.
//!
//! A store that refuses keeps what it was given and is asked again every now and then. Until it has
//! all of it, everybody is refused; then the server goes on as if nothing had been.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;

use super::audit::Audit;
use super::call::{Outbox, Turn};
use super::ear::Ear;
use super::engine::Engine;
use super::reply::Reply;
use turnstile_host::store::Store;

/// What nobody waits for is held back for so long: most of the time somebody comes who does, and
/// both are one commit. So is a lock's hand-over, where the last holder queues again before the
/// next one releases.
const HOLD: Duration = Duration::from_millis(1);
/// A store that has refused is asked again after so long.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// The engine, shared by requests, timers and the committer.
#[derive(Debug)]
pub(crate) struct Shared {
    desk: Mutex<Desk>,
    has_work: Notify,
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
            has_work: Notify::new(),
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

    /// Commits until the server is closed and nothing is left to write. A pause stands for what a
    /// sync takes where it takes no time.
    pub(crate) async fn commit(
        self: Arc<Self>,
        mut store: Box<dyn Store>,
        mut pause: Option<Pause>,
    ) {
        let (mut empty, mut medium) = (Outbox::default(), Medium::default());
        // What nobody waits for goes out then.
        let mut held_until = None;
        loop {
            match self.take_work(&mut empty, medium.retry_at, held_until) {
                Work::Done => return,
                Work::None => self.wait_for_work(medium.retry_at).await,
                Work::Unurgent => {
                    let until = *held_until.get_or_insert_with(|| Instant::now() + HOLD);
                    self.wait_for_work(Some(until)).await;
                }
                Work::Some(outbox) => {
                    held_until = None;
                    self.audit(&outbox);
                    store.write(&outbox.batch);
                    if let Some(pause) = &mut pause {
                        tokio::time::sleep(pause()).await;
                    }
                    leave_to_others();
                    empty = self.committed(outbox, medium.sync(&mut *store));
                }
            }
        }
    }

    async fn wait_for_work(&self, until: Option<Instant>) {
        let has_work = self.has_work.notified();
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

    /// Ends the committing task once nothing is left to write.
    pub(crate) fn close(&self) {
        self.desk().is_closing = true;
        self.has_work.notify_one();
    }

    fn take_work(
        &self,
        empty: &mut Outbox,
        retry_at: Option<Instant>,
        held_until: Option<Instant>,
    ) -> Work {
        let mut desk = self.desk();
        let is_due = is_due(retry_at) || is_due(held_until);
        match (desk.engine.is_outbox_empty(), desk.is_closing) {
            (true, true) if !is_due => Work::Done,
            (true, false) if !is_due => Work::None,
            (false, false) if !is_due && !desk.engine.is_awaited() => Work::Unurgent,
            (_, _) => Work::Some(desk.engine.take_outbox(std::mem::take(empty))),
        }
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

/// How long a sync takes that takes no time.
pub(crate) type Pause = Box<dyn FnMut() -> Duration + Send>;

/// What the committer has to do.
enum Work {
    Some(Outbox),
    /// Something that nobody waits for.
    Unurgent,
    None,
    Done,
}

/// The threads that a server needs: one for each core. One of them may wait for the disk, so that
/// there are two at least.
///
/// # Errors
/// When the system has no threads to give.
pub fn runtime() -> io::Result<tokio::runtime::Runtime> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    tokio::runtime::Builder::new_multi_thread().worker_threads(cores.max(2)).enable_all().build()
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
