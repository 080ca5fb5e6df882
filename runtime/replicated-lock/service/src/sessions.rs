//! The sessions of the members: replicated, pure, and a function of the log alone.
//!
//! A command of the log counts only in a live session, once, and in the order of its session. The
//! numbers of applied commands are counted here, too: all operations of one entry of the log have
//! one raft index, which is therefore no fencing token.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use turnstile_ids::number::Token;
use turnstile_replicated_lock_core::types::Address;

use crate::operation::{CommandResult, NewSession, Sent, SessionId};

/// How long an ended session is remembered, and how late a Register may be, in commands. A copy of
/// a Register that arrives later than this is refused for its age; one that arrives earlier, for
/// what is remembered.
pub const REMEMBERED: u64 = 10_000;

/// The sessions, and the number of the last command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sessions {
    count: u64,
    live: BTreeMap<Address, Session>,
    ended: BTreeMap<Address, Ended>,
    /// The number of the last Register of each member that began a session. A later life of the
    /// member has applied it, and one that has not is a former one, whose Register is late.
    begun: BTreeMap<u64, u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Session {
    epoch: u64,
    member: u64,
    lease: Duration,
    /// The number of its Register.
    begun: u64,
    /// The number of the last envelope, and its answer: its sender may repeat it.
    last: u64,
    answer: Vec<CommandResult>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Ended {
    epoch: u64,
    at: u64,
}

/// What has become of a Register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registration {
    /// The session has begun.
    New,
    /// It had begun already.
    Repeated,
    /// It is late.
    Refused,
}

/// What to do with an envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is the next one: apply it.
    Apply,
    /// It is applied already, with this answer.
    Repeated(Vec<CommandResult>),
    /// Its session does not live.
    Refused,
}

impl Sessions {
    /// The number of the last applied command.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The number of the next command.
    pub const fn next_number(&mut self) -> Token {
        self.count = self.count.strict_add(1);
        Token::new(self.count)
    }

    /// The sessions of a cluster that begins with this state: none. So many numbers are left out.
    #[must_use]
    pub fn restored(mut self, skipped: u64) -> Self {
        self.end(|_, _| true);
        self.count = self.count.strict_add(skipped);
        self
    }

    /// Whether commands of this session are applied.
    #[must_use]
    pub fn is_live(&self, session: SessionId) -> bool {
        self.live.get(&session.address).is_some_and(|live| live.epoch == session.epoch)
    }

    /// The addresses with a live session, and the ids of their members.
    pub fn live(&self) -> impl Iterator<Item = (Address, u64)> + '_ {
        self.live.iter().map(|(address, session)| (*address, session.member))
    }

    /// How long the member with this address may keep its locks without contact.
    #[must_use]
    pub fn lease(&self, address: Address) -> Duration {
        self.live.get(&address).map_or(Duration::ZERO, |session| session.lease)
    }

    /// The id of the member that has this address in a live session.
    #[must_use]
    pub fn member(&self, address: Address) -> Option<u64> {
        self.live.get(&address).map(|session| session.member)
    }

    /// The last epoch of an address, as far as it is remembered.
    #[must_use]
    pub fn known_epoch(&self, address: Address) -> Option<u64> {
        let live = self.live.get(&address).map(|session| session.epoch);
        live.max(self.ended.get(&address).map(|ended| ended.epoch))
    }

    /// Begins a session, which ends the former ones of its member, also at other addresses.
    pub fn register(&mut self, new: NewSession) -> Registration {
        let NewSession { session, member, lease, after } = new;
        if self.is_live(session) {
            return Registration::Repeated;
        }
        let is_old = self.known_epoch(session.address) >= Some(session.epoch);
        self.next_number();
        let Self { count, ended, begun, .. } = self;
        ended.retain(|_, ended| ended.at + REMEMBERED >= *count);
        begun.retain(|_, at| *at + REMEMBERED >= *count);
        let is_former = begun.get(&member).is_some_and(|begun| after < *begun);
        if is_old || is_former || after > *count || after + REMEMBERED < *count {
            return Registration::Refused;
        }
        begun.insert(member, *count);
        self.end(|address, live| live.member == member || address == session.address);
        let (epoch, begun) = (session.epoch, self.count);
        let live = Session { epoch, member, lease, begun, last: 0, answer: Vec::new() };
        self.live.insert(session.address, live);
        Registration::New
    }

    /// Ends the sessions of all addresses that are not in the list of a RESET, and returns the list
    /// with which it is to be executed. A RESET to nobody excludes nobody: it clears the locks of
    /// members that have begun new sessions.
    ///
    /// The document's leader appends a RESET itself, at once. Here it may be on its way for longer,
    /// and counts as if it were not: it is void in the term of another leader (`None`), with which
    /// those that it excludes may be in contact, and excludes no session that has begun since it
    /// was sent.
    pub fn reset(&mut self, sent: Sent, term: u64, list: &[Address]) -> Option<Vec<Address>> {
        if sent.term != term {
            return None;
        }
        if list.is_empty() {
            return Some(Vec::new());
        }
        let joined = self.live.iter().filter(|(_, session)| session.begun > sent.after);
        let joined = joined.map(|(address, _)| *address);
        let list: BTreeSet<Address> = list.iter().copied().chain(joined).collect();
        self.end(|address, _| !list.contains(&address));
        Some(list.into_iter().collect())
    }

    /// Whether this envelope is the next one of its session.
    #[must_use]
    pub fn admit(&self, session: SessionId, sequence: u64) -> Admission {
        match self.live.get(&session.address) {
            Some(live) if live.epoch != session.epoch => Admission::Refused,
            Some(live) if sequence == live.last + 1 => Admission::Apply,
            Some(live) if sequence == live.last => Admission::Repeated(live.answer.clone()),
            Some(_) | None => Admission::Refused,
        }
    }

    /// Records the answer of an envelope, if its session still lives.
    pub fn answered(&mut self, session: SessionId, answer: &[CommandResult]) {
        if let Some(live) = self.live.get_mut(&session.address)
            && live.epoch == session.epoch
        {
            live.last += 1;
            live.answer = answer.to_vec();
        }
    }

    fn end(&mut self, mut is_over: impl FnMut(Address, &Session) -> bool) {
        let Self { count, live, ended, .. } = self;
        live.retain(|address, session| {
            let is_over = is_over(*address, session);
            if is_over {
                ended.insert(*address, Ended { epoch: session.epoch, at: *count });
            }
            !is_over
        });
    }
}
