//! The connections of a socket that have not sent their request yet: a new one is always taken in,
//! and at the limit the one that has been silent for longest gives way.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The silent connections.
pub(crate) struct Arrivals {
    most: usize,
    state: Mutex<ArrivalsState>,
}

#[derive(Default)]
struct ArrivalsState {
    last: u64,
    /// Those that may be told to give way, the oldest first.
    silent: BTreeMap<u64, oneshot::Sender<()>>,
}

/// A connection that is silent until this is dropped.
pub(crate) struct Arrival {
    arrivals: Arc<Arrivals>,
    number: u64,
    gives_way: oneshot::Receiver<()>,
}

impl Arrivals {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, state: Mutex::default() })
    }

    /// Takes a connection in.
    pub(crate) fn take_in(self: &Arc<Self>) -> Arrival {
        let mut state = self.lock();
        while state.silent.len() >= self.most {
            // Dropped, it tells its connection.
            drop(state.silent.pop_first());
        }
        state.last += 1;
        let (number, (line, gives_way)) = (state.last, oneshot::channel());
        state.silent.insert(number, line);
        Arrival { arrivals: Arc::clone(self), number, gives_way }
    }

    fn lock(&self) -> MutexGuard<'_, ArrivalsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Arrival {
    /// Completes when the connection has to give way.
    pub(crate) async fn gives_way(&mut self) {
        // Nothing is ever sent.
        let _dropped = (&mut self.gives_way).await;
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        self.arrivals.lock().silent.remove(&self.number);
    }
}
