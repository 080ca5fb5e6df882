//! What the rules and guards of the coordinator's table ask of the coordinator that applies one.
//! They decide; nothing in here does.

use turnstile_machine::{Facts, GuardFacts, Never};
use turnstile_machines::group_lock_coordinator::{
    Collection, Machine, OpenGuard, Predicate, Subject, Term,
};

use super::message::LockName;
use super::state::State;
use super::turn::Heard;
use crate::view::{MemberId, View};

/// What stands for the lock that is asked for, where none is.
const NO_LOCK: Term = Term(u64::MAX);

/// One coordinator, and what it hears now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    pub(super) me: MemberId,
    pub(super) state: &'a State,
    pub(super) heard: Heard<'a>,
}

impl Asked<'_> {
    /// The locks with which a member responded, before or now.
    fn responded(&self, one: Term) -> impl Iterator<Item = LockName> + '_ {
        let responses = self.state.server.responses.iter();
        let before = responses.filter(move |(member, _)| Term::from(**member) == one);
        let before = before.filter_map(|(_, info)| info.as_ref());
        let now = self.heard.info.filter(move |_| Term::from(self.heard.from) == one);
        before.chain(now).flat_map(|info| info.locks.iter().copied())
    }

    fn has_responded(&self, one: Term) -> bool {
        let mut responses = self.state.server.responses.iter();
        one == self.heard.from.into()
            || responses.any(|(member, info)| one == (*member).into() && info.is_some())
    }
}

impl GuardFacts<Machine> for Asked<'_> {
    fn guard(&self, guard: OpenGuard) -> bool {
        let Self { me, state, heard } = self;
        let first = state.view.as_ref().and_then(View::coordinator);
        match guard {
            OpenGuard::CoordChanged => first != state.coord,
            OpenGuard::IsTheCoord => first == Some(*me),
            OpenGuard::TheRequesterHasX => {
                let owner = heard.lock().and_then(|lock| state.server.table.get(&lock));
                owner == Some(&heard.from)
            }
            OpenGuard::AllWereTold => {
                let mut losers = state.server.losers.iter();
                losers.all(|(member, lock)| (*member, Some(*lock)) == (heard.from, heard.lock()))
            }
        }
    }

    fn subject(&self, subject: Subject) -> Term {
        match subject {
            Subject::Lock => self.heard.lock().map_or(NO_LOCK, Term::from),
        }
    }
}

impl Facts<Machine> for Asked<'_> {
    fn is(&self, predicate: Predicate) -> bool {
        match predicate {
            Predicate::IsTheSame { one, other } => one == other,
            Predicate::HasResponded { one } => self.has_responded(one),
            Predicate::IsInLockTable { lock } => {
                self.state.server.table.keys().any(|held| lock == (*held).into())
            }
            Predicate::RespondedWith { one, lock } => {
                self.responded(one).any(|held| lock == held.into())
            }
        }
    }

    fn every(&self, collection: Collection, is: &mut dyn FnMut(Term) -> bool) -> bool {
        let mut members = self.state.server.responses.keys().map(|member| Term::from(*member));
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
