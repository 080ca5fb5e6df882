//! The members with which this one does not work, and what the others say of this one.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::identity::NOT_BEGUN;

/// The same is logged again after this time.
const REPEATED_EVERY: Duration = Duration::from_secs(60);
/// So many connections are taken over by another process with this member's id, before it is
/// believed that there is one.
const TAKEN_OVER: u64 = 2;

/// Why this member does not work with another.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) why: String,
    pub(super) by: Refuser,
}

/// Who refuses whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refuser {
    /// This member refuses the other one.
    This,
    /// The other one refuses this one.
    Other,
    /// The other one refuses this one, which was removed.
    Remover,
}

/// The refusals of one member.
#[derive(Default)]
pub(super) struct Refusals {
    by_member: BTreeMap<u64, Refusal>,
    /// What was logged last of each member, and when.
    logged: BTreeMap<u64, (String, Instant)>,
    /// How many connections were taken over when that was noted last, and when.
    taken_over: (u64, Option<Instant>),
}

impl Refusals {
    /// Adds one; returns whether it is new.
    pub(super) fn add(&mut self, id: u64, refusal: Refusal) -> bool {
        if self.by_member.get(&id) == Some(&refusal) {
            return false;
        }
        self.log(id, &refusal.why);
        self.by_member.insert(id, refusal);
        true
    }

    /// Notes how many connections another process with this member's id has taken over; returns
    /// whether there are new ones.
    pub(super) fn taken_over(&mut self, count: u64, id: u64, address: Option<&String>) -> bool {
        if count < self.taken_over.0 + TAKEN_OVER {
            return false;
        }
        self.taken_over = (count, Some(Instant::now()));
        self.log(id, &rival(id, address));
        true
    }

    /// Logs a text, unless the same was logged lately: while two processes run, what is refused
    /// changes all the time.
    pub(super) fn log(&mut self, id: u64, why: &str) {
        let logged = self.logged.get(&id);
        if logged.is_none_or(|(last, at)| last != why || at.elapsed() >= REPEATED_EVERY) {
            tracing::error!("{why}");
            self.logged.insert(id, (why.to_owned(), Instant::now()));
        }
    }

    /// Another member has answered.
    pub(super) fn answered(&mut self, id: u64) {
        self.by_member.remove(&id);
    }

    /// Another member is not refused; it may refuse this one.
    pub(super) fn admitted(&mut self, id: u64) {
        if self.by_member.get(&id).is_some_and(|refusal| refusal.by == Refuser::This) {
            self.by_member.remove(&id);
        }
    }

    /// Whether another member has said that this one was removed.
    pub(super) fn is_removed(&self) -> bool {
        self.by_member.values().any(|refusal| refusal.by == Refuser::Remover)
    }

    pub(super) fn why(&self, id: u64) -> Option<&str> {
        self.by_member.get(&id).map(|refusal| refusal.why.as_str())
    }

    /// The reasons by member; that of this one is another process with its id.
    pub(super) fn all(&self, own: u64, address: Option<&String>) -> BTreeMap<u64, String> {
        let refusals = self.by_member.iter();
        let mut all: BTreeMap<_, _> =
            refusals.map(|(id, refusal)| (*id, refusal.why.clone())).collect();
        if self.taken_over.1.is_some_and(|at| at.elapsed() < REPEATED_EVERY) {
            all.insert(own, rival(own, address));
        }
        all
    }
}

fn rival(id: u64, address: Option<&String>) -> String {
    let at = address.map(|address| format!("; the group has member {id} at {address}"));
    format!(
        "another process of member {id} runs, and each takes over the connections of the other: \
         end the one that was started with a copy of the data{}",
        at.unwrap_or_default()
    )
}

pub(super) fn two_processes(id: u64, why: &str) -> String {
    format!("two processes have the id {id}: {why}")
}

pub(super) fn removed(id: u64) -> String {
    format!("member {id} was removed from the group")
}

pub(super) fn unknown(id: u64) -> String {
    format!(
        "a majority does not know member {id}: it was removed while it was away, or the others run \
         with older data and acknowledged changes are lost. If it was removed, end it. If not, \
         keep the changes: stop the others, save a snapshot of this one, and restore a new group \
         from that"
    )
}

pub(super) fn lost_log(id: u64, has_begun: bool) -> String {
    let remedy = match has_begun {
        true => "remove it, and add a member with a new id",
        false => NOT_BEGUN,
    };
    format!(
        "member {id} has lost its log, and may have voted for what it no longer knows: {remedy}"
    )
}

pub(super) fn lost_entries(id: u64) -> String {
    format!(
        "member {id} has lost entries that it had acknowledged, as if its data were from a backup: \
         remove it, and add a member with a new id"
    )
}
