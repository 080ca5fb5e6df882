//! The typed handle of an actor, and its counts.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{mpsc, oneshot, watch};
use turnstile_host::Stopped;
use turnstile_machine::PlainMachine;
use turnstile_plain::State;
use turnstile_step::RowOutcome;

use crate::core::Answer;
use crate::snapshot::Snapshot;

/// An event on its way to the actor, and where its answer goes.
pub(crate) type Asked<M> = (<M as turnstile_machine::Machine>::Event, oneshot::Sender<Answer>);

/// Gives an actor events and shows its state. A clone is a handle of the same actor.
pub struct Handle<M: PlainMachine> {
    pub(crate) inbox: mpsc::Sender<Asked<M>>,
    pub(crate) states: watch::Receiver<State<M>>,
    pub(crate) counters: Arc<Counters>,
}

impl<M: PlainMachine> Clone for Handle<M> {
    fn clone(&self) -> Self {
        let Self { inbox, states, counters } = self;
        Self { inbox: inbox.clone(), states: states.clone(), counters: Arc::clone(counters) }
    }
}

impl<M: PlainMachine> fmt::Debug for Handle<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("machine", &M::TABLE.machine).finish_non_exhaustive()
    }
}

impl<M: PlainMachine> Handle<M> {
    /// Gives the actor an event, and waits while its inbox is full. The answer comes after the step
    /// is saved and its actions are performed.
    ///
    /// # Errors
    ///
    /// When the actor has stopped or failed, before it has answered.
    pub async fn give(&self, event: M::Event) -> Result<Answer, Stopped> {
        let (answer, answered) = oneshot::channel();
        self.inbox.send((event, answer)).await.map_err(|_| Stopped)?;
        answered.await.map_err(|_| Stopped)
    }

    /// The state, after the actions of the steps that led there.
    #[must_use]
    pub fn state(&self) -> M::State {
        self.states.borrow().at
    }

    /// Waits until the state is one for which `is` holds.
    ///
    /// # Errors
    ///
    /// When the actor stops or fails first.
    pub async fn wait_until(
        &mut self,
        mut is: impl FnMut(M::State) -> bool,
    ) -> Result<M::State, Stopped> {
        let state = self.states.wait_for(|state| is(state.at)).await.map_err(|_| Stopped)?;
        Ok(state.at)
    }

    /// The state with variables and resources, as data.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::of(&self.states.borrow())
    }

    /// Counts since the start.
    #[must_use]
    pub fn counts(&self) -> ActorCounts {
        self.counters.counts()
    }
}

/// Counts since the start of an actor. They include messages and timers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActorCounts {
    /// Events for which a row was taken.
    pub taken: u64,
    /// Events that the table ignores.
    pub ignored: u64,
    /// Events without a row, and messages that the table does not declare.
    pub refused: u64,
    /// Actions of rows that failed: a variable would leave its range, or a resource was not there.
    pub failed_actions: u64,
    /// Messages that were not sent.
    pub unsent: u64,
}

/// The counters of a running actor.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    taken: AtomicU64,
    ignored: AtomicU64,
    refused: AtomicU64,
    failed_actions: AtomicU64,
    unsent: AtomicU64,
}

impl Counters {
    /// Counts the outcomes of a step.
    pub(crate) fn note(&self, rows: &[RowOutcome]) {
        for outcome in rows {
            let counter = match outcome {
                RowOutcome::Row { .. } => &self.taken,
                RowOutcome::Ignored { .. } => &self.ignored,
                RowOutcome::Unexpected { .. } => &self.refused,
                RowOutcome::ActionFailed { .. } => &self.failed_actions,
            };
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a message that was not sent.
    pub(crate) fn note_unsent(&self) {
        self.unsent.fetch_add(1, Ordering::Relaxed);
    }

    fn counts(&self) -> ActorCounts {
        ActorCounts {
            taken: self.taken.load(Ordering::Relaxed),
            ignored: self.ignored.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
            failed_actions: self.failed_actions.load(Ordering::Relaxed),
            unsent: self.unsent.load(Ordering::Relaxed),
        }
    }
}
