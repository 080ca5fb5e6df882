//! A follower: its lease is renewed by the leader's replies.

use std::collections::BTreeSet;
use std::time::Duration;

use turnstile_replicated_lock_core::message::Message;
use turnstile_replicated_lock_core::types::Address;

use super::{Presence, Reply, Report};
use crate::sessions::Sessions;

impl Presence {
    /// Takes the leader's reply to a report that was sent at this time. It is as much a contact as
    /// the leader's own, which may be cut off, too.
    #[must_use]
    pub fn replied(
        &mut self,
        sent: Duration,
        report: Report,
        reply: Reply,
        sessions: &Sessions,
    ) -> Vec<Message> {
        let is_mine = report.session == self.session() && reply.leader != self.me;
        if !is_mine || reply.term < self.term || self.leading.is_some() {
            return Vec::new();
        }
        // A leader that has applied less may not know the session yet.
        if !reply.is_live && reply.count >= sessions.count() && self.is_joined {
            return self.resign();
        }
        let is_live = reply.is_live && sessions.is_live(self.session());
        let present = reply.present.map(|present| self.with_me(present));
        // Without this it would keep its locks longer than the leader waits for it.
        if reply.is_current {
            self.contact = self.contact.max(sent.saturating_sub(reply.quorum_age));
        }
        if self.is_joined {
            return self.heard_of(reply.leader, present);
        }
        let Some(present) = present.filter(|_| is_live && reply.is_current) else {
            return Vec::new();
        };
        self.leader = Some(reply.leader);
        vec![self.join(present)]
    }

    /// A member of the majority hears of the leader.
    fn heard_of(&mut self, leader: Address, present: Option<BTreeSet<Address>>) -> Vec<Message> {
        let mut messages = Vec::new();
        self.leader = Some(leader);
        if std::mem::take(&mut self.is_core_leader) {
            messages.push(Message::AnotherIsElected);
        }
        if let Some(present) = present {
            messages.extend(self.views(present));
        }
        messages
    }

    fn with_me(&self, present: Vec<Address>) -> BTreeSet<Address> {
        present.into_iter().chain([self.me]).collect()
    }
}
