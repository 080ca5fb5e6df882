//! Who is present, and what the core is told of views and elections: pure logic with explicit time.
//!
//! The core assumes a cluster that reports views and elections in their order. Raft reports roles
//! and terms only. So the members report to the leader, and each derives the rest from leases: a
//! follower is in the majority while a leader that reaches a majority answers it, and a leader
//! while a majority acknowledges it. A member is excluded later than it resigns.

mod follow;
mod lead;
mod leading;

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use turnstile_replicated_lock_core::message::{Connectivity, Message};
use turnstile_replicated_lock_core::types::Address;

use self::leading::Leading;
use crate::operation::SessionId;
use crate::sessions::Sessions;

/// What a member reports to the leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Its session.
    pub session: SessionId,
    /// Whether it is in the majority, in this session.
    pub is_joined: bool,
    /// How many commands it has applied.
    pub applied: u64,
}

/// The leader's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// Its term.
    pub term: u64,
    /// Its address.
    pub leader: Address,
    /// How many commands the leader has applied.
    pub count: u64,
    /// Whether the session lives after them.
    pub is_live: bool,
    /// Whether the report counts as a contact: the member follows the log, and has not left.
    pub is_current: bool,
    /// The time since a majority acknowledged the leader.
    pub quorum_age: Duration,
    /// The present members, once the RESET of the leader's election is applied.
    pub present: Option<Vec<Address>>,
}

/// What Raft says at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RaftView {
    /// The term.
    pub term: u64,
    /// Whether this member leads it.
    pub is_leader: bool,
    /// Whether it has applied an entry of its term, and so all of former terms.
    pub is_caught_up: bool,
    /// The time since a majority acknowledged this leader.
    pub quorum_age: Option<Duration>,
}

/// The presence of a member. Times are those since its start.
#[derive(Debug)]
pub struct Presence {
    me: Address,
    /// How long a contact of this member counts.
    lease: Duration,
    /// How much longer the leader waits before it excludes a member.
    margin: Duration,
    epoch: u64,
    /// The core's last view is one of a majority.
    is_joined: bool,
    /// The core leads.
    is_core_leader: bool,
    /// The members of the core's last view of a majority.
    present: BTreeSet<Address>,
    /// The last leader that it heard of.
    leader: Option<Address>,
    /// When it last was in contact with a majority.
    contact: Duration,
    term: u64,
    leading: Option<Leading>,
}

impl Presence {
    /// The presence of a member that starts: it is in no majority.
    #[must_use]
    pub const fn new(me: Address, lease: Duration, margin: Duration) -> Self {
        Self {
            me,
            lease,
            margin,
            epoch: 1,
            is_joined: false,
            is_core_leader: false,
            present: BTreeSet::new(),
            leader: None,
            contact: Duration::ZERO,
            term: 0,
            leading: None,
        }
    }

    /// How long a contact of this member counts, as the others have to know.
    #[must_use]
    pub const fn lease(&self) -> Duration {
        self.lease
    }

    /// The current session, which may not be registered yet.
    #[must_use]
    pub const fn session(&self) -> SessionId {
        SessionId { address: self.me, epoch: self.epoch }
    }

    /// The term as it was at the last comparison.
    #[must_use]
    pub const fn term(&self) -> u64 {
        self.term
    }

    /// Whether the core's last view is one of a majority.
    #[must_use]
    pub const fn is_joined(&self) -> bool {
        self.is_joined
    }

    /// Whether the session must be registered first.
    #[must_use]
    pub fn is_unregistered(&self, sessions: &Sessions) -> bool {
        !self.is_joined && !sessions.is_live(self.session())
    }

    /// What it reports to the leader now.
    #[must_use]
    pub const fn report(&self, sessions: &Sessions) -> Report {
        let (session, is_joined) = (self.session(), self.is_joined);
        Report { session, is_joined, applied: sessions.count() }
    }

    /// Compares the present with the past; returns the messages for the core, in their order.
    #[must_use]
    pub fn tick(&mut self, now: Duration, raft: &RaftView, sessions: &Sessions) -> Vec<Message> {
        self.term = raft.term;
        if !self.is_joined && !sessions.is_live(self.session()) {
            self.begin_after(sessions);
        }
        let messages = if raft.is_leader {
            self.lead(now, raft, sessions)
        } else {
            self.leading = None;
            Vec::new()
        };
        if self.is_joined && now > self.contact + self.lease {
            return self.resign();
        }
        messages
    }

    /// The session may have ended by what was applied; this comes before the core applies it.
    #[must_use]
    pub fn sessions_changed(&mut self, sessions: &Sessions) -> Vec<Message> {
        if sessions.is_live(self.session()) || !self.is_joined {
            return Vec::new();
        }
        let messages = self.resign();
        self.begin_after(sessions);
        messages
    }

    /// Gives up this session, for example because the leader refuses it.
    #[must_use]
    pub fn abandon(&mut self, session: SessionId) -> Vec<Message> {
        if session != self.session() {
            return Vec::new();
        }
        if self.is_joined {
            return self.resign();
        }
        self.epoch += 1;
        Vec::new()
    }

    fn begin_after(&mut self, sessions: &Sessions) {
        if let Some(known) = sessions.known_epoch(self.me) {
            self.epoch = self.epoch.max(known + 1);
        }
    }

    /// It is in a minority, as far as it knows, and begins another session.
    fn resign(&mut self) -> Vec<Message> {
        (self.is_joined, self.is_core_leader) = (false, false);
        self.epoch += 1;
        if let Some(leading) = &mut self.leading {
            leading.restart();
        }
        vec![Message::View { is: Connectivity::Minority, members: vec![self.me] }]
    }

    /// Enters a majority.
    fn join(&mut self, present: BTreeSet<Address>) -> Message {
        self.is_joined = true;
        self.view(Connectivity::Joined, present)
    }

    /// The views between the last one and this: members join before others leave, so that no
    /// RESET excludes one that has just joined.
    fn views(&mut self, present: BTreeSet<Address>) -> Vec<Message> {
        let mut messages = Vec::new();
        let both: BTreeSet<Address> = self.present.union(&present).copied().collect();
        if both != self.present {
            messages.push(self.view(Connectivity::Joined, both));
        }
        if present != self.present {
            messages.push(self.view(Connectivity::Left, present));
        }
        messages
    }

    fn view(&mut self, is: Connectivity, present: BTreeSet<Address>) -> Message {
        self.present = present;
        Message::View { is, members: self.present.iter().copied().collect() }
    }
}
