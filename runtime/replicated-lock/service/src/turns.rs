//! The locks that this member uses. Its tasks take turns: the core knows one thread for each lock.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{oneshot, watch};
use turnstile_replicated_lock_core::message::MutexEvent;
use turnstile_replicated_lock_core::types::LockName;

use crate::error::LockError;
use crate::name::shown;

/// The number of turns below which none are removed.
const PRUNE_LEAST: usize = 1024;

/// The turns of all locks.
pub(crate) struct Turns(Mutex<TurnMap>);

struct TurnMap {
    turns: BTreeMap<LockName, Arc<LockTurns>>,
    /// The number at which those without a user are removed.
    prune_at: usize,
    is_closed: bool,
}

/// The turns of one lock.
pub(crate) struct LockTurns {
    pub(crate) lock: LockName,
    id: Box<str>,
    /// Held by the task whose turn it is; first in, first out.
    pub(crate) queue: Arc<tokio::sync::Mutex<()>>,
    slot: Mutex<Slot>,
}

/// Becomes true when the lock is lost, or closed when the service ends.
pub(crate) type Loss = watch::Receiver<bool>;
/// The outcome of lock() or tryLock(); `None`: without the lock.
pub(crate) type Locked = Result<Option<Loss>, LockError>;

/// What the task whose turn it is waits for.
enum Slot {
    Idle,
    Locking(oneshot::Sender<Locked>),
    Held(watch::Sender<bool>),
    Unlocking(oneshot::Sender<Result<(), LockError>>),
    /// The service has ended: no event will come.
    Closed,
}

impl Turns {
    pub(crate) fn new() -> Self {
        let turns = BTreeMap::new();
        Self(Mutex::new(TurnMap { turns, prune_at: PRUNE_LEAST, is_closed: false }))
    }

    /// The turns of a lock. `in_use`: the locks whose turns must stay although no task has them.
    pub(crate) fn turn(
        &self,
        lock: LockName,
        id: &str,
        in_use: impl FnOnce() -> BTreeSet<LockName>,
    ) -> Arc<LockTurns> {
        let mut map = self.lock();
        if map.turns.len() >= map.prune_at {
            let in_use = in_use();
            map.turns.retain(|lock, turn| Arc::strong_count(turn) > 1 || in_use.contains(lock));
            map.prune_at = PRUNE_LEAST.max(2 * map.turns.len());
        }
        let first = if map.is_closed { Slot::Closed } else { Slot::Idle };
        let turn =
            map.turns.entry(lock).or_insert_with(|| Arc::new(LockTurns::new(lock, id, first)));
        Arc::clone(turn)
    }

    /// The id of a lock, as it is displayed.
    pub(crate) fn id(&self, lock: LockName) -> Option<String> {
        self.lock().turns.get(&lock).map(|turn| shown(&turn.id).to_owned())
    }

    /// Tells the task whose turn it is.
    pub(crate) fn on_event(&self, lock: LockName, event: MutexEvent) {
        let turn = self.lock().turns.get(&lock).cloned();
        if let Some(turn) = turn {
            turn.on_event(event);
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Ends all waits: no further event will come.
    pub(crate) fn close(&self) {
        let mut map = self.lock();
        map.is_closed = true;
        map.turns.values().for_each(|turn| *turn.slot() = Slot::Closed);
    }

    fn lock(&self) -> MutexGuard<'_, TurnMap> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LockTurns {
    fn new(lock: LockName, id: &str, first: Slot) -> Self {
        Self { lock, id: id.into(), queue: Arc::default(), slot: Mutex::new(first) }
    }

    /// Waits for the outcome of lock() or tryLock(), which is executed next.
    pub(crate) fn await_lock(&self) -> Result<oneshot::Receiver<Locked>, LockError> {
        let mut slot = self.slot();
        if matches!(&*slot, Slot::Closed) {
            return Err(LockError::Stopped);
        }
        let (sender, outcome) = oneshot::channel();
        *slot = Slot::Locking(sender);
        Ok(outcome)
    }

    /// Waits for the outcome of unlock(), which is executed next, unless the lock is lost already.
    pub(crate) fn await_unlock(
        &self,
    ) -> Result<oneshot::Receiver<Result<(), LockError>>, LockError> {
        let mut slot = self.slot();
        if matches!(&*slot, Slot::Closed) {
            return Err(LockError::Stopped);
        }
        let is_held = matches!(&*slot, Slot::Held(loss) if !*loss.borrow());
        if !is_held {
            *slot = Slot::Idle;
            return Err(LockError::Lost);
        }
        let (sender, outcome) = oneshot::channel();
        *slot = Slot::Unlocking(sender);
        Ok(outcome)
    }

    fn on_event(&self, event: MutexEvent) {
        let mut slot = self.slot();
        let now = std::mem::replace(&mut *slot, Slot::Idle);
        *slot = match (now, event) {
            (Slot::Locking(outcome), MutexEvent::Returns) => {
                let (held, loss) = watch::channel(false);
                // A caller that has gone drops the guard, which unlocks.
                let _gone = outcome.send(Ok(Some(loss)));
                Slot::Held(held)
            }
            (Slot::Locking(outcome), MutexEvent::NotLocked) => finish(outcome, Ok(None)),
            (Slot::Locking(outcome), MutexEvent::Throws) => finish(outcome, Err(LockError::Failed)),
            (Slot::Unlocking(outcome), MutexEvent::Returns) => finish(outcome, Ok(())),
            (Slot::Unlocking(outcome), MutexEvent::Throws) => {
                finish(outcome, Err(LockError::Failed))
            }
            // The core had lost it before it took the command.
            (Slot::Unlocking(outcome), MutexEvent::UnexpectedUnlocking) => {
                finish(outcome, Err(LockError::Lost))
            }
            (Slot::Held(held), MutexEvent::UnexpectedUnlocking) => {
                held.send_replace(true);
                Slot::Held(held)
            }
            (Slot::Closed, _) => Slot::Closed,
            (now, event) => {
                tracing::warn!(lock = self.lock.0, ?event, "nobody waits for this event");
                now
            }
        };
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn finish<T>(outcome: oneshot::Sender<T>, value: T) -> Slot {
    // Nobody may listen any more.
    let _gone = outcome.send(value);
    Slot::Idle
}
