//! Carries out the effects of the core's steps: timers, saves, histories, answers.
//!
//! Everything here follows from an effect; nothing asks how a claim stands.

use tokio::sync::oneshot;
use turnstile_core::claim::message::{Caller, Message, Response};
use turnstile_core::claim::record::{Kept, Notice, Records, Saved, Status, Timer};
use turnstile_core::number::{ClaimId, Token};
use turnstile_step::{Core as _, Effect, Input, InputOf};

use super::audit::Change;
use super::call::Hand;
use super::engine::{Alarm, Engine};
use super::entry::Entry;
use super::reply::Reply;
use super::saved;

impl Engine {
    /// One step of the core, and its effects. Returns the answer to the request in hand.
    pub(super) fn drive(
        &mut self,
        input: InputOf<Records>,
        mut hand: Option<&mut Hand>,
    ) -> Option<Reply> {
        let is_restart = matches!(input, Input::Restart(_));
        let mut out = std::mem::take(&mut self.out);
        match &self.trace {
            None => self.core.step(&mut self.state, input, &mut out),
            Some(trace) => {
                self.core.step(&mut self.state, input.clone(), &mut out);
                trace.note::<Records>(&input, &out);
            }
        }
        self.metrics.count(&out.rows);
        crate::trace::log(&out.rows);
        let (mut responses, mut over) = (Vec::new(), Vec::new());
        for effect in out.effects.drain(..) {
            match effect {
                Effect::Send { to, message: Message::Response(response) } => {
                    responses.push((to, response));
                }
                Effect::Send {
                    to: _,
                    message: Message::Request(_) | Message::Act { .. } | Message::Over { .. },
                } => {}
                Effect::Arm(timer) => self.arm(timer, is_restart, hand.as_deref_mut()),
                Effect::Disarm(timer) => self.timers.disarm(Alarm::Core(timer)),
                Effect::Save(saved) => self.save(saved),
                Effect::Notify(Notice::Over { claim }) => over.push(claim.number()),
                Effect::Notify(Notice::Became { claim, status, token }) => {
                    self.became(claim.number(), (status, token), hand.as_deref_mut());
                }
            }
        }
        out.rows.clear();
        self.out = out;
        self.put_changed();
        // Whoever watches is told what the claim is now.
        over.into_iter().for_each(|id| self.end_watches(id));
        let mut now = None;
        for (to, response) in responses {
            let Some(reply) = self.reply(to, response) else { continue };
            match reply {
                (Some(sender), reply) => self.outbox.answers.push((sender, reply)),
                (None, reply) => now = Some(reply),
            }
        }
        now
    }

    /// A ttl counts from now, and anew with what a PATCH brings; after a restart a lease has what
    /// it had left.
    fn arm(&mut self, timer: Timer, is_restart: bool, hand: Option<&mut Hand>) {
        let now_us = self.clock.now_us();
        let due_us = match timer {
            Timer::Ttl(claim) => {
                let Some(entry) = self.book.entry_mut(claim.number()) else { return };
                let renewed_us = hand.and_then(|hand| hand.ttl_us.take());
                entry.ttl_us = renewed_us.unwrap_or(entry.ttl_us);
                let left_us = entry.due_us.filter(|_| is_restart);
                if left_us.is_none() {
                    self.changed.insert(claim.number());
                }
                let due_us = left_us.unwrap_or(now_us.saturating_add(entry.ttl_us));
                entry.due_us = Some(due_us);
                if let Some(ttl_us) = renewed_us {
                    self.audit(claim.number(), Change::Ttl(ttl_us));
                }
                due_us
            }
            Timer::Wait(claim) => {
                let Some(hand) = hand else { return };
                if let Some(call) = self.calls.get_mut(&hand.caller) {
                    call.claim = Some(claim.number());
                }
                let is_full = self.calls.len() > self.terms.waits_max;
                if self.is_ending || is_full { now_us } else { now_us.saturating_add(hand.wait_us) }
            }
            Timer::Idle(claim) => {
                let longest_us = now_us.saturating_add(self.terms.unasked_us);
                let said_us = hand.and_then(|hand| hand.timeout_us);
                let said_us = said_us.map(|timeout_us| now_us.saturating_add(timeout_us));
                let until_us = self.until_us(claim, said_us);
                until_us.map_or(longest_us, |until_us| {
                    longest_us.min(until_us.saturating_add(self.terms.leave_us))
                })
            }
            // It is counted from the end of the ttl, which is saved.
            Timer::Lapse(claim) => {
                let entry = self.book.entry(claim.number());
                let due_us = entry.and_then(|entry| entry.due_us).unwrap_or(now_us);
                due_us.saturating_add(self.terms.lapse_us)
            }
        };
        self.timers.arm(Alarm::Core(timer), due_us);
    }

    /// Until when a claim's client waits for the lock, by what it says now or has said before.
    fn until_us(&mut self, claim: ClaimId, said_us: Option<u64>) -> Option<u64> {
        let entry = self.book.entry_mut(claim.number())?;
        if said_us.is_some() {
            entry.until_us = said_us;
            self.changed.insert(claim.number());
        }
        entry.until_us
    }

    fn save(&mut self, saved: Saved) {
        self.meta.last_claim = saved.last_claim.number();
        self.meta.last_token = saved.last_token.number();
        for (id, kept) in saved.claims {
            let id = id.number();
            self.changed.insert(id);
            if kept.is_none() {
                self.book.remove(id);
            }
        }
    }

    fn became(
        &mut self,
        id: u64,
        (status, token): (Status, Option<Token>),
        hand: Option<&mut Hand>,
    ) {
        let now = self.clock.now();
        self.metrics.became(status);
        if self.book.entry(id).is_some() {
            self.book.became(id, status, token.map(Token::number), now);
        } else if let Some(data) = hand.and_then(|hand| hand.post.take()) {
            let token = token.map(Token::number);
            let entry = Entry { token, ..Entry::new(data, vec![(status, now)]) };
            if !self.terms.is_volatile {
                saved::put_data(&mut self.outbox.batch, id, &entry);
            }
            self.book.add(id, entry);
        }
        self.audit(id, Change::Became(status));
    }

    /// Writes every claim that the step has changed, the core's part and ours together.
    fn put_changed(&mut self) {
        if self.terms.is_volatile {
            return self.changed.clear();
        }
        for id in std::mem::take(&mut self.changed) {
            match (self.state.claim(ClaimId::new(id)), self.book.entry(id)) {
                (Some(record), Some(entry)) => {
                    let (batch, outages_us) = (&mut self.outbox.batch, self.meta.outages_us);
                    saved::put_claim(batch, id, &Kept::of(record), entry, outages_us);
                }
                (None, _) | (_, None) => saved::remove_claim(&mut self.outbox.batch, id),
            }
        }
    }

    /// The answer to a call: to whom, unless it is the request in hand, and what.
    fn reply(
        &mut self,
        to: Caller,
        response: Response,
    ) -> Option<(Option<oneshot::Sender<Reply>>, Reply)> {
        let call = self.calls.remove(&to.0)?;
        let now_us = self.clock.now_us();
        let id = response.claim.map(ClaimId::number).or(call.claim);
        let entry = id.and_then(|id| Some((id, self.book.entry(id)?)));
        self.metrics.answered(response.status);
        let reply = match (response.status, entry) {
            (200..=202, Some((id, entry))) => {
                Reply::claim(response.status, id, entry, &call.origin, now_us)
            }
            (status, entry) => {
                let resource = entry.map(|(_, entry)| entry.number).or(call.resource);
                let holder = resource.and_then(|number| self.holder(number));
                Reply::without_claim(status, call.asked, entry, holder)
            }
        };
        Some((call.reply, reply))
    }
}
