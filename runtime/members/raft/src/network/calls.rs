//! Requests and their answers as messages of a transport of the host.
//!
//! A request has a number, which its answer repeats. A message that the transport hands back fails
//! its call; one that is lost with its connection does not, and the caller's timeout ends it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::sync::{Semaphore, oneshot};
use turnstile_host::Rng;
use turnstile_host::transport::{Receiver, Unsent};

use super::{CallError, Handler};

/// The maximum number of requests that are being answered; further ones wait in their connections,
/// and all that comes behind them.
pub(crate) const ANSWERING_MAX: usize = 8192;

/// What members send each other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Message {
    /// Expects an answer with the same number.
    Request { call: u64, body: Bytes },
    /// `None`: the member does not answer.
    Answer { call: u64, body: Option<Bytes> },
}

type CallOutcome = Result<Bytes, CallError>;

/// Sends a message to a member, or hands back why it cannot.
pub(super) type Send =
    Box<dyn Fn(u64, Message) -> Result<(), CallError> + std::marker::Send + Sync>;

/// The calls of one member, and the requests of others that it answers.
pub(super) struct Calls {
    handler: OnceLock<Arc<dyn Handler>>,
    send: OnceLock<Send>,
    next: AtomicU64,
    waiting: Mutex<BTreeMap<u64, oneshot::Sender<CallOutcome>>>,
    answering: Arc<Semaphore>,
}

impl Calls {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            handler: OnceLock::new(),
            send: OnceLock::new(),
            // An answer to a former process is none to this one.
            next: AtomicU64::new(Rng::from_entropy().number()),
            waiting: Mutex::default(),
            answering: Arc::new(Semaphore::new(ANSWERING_MAX)),
        })
    }

    /// Sets the transport, once it is started with this receiver.
    pub(super) fn connect(&self, send: Send) {
        assert!(self.send.set(send).is_ok(), "a network has one transport");
    }

    /// Answers requests from now on.
    ///
    /// # Panics
    /// When there is a handler already.
    pub(super) fn serve(&self, handler: Arc<dyn Handler>) {
        assert!(self.handler.set(handler).is_ok(), "a network serves one member");
    }

    pub(super) async fn call(&self, to: u64, body: Bytes) -> CallOutcome {
        let call = self.next.fetch_add(1, Ordering::Relaxed);
        let (done, outcome) = oneshot::channel();
        self.lock().insert(call, done);
        // The caller may cancel the call.
        let _registered = Registered { calls: self, call };
        self.send(to, Message::Request { call, body })?;
        outcome.await.unwrap_or_else(|_| Err(CallError::new("the network is closed")))
    }

    /// Fails all calls that wait.
    pub(super) fn close(&self) {
        self.lock().clear();
    }

    fn send(&self, to: u64, message: Message) -> Result<(), CallError> {
        let send = self.send.get().ok_or_else(|| CallError::new("the network is not started"))?;
        send(to, message)
    }

    fn complete(&self, call: u64, outcome: CallOutcome) {
        if let Some(done) = self.lock().remove(&call) {
            // The caller may have been cancelled in between.
            let _unheard = done.send(outcome);
        }
    }

    async fn answer(&self, from: u64, call: u64, body: Bytes) {
        let body = match self.handler.get() {
            Some(handler) => handler.handle(body).await,
            None => None,
        };
        if let Err(error) = self.send(from, Message::Answer { call, body }) {
            tracing::debug!(from, %error, "an answer is lost");
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, oneshot::Sender<CallOutcome>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Registered<'a> {
    calls: &'a Calls,
    call: u64,
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        self.calls.lock().remove(&self.call);
    }
}

/// The receiver of a transport.
#[derive(Clone)]
pub(super) struct Incoming(pub(super) Arc<Calls>);

impl Receiver<u64, Message> for Incoming {
    async fn deliver(&self, from: u64, message: Message) {
        match message {
            Message::Request { call, body } => {
                let Ok(permit) = Arc::clone(&self.0.answering).acquire_owned().await else {
                    return;
                };
                let calls = Arc::clone(&self.0);
                tokio::spawn(async move {
                    calls.answer(from, call, body).await;
                    drop(permit);
                });
            }
            Message::Answer { call, body } => {
                let stopped = || CallError::new(format!("{from} does not answer"));
                self.0.complete(call, body.ok_or_else(stopped));
            }
        }
    }

    fn unsent(&self, unsent: Unsent<u64, Message>) {
        match unsent.message {
            Message::Request { call, .. } => {
                self.0.complete(call, Err(CallError::new(unsent.why.to_string())));
            }
            // The caller has its timeout.
            Message::Answer { .. } => {}
        }
    }
}
