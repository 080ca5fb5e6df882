//! The writer of a simulation: a task of the simulated time, whose syncs take some of it.

use std::collections::VecDeque;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{sleep, timeout};
use turnstile_host::{Bell, Rng};

use super::write_loop::{Write, WriteLoop};

/// A sync takes so long at most.
const SYNC_MOST: Duration = Duration::from_millis(8);

/// What the writer and its task share.
#[derive(Clone)]
pub(super) struct SimulatedWriter(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    bell: Bell,
}

struct State {
    queue: VecDeque<Write>,
    /// `None` once it is closed.
    write_loop: Option<WriteLoop>,
}

impl SimulatedWriter {
    pub(super) fn start(write_loop: WriteLoop) -> Self {
        let state = State { queue: VecDeque::new(), write_loop: Some(write_loop) };
        let writer = Self(Arc::new(Shared { state: Mutex::new(state), bell: Bell::default() }));
        tokio::spawn(writer.clone().run());
        writer
    }

    pub(super) fn write(&self, write: Write) {
        self.lock().queue.push_back(write);
        self.0.bell.ring();
    }

    pub(super) fn close(&self) {
        self.lock().turn(Err(RecvTimeoutError::Disconnected));
        self.lock().write_loop = None;
        self.0.bell.ring();
    }

    async fn run(self) {
        let mut rng = Rng::from_entropy();
        loop {
            let seen = self.0.bell.count();
            let (is_empty, pause) = match &*self.lock() {
                State { queue, write_loop: Some(write_loop) } => {
                    (queue.is_empty(), write_loop.pause())
                }
                State { write_loop: None, .. } => return,
            };
            if is_empty {
                // Afterwards it looks again.
                let _rung = timeout(pause, self.0.bell.after(seen)).await;
            }
            sleep(rng.between(Duration::ZERO, SYNC_MOST)).await;
            self.lock().turn(Err(RecvTimeoutError::Timeout));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn turn(&mut self, next: Result<Write, RecvTimeoutError>) {
        if let Some(write_loop) = &mut self.write_loop {
            write_loop.turn(next, self.queue.drain(..));
        }
    }
}
