//! A leader: it hears the reports of the others, and knows the reason of its election.

use std::collections::BTreeSet;
use std::time::Duration;

use turnstile_replicated_lock_core::message::{Connectivity, ElectionReason, Message};
use turnstile_replicated_lock_core::types::Address;

use super::leading::{Contact, Leading};
use super::{Presence, RaftView, Reply, Report};
use crate::sessions::Sessions;

impl Presence {
    /// Takes a member's report; `None` if this member does not lead, or reaches no majority.
    #[must_use]
    pub fn heard(&mut self, now: Duration, report: Report, sessions: &Sessions) -> Option<Reply> {
        let is_live = sessions.is_live(report.session);
        let quorum_age = now.saturating_sub(self.contact);
        let leading = self.leading.as_mut();
        let leading = leading.filter(|leading| leading.is_fresh && quorum_age <= self.lease)?;
        let (address, count) = (report.session.address, sessions.count());
        let follows = leading.heard.get(&address).is_none_or(|last| report.applied >= last.count);
        let is_current = is_live && follows && !leading.left.contains(&address);
        if is_current {
            leading.heard.insert(address, Contact { at: now, is_joined: report.is_joined, count });
        }
        let (term, leader) = (leading.term, self.me);
        let present = leading.is_reset.then(|| self.present.iter().copied().collect());
        Some(Reply { term, leader, count, is_live, is_current, quorum_age, present })
    }

    /// A RESET of this member is applied. It has ended the sessions of all that are not in a list
    /// with members; those of them that have become present in between need no other RESET, which
    /// might exclude a member that has just registered.
    pub fn has_reset(&mut self, list: &[Address]) {
        if let Some(leading) = &mut self.leading {
            leading.is_reset = leading.is_elected;
        }
        if !list.is_empty() {
            self.present.retain(|address| list.contains(address));
        }
    }

    /// A member has begun a session, by this number of commands.
    pub fn registered(&mut self, now: Duration, address: Address, count: u64) {
        if let Some(leading) = &mut self.leading {
            leading.heard.insert(address, Contact { at: now, is_joined: false, count });
            leading.left.remove(&address);
        }
    }

    pub(super) fn lead(
        &mut self,
        now: Duration,
        raft: &RaftView,
        sessions: &Sessions,
    ) -> Vec<Message> {
        let leading = self.leading.take().filter(|leading| leading.term == raft.term);
        let mut leading = leading.unwrap_or_else(|| Leading::new(raft.term, now));
        let age = raft.quorum_age.filter(|age| *age <= self.lease);
        let was_fresh = std::mem::replace(&mut leading.is_fresh, age.is_some());
        if !was_fresh || !leading.is_fresh {
            leading.since = now;
        }
        if let Some(age) = age {
            self.contact = self.contact.max(now.saturating_sub(age));
        }
        let is_ready = leading.is_fresh && raft.is_caught_up && sessions.is_live(self.session());
        let messages = match (is_ready, leading.is_elected) {
            (false, _) => Vec::new(),
            (true, true) => self.watch(now, &mut leading, sessions),
            (true, false) => self.elect(now, &mut leading, sessions),
        };
        self.leading = Some(leading);
        messages
    }

    /// The members with a live session that it has heard of within the lease.
    fn recent(&self, now: Duration, leading: &Leading, sessions: &Sessions) -> BTreeSet<Address> {
        let is_recent = |address: &Address| {
            let most = sessions.lease(*address) + self.margin;
            let has_left = leading.left.contains(address);
            *address == self.me || !has_left && now <= leading.last_heard(*address) + most
        };
        sessions.live().map(|(address, _)| address).filter(is_recent).collect()
    }

    /// Tells the core of its election, once it is known who is present.
    fn elect(&mut self, now: Duration, leading: &mut Leading, sessions: &Sessions) -> Vec<Message> {
        let has_reported = |address| address == self.me || leading.heard.contains_key(&address);
        let leases = sessions.live().map(|(address, _)| sessions.lease(address));
        let is_over = now > leading.since + leases.max().unwrap_or_default() + self.margin;
        if !is_over && !sessions.live().all(|(address, _)| has_reported(address)) {
            return Vec::new();
        }
        let present = self.recent(now, leading, sessions);
        let because = self.reason(leading, &present);
        if because != ElectionReason::MajorityIsJustReached {
            // The RESET of the election excludes them; an empty one excludes nobody.
            let live = sessions.live().map(|(address, _)| address);
            leading.left.extend(live.filter(|address| !present.contains(address)));
        }
        let mut messages =
            if self.is_joined { self.views(present) } else { vec![self.join(present)] };
        if !(self.is_core_leader && messages.iter().any(is_left)) {
            // A leader that remains one has told of the loss already, by the view.
            messages.push(Message::Elected(because));
        }
        leading.is_elected = true;
        (self.is_core_leader, self.leader) = (true, Some(self.me));
        messages
    }

    /// The majority has persisted if a member has not resigned: it keeps its locks, also if more
    /// of the members have begun anew in the meantime.
    fn reason(&self, leading: &Leading, present: &BTreeSet<Address>) -> ElectionReason {
        if self.is_core_leader {
            return ElectionReason::TheCoordinatorChanged;
        }
        let mut heard = leading.heard.iter();
        let has_stayed =
            heard.any(|(address, contact)| contact.is_joined && present.contains(address));
        if !self.is_joined && !has_stayed {
            ElectionReason::MajorityIsJustReached
        } else if self.leader.is_some_and(|leader| present.contains(&leader)) {
            ElectionReason::TheCoordinatorChanged
        } else {
            ElectionReason::TheLeaderLeft
        }
    }

    /// Tells the core who has joined and who has left.
    fn watch(&mut self, now: Duration, leading: &mut Leading, sessions: &Sessions) -> Vec<Message> {
        let present = self.recent(now, leading, sessions);
        let live = sessions.live().map(|(address, _)| address);
        let gone: Vec<Address> = live
            .filter(|address| !present.contains(address) && leading.left.insert(*address))
            .collect();
        leading.left.retain(|address| sessions.member(*address).is_some());
        let are_known = gone.iter().all(|address| self.present.contains(address));
        let mut messages = self.views(present.clone());
        if !are_known && !messages.iter().any(is_left) {
            // They have a session, and perhaps locks, but have never been present.
            messages.push(self.view(Connectivity::Left, present));
        }
        messages
    }
}

const fn is_left(message: &Message) -> bool {
    matches!(message, Message::View { is: Connectivity::Left, .. })
}
