//! Requests that wait until a claim is over: a holder hears at once that it was revoked or expired.
//!
//! The core says when a claim is over. How long a request may wait for that is ours.

use tokio::sync::oneshot;

use super::call::{Call, Origin, Pending, Turn};
use super::engine::{Alarm, Engine};
use super::reply::{Asked, Reply};

impl Engine {
    /// One claim: at once, or when it holds the lock no longer, if that is asked for.
    pub(crate) fn watch(&mut self, id: u64, origin: &Origin) -> Turn {
        let Some(wait_us) = origin.wait_us else { return self.show(id, origin) };
        self.drive_due();
        let now_us = self.clock.now_us();
        let entry = self.book.entry(id);
        let is_held = entry.is_some_and(|entry| entry.due_us.is_some());
        let is_full = self.calls.len() >= self.terms.waits_max;
        if !is_held || is_full || self.is_ending || self.is_failed {
            let reply = Reply::watched(id, entry, origin, now_us);
            return self.answer_read(reply);
        }
        self.last_caller += 1;
        let caller = self.last_caller;
        let (sender, receiver) = oneshot::channel();
        let (origin, reply) = (origin.clone(), Some(sender));
        let call = Call { asked: Asked::Watch, claim: Some(id), resource: None, origin, reply };
        self.calls.insert(caller, call);
        self.watches.entry(id).or_default().insert(caller);
        self.timers.arm(Alarm::Watch(caller), now_us.saturating_add(wait_us));
        Turn::Later(Pending { caller, reply: receiver })
    }

    /// A claim is over: whoever watches it is told once that is on disk.
    pub(super) fn end_watches(&mut self, id: u64) {
        for caller in self.watches.remove(&id).unwrap_or_default() {
            self.answer_watch(caller);
        }
    }

    /// Answers a call that watches with the claim as it is.
    pub(super) fn answer_watch(&mut self, caller: u64) {
        let Some(Call { claim: Some(id), origin, reply: Some(sender), .. }) =
            self.end_watch(caller)
        else {
            return;
        };
        let reply = Reply::watched(id, self.book.entry(id), &origin, self.clock.now_us());
        self.metrics.answered(reply.status);
        self.outbox.answers.push((sender, reply));
    }

    /// Takes out a call, if it is one that watches.
    pub(super) fn end_watch(&mut self, caller: u64) -> Option<Call> {
        let call = self.calls.get(&caller)?;
        let id = call.claim.filter(|_| call.asked == Asked::Watch)?;
        self.timers.disarm(Alarm::Watch(caller));
        if let Some(callers) = self.watches.get_mut(&id) {
            callers.remove(&caller);
            if callers.is_empty() {
                self.watches.remove(&id);
            }
        }
        self.calls.remove(&caller)
    }
}
