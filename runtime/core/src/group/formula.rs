//! What the rules of the coordinator's table ask of the coordinator that applies one. They decide;
//! nothing in here does.

use turnstile_machine::{Facts, Never};
use turnstile_machines::group_lock_coordinator::{Collection, Machine, Predicate, Term};

use super::message::LockName;
use super::state::Server;
use super::turn::Heard;

/// One coordinator, and what it hears now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    pub(super) server: &'a Server,
    pub(super) heard: Heard<'a>,
}

impl Asked<'_> {
    /// The locks with which a member responded, before or now.
    fn responded(&self, one: Term) -> impl Iterator<Item = LockName> + '_ {
        let responses = self.server.responses.iter();
        let before = responses.filter(move |(member, _)| Term::from(**member) == one);
        let before = before.filter_map(|(_, info)| info.as_ref());
        let now = self.heard.info.filter(move |_| Term::from(self.heard.from) == one);
        before.chain(now).flat_map(|info| info.locks.iter().copied())
    }

    fn has_responded(&self, one: Term) -> bool {
        let mut responses = self.server.responses.iter();
        one == self.heard.from.into()
            || responses.any(|(member, info)| one == (*member).into() && info.is_some())
    }
}

impl Facts<Machine> for Asked<'_> {
    fn is(&self, predicate: Predicate) -> bool {
        match predicate {
            Predicate::IsTheSame { one, other } => one == other,
            Predicate::HasResponded { one } => self.has_responded(one),
            Predicate::IsInLockTable { lock } => {
                self.server.table.keys().any(|held| lock == (*held).into())
            }
            Predicate::RespondedWith { one, lock } => {
                self.responded(one).any(|held| lock == held.into())
            }
        }
    }

    fn every(&self, collection: Collection, is: &mut dyn FnMut(Term) -> bool) -> bool {
        let mut members = self.server.responses.keys().map(|member| Term::from(*member));
        match collection {
            Collection::Members => members.all(is),
            Collection::RespondedLocks => {
                members.all(|one| self.responded(one).all(|lock| is(lock.into())))
            }
        }
    }

    fn instances(&self, _is: &mut dyn FnMut(Term, Never) -> bool) -> bool {
        true
    }

    fn state(&self, _thing: Term) -> Option<Never> {
        None
    }
}

impl From<LockName> for Term {
    fn from(lock: LockName) -> Self {
        Self(lock.0.into())
    }
}
