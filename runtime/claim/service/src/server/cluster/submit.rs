//! The requests of this process: each is carried through changes of the leader until it is applied,
//! cannot be, or its time is over.

use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::ReplicatedEngine;
use super::forward::Attempt;
use super::operation::{EncodedOrigin, Operation, RequestOperation, encode};
use super::shared::Shared;
use crate::server::access::origin::RequestOrigin;
use crate::server::web::call::{ClaimRequest, EngineReply};

impl ReplicatedEngine {
    /// Has the cluster take a request.
    pub(super) async fn propose(
        &self,
        request: ClaimRequest,
        origin: RequestOrigin,
    ) -> EngineReply {
        let wait_us = origin.wait_us.map(|wait_us| self.wait_us(wait_us));
        let origin = RequestOrigin { wait_us, ..origin };
        let (numbers, reply) = self.shared.lock().expect();
        let _expected = ExpectNoLonger { shared: &self.shared, number: numbers.0 };
        let own = EncodedOrigin::new(&origin, self.own);
        let operation = RequestOperation::new(numbers, own, &request);
        let operation = Operation::Request(operation);
        let until = Instant::now() + self.options.request_timeout;
        let mut progress = Progress { reply, unknown_in: None };
        let carry = self.carry(encode(&operation).into(), &mut progress);
        let carried = timeout_at(until, carry).await;
        match carried {
            Ok(Some(reply)) => self.limited(reply, origin.wait_us),
            Ok(None) | Err(_) if progress.unknown_in.is_some() => {
                EngineReply::Ready(self.outcome_unknown())
            }
            Ok(None) | Err(_) => EngineReply::Ready(self.not_executed()),
        }
    }

    /// How long a request may wait: no longer, if too many of this process wait already.
    pub(super) fn wait_us(&self, wait_us: u64) -> u64 {
        if self.waiting.load(Ordering::Relaxed) < self.waits_max { wait_us } else { 0 }
    }

    /// A request that waits does so a little longer than the leader lets it: if this member hears
    /// nothing of the leader, it does not wait for ever.
    fn limited(&self, reply: EngineReply, wait_us: Option<u64>) -> EngineReply {
        let EngineReply::Pending(mut pending) = reply else { return reply };
        let wait = Duration::from_micros(wait_us.unwrap_or(0));
        pending.until = Some(Instant::now() + wait + self.options.request_timeout);
        self.waiting.fetch_add(1, Ordering::Relaxed);
        EngineReply::Pending(pending)
    }

    /// Proposes an operation until it is applied; `None` if that is not possible.
    async fn carry(&self, operation: Bytes, progress: &mut Progress) -> Option<EngineReply> {
        let limits = self.shared.lock().limits();
        loop {
            let begun = self.shared.term_begins.count();
            let term = self.shared.term();
            // The request was checked against other limits.
            if self.shared.lock().limits() != limits {
                return None;
            }
            // Once another term has begun here, it is applied, or never will be.
            let before = progress.unknown_in.filter(|unknown| *unknown >= term);
            progress.unknown_in = Some(term);
            let attempt = timeout(self.forwarder.lease, self.forwarder.attempt(term, &operation));
            let attempt = tokio::select! {
                biased;
                reply = &mut progress.reply => return reply.ok(),
                attempt = attempt => attempt,
            };
            match attempt.unwrap_or(Attempt::Unknown) {
                // This member applies it, too.
                Attempt::Applied => return (&mut progress.reply).await.ok(),
                Attempt::NoMajority => {
                    progress.unknown_in = before;
                    return None;
                }
                Attempt::NotExecuted => progress.unknown_in = before,
                // It may be proposed again in this term: it is taken once.
                Attempt::Unknown => {}
            }
            // Until there is another leader, or this member knows its term.
            tokio::select! {
                biased;
                reply = &mut progress.reply => return reply.ok(),
                () = self.shared.term_begins.after(begun) => {}
                () = sleep(self.options.raft.heartbeat) => {}
            }
        }
    }

    /// Ends the waits of this process, since it stops.
    pub(super) async fn end_waits_of_run(&self) {
        self.shared.with(|engine| engine.end_watches_now());
        let operation: Bytes = encode(&Operation::EndWaits(self.own)).into();
        let ended = async {
            while self.shared.lock().has_callers_of(self.own) {
                let term = self.shared.term();
                match self.forwarder.attempt(term, &operation).await {
                    Attempt::Applied => return,
                    Attempt::NotExecuted | Attempt::NoMajority | Attempt::Unknown => {
                        sleep(self.options.raft.heartbeat).await;
                    }
                }
            }
        };
        // Without a leader the connections end without a reply.
        let _in_time = timeout(self.options.request_timeout, ended).await;
    }
}

/// What is known of a request that is being carried.
struct Progress {
    reply: oneshot::Receiver<EngineReply>,
    /// The term in which it may still be applied.
    unknown_in: Option<u64>,
}

/// Forgets a request that was expected.
struct ExpectNoLonger<'a> {
    shared: &'a Shared,
    number: u64,
}

impl Drop for ExpectNoLonger<'_> {
    fn drop(&mut self) {
        self.shared.lock().expect_no_longer(self.number);
    }
}
