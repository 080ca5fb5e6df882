//! Requests that wait until a claim is over: a holder hears at once that it was revoked or expired.
//!
//! The core says when a claim is over. How long a request may wait for that is ours.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;
use turnstile_host::Moment;

use super::call::{Answer, Call, Origin, Pending, Turn};
use super::engine::Engine;
use super::reply::{Asked, Reply};
use super::service::Claims;

impl Engine<'_> {
    /// One claim: at once, or when it holds the lock no longer, if that is asked for.
    pub(crate) fn watch(&mut self, id: u64, origin: &Origin) -> Turn {
        let Some(wait_us) = origin.wait_us else { return self.show(id, origin) };
        let entry = self.book.entry(id);
        let is_held = entry.is_some_and(|entry| entry.due_us.is_some());
        let is_full = self.calls.len() >= self.terms.waits_max;
        if !is_held || is_full || self.is_ending || self.0.is_failed() {
            let reply = Reply::watched(id, entry, origin, self.now_us());
            return self.answer_read(reply);
        }
        self.last_caller += 1;
        let caller = self.last_caller;
        let (sender, receiver) = oneshot::channel();
        let (origin, reply) = (origin.clone(), Some(sender));
        let call = Call { asked: Asked::Watch, claim: Some(id), resource: None, origin, reply };
        self.calls.insert(caller, call);
        self.watches.entry(id).or_default().insert(caller);
        let until = Some(Instant::now() + Duration::from_micros(wait_us));
        Turn::Later(Pending { caller, reply: receiver, until })
    }

    /// A call has watched a claim for as long as it wanted to.
    pub(crate) fn watch_no_longer(&mut self, caller: u64) {
        let now = self.0.now();
        if let Some(answer) = self.answer_watch(caller, now) {
            self.0.push(answer);
        }
    }
}

impl Claims {
    /// A claim is over: whoever watches it is told once that is saved.
    pub(super) fn end_watches(&mut self, id: u64, now: Moment, outgoing: &mut Vec<Answer>) {
        for caller in self.watches.remove(&id).unwrap_or_default() {
            outgoing.extend(self.answer_watch(caller, now));
        }
    }

    /// The answer to a call that watches: the claim as it is.
    fn answer_watch(&mut self, caller: u64, now: Moment) -> Option<Answer> {
        let Call { claim, origin, reply, .. } = self.end_watch(caller)?;
        let (id, sender) = (claim?, reply?);
        let reply = Reply::watched(id, self.book.entry(id), &origin, now.at_us);
        self.metrics.answered(reply.status);
        Some(Answer(sender, reply))
    }

    /// Takes out a call, if it is one that watches.
    pub(super) fn end_watch(&mut self, caller: u64) -> Option<Call> {
        let call = self.calls.get(&caller)?;
        let id = call.claim.filter(|_| call.asked == Asked::Watch)?;
        if let Some(callers) = self.watches.get_mut(&id) {
            callers.remove(&caller);
            if callers.is_empty() {
                self.watches.remove(&id);
            }
        }
        self.calls.remove(&caller)
    }
}
