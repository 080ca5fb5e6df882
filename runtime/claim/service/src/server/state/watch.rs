//! Long polls for the end of a claim: its holder is notified at once when it is revoked or expires.
//!
//! The core says when a claim has ended; the server bounds how long a request waits.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;
use turnstile_host::Moment;

use crate::server::access::origin::RequestOrigin;
use crate::server::state::claim_engine::ClaimEngine;
use crate::server::state::reply::{CallKind, Reply};
use crate::server::state::service::ClaimService;
use crate::server::web::call::{Call, EngineReply, OutgoingReply, PendingReply};

impl ClaimEngine<'_> {
    /// The claim: at once, or when it is no longer active, if the client asks to wait.
    pub(crate) fn watch(&mut self, id: u64, origin: &RequestOrigin) -> EngineReply {
        let Some(wait_us) = origin.wait_us else { return self.show(id, origin) };
        let entry = self.index.entry(id);
        let is_held = entry.is_some_and(|entry| entry.due_us.is_some());
        let is_full = self.calls.len() >= self.retention.waits_max;
        if !is_held || is_full || self.is_ending || self.0.is_failed() {
            let reply = Reply::watched(id, entry, origin, self.now_us());
            return self.answer_read(reply);
        }
        self.last_watch += 1;
        let caller = self.last_watch;
        let (sender, receiver) = oneshot::channel();
        let (origin, reply) = (origin.clone(), Some(sender));
        let call = Call { kind: CallKind::Watch, claim: Some(id), resource: None, origin, reply };
        self.calls.insert(caller, call);
        self.watches.entry(id).or_default().insert(caller);
        let until = Some(Instant::now() + Duration::from_micros(wait_us));
        EngineReply::Pending(PendingReply { caller, reply: receiver, until })
    }

    /// Ends all long polls with the present states of their claims.
    #[cfg(feature = "cluster")]
    pub(crate) fn end_watches_now(&mut self) {
        let callers: Vec<u64> = self.watches.values().flatten().copied().collect();
        for caller in callers {
            self.watch_no_longer(caller);
        }
    }

    /// Ends a long poll after its maximum time.
    pub(crate) fn watch_no_longer(&mut self, caller: u64) {
        let now = self.0.now();
        if let Some(answer) = self.answer_watch(caller, now) {
            self.0.push(answer);
        }
    }
}

impl ClaimService {
    /// Ends all long polls of a claim; the replies are sent after the commit.
    pub(crate) fn end_watches(&mut self, id: u64, now: Moment, outgoing: &mut Vec<OutgoingReply>) {
        for caller in self.watches.remove(&id).unwrap_or_default() {
            outgoing.extend(self.answer_watch(caller, now));
        }
    }

    /// The reply to a long poll: the current state of the claim.
    fn answer_watch(&mut self, caller: u64, now: Moment) -> Option<OutgoingReply> {
        let Call { claim, origin, reply, .. } = self.end_watch(caller)?;
        let (id, sender) = (claim?, reply?);
        let reply = Reply::watched(id, self.index.entry(id), &origin, now.at_us);
        self.metrics.answered(reply.status);
        Some(OutgoingReply(sender, reply))
    }

    /// Removes a call if it is a long poll.
    pub(crate) fn end_watch(&mut self, caller: u64) -> Option<Call> {
        let call = self.calls.get(&caller)?;
        let id = call.claim.filter(|_| call.kind == CallKind::Watch)?;
        if let Some(callers) = self.watches.get_mut(&id) {
            callers.remove(&caller);
            if callers.is_empty() {
                self.watches.remove(&id);
            }
        }
        self.calls.remove(&caller)
    }
}
