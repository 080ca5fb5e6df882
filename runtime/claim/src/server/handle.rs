//! The claims as the tasks of all connections share them: requests go in, answers come out.

use std::sync::Arc;

use tokio::sync::Semaphore;
use turnstile_host::{Host, Outlet};

use super::audit::Audit;
use super::call::{Answer, Pending, Turn};
use super::ear::Ear;
use super::engine::Engine;
use super::reply::Reply;
use super::service::Claims;

/// The engine, shared by requests, timers and the committing task.
#[derive(Debug)]
pub(crate) struct EngineHandle {
    host: Host<Claims>,
    /// Whoever only reads takes turns, so that one of them at most stands in the others' way.
    reading: Semaphore,
}

impl EngineHandle {
    pub(crate) fn new(host: Host<Claims>) -> Arc<Self> {
        Arc::new(Self { host, reading: Semaphore::new(1) })
    }

    pub(crate) fn host(&self) -> Host<Claims> {
        self.host.clone()
    }

    /// Does something with the engine, and wakes whom it concerns.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut Engine<'_>) -> T) -> T {
        self.host.with(|state| act(&mut Engine(state)))
    }

    /// Reads something short, one after the other of those who read, and lets others go first.
    pub(crate) async fn read<T>(&self, act: impl FnOnce(&mut Engine<'_>) -> T) -> T {
        let result = {
            let _turn = self.reading.acquire().await;
            self.with(act)
        };
        tokio::task::yield_now().await;
        result
    }

    /// Whether the store refuses; it never waits.
    pub(crate) fn is_failed(&self) -> bool {
        self.host.is_failed()
    }

    /// Waits for an answer. Whoever stops waiting hangs up.
    pub(crate) async fn answer(&self, turn: Turn) -> Reply {
        let Pending { caller, mut reply, until } = match turn {
            Turn::Now(reply) => return reply,
            Turn::Later(pending) => pending,
        };
        let line = Line { handle: self, caller };
        let reply = match until {
            None => reply.await,
            Some(until) => match tokio::time::timeout_at(until, &mut reply).await {
                Ok(reply) => reply,
                Err(_elapsed) => {
                    self.with(|engine| engine.watch_no_longer(caller));
                    reply.await
                }
            },
        };
        drop(line);
        // A sender is dropped without a word only where the server gives up.
        reply.unwrap_or_else(|_| Reply::storage_in_trouble())
    }

    /// Waits for an answer. Where it waits for its turn, a client that closes its side hangs up:
    /// it cannot be told from one that is gone.
    pub(crate) async fn answer_to(&self, turn: Turn, ear: &Ear) -> Reply {
        if !matches!(&turn, Turn::Later(pending) if pending.caller != 0) {
            return self.answer(turn).await;
        }
        tokio::select! {
            biased;
            reply = self.answer(turn) => reply,
            () = ear.end() => Reply::message(408, "The connection ended while this waited"),
        }
    }
}

/// Where answers and lines of the audit log go.
pub(super) struct Answers(pub(super) Option<Audit>);

impl Outlet<Answer> for Answers {
    fn deliver(&self, answers: &mut Vec<Answer>, is_durable: bool) {
        for Answer(sender, reply) in answers.drain(..) {
            let reply = if is_durable { reply } else { Reply::storage_in_trouble() };
            // Whoever has gone away needs no answer.
            let _gone = sender.send(reply);
        }
    }

    fn log(&self, lines: &[u8]) {
        if let Some(audit) = &self.0 {
            audit.write(lines);
        }
    }
}

/// The connection of a request that waits; dropped before its answer, it hangs up.
struct Line<'a> {
    handle: &'a EngineHandle,
    caller: u64,
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        if self.caller != 0 {
            self.handle.with(|engine| engine.hang_up(self.caller));
        }
    }
}
