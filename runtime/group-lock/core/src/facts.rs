//! The predicates, collections and open guards of the coordinator's table, evaluated on a
//! coordinator's state.

use turnstile_group_lock_machines::group_lock_coordinator::{
    Collection, Machine, OpenGuard, Predicate, Subject, Term,
};
use turnstile_machine::{Facts, GuardFacts, Never};

use super::context::EventContext;
use super::message::LockName;
use super::state::State;
use turnstile_view_handler_core::{MemberId, View};

/// The term of a requested lock if there is none.
const NO_LOCK: Term = Term(u64::MAX);

/// A coordinator's state and the event that it takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoordinatorFacts<'a> {
    pub(super) me: MemberId,
    pub(super) state: &'a State,
    pub(super) ctx: EventContext<'a>,
}

impl CoordinatorFacts<'_> {
    /// The locks in a member's response, received before or in this event.
    fn responded(&self, one: Term) -> impl Iterator<Item = LockName> + '_ {
        let responses = self.state.coordinator.responses.iter();
        let before = responses.filter(move |(member, _)| Term::from(**member) == one);
        let before = before.filter_map(|(_, info)| info.as_ref());
        let now = self.ctx.info.filter(move |_| Term::from(self.ctx.from) == one);
        before.chain(now).flat_map(|info| info.locks.iter().copied())
    }

    fn has_responded(&self, one: Term) -> bool {
        let mut responses = self.state.coordinator.responses.iter();
        one == self.ctx.from.into()
            || responses.any(|(member, info)| one == (*member).into() && info.is_some())
    }
}

impl GuardFacts<Machine> for CoordinatorFacts<'_> {
    fn guard(&self, guard: OpenGuard) -> bool {
        let Self { me, state, ctx } = self;
        let first = state.view.as_ref().and_then(View::coordinator);
        match guard {
            OpenGuard::CoordChanged => first != state.coord,
            OpenGuard::IsTheCoord => first == Some(*me),
            OpenGuard::TheRequesterHasX => {
                let owner = ctx.lock().and_then(|lock| state.coordinator.table.get(&lock));
                owner == Some(&ctx.from)
            }
            OpenGuard::AllWereTold => {
                let mut losers = state.coordinator.losers.iter();
                losers.all(|(member, lock)| (*member, Some(*lock)) == (ctx.from, ctx.lock()))
            }
        }
    }

    fn subject(&self, subject: Subject) -> Term {
        match subject {
            Subject::Lock => self.ctx.lock().map_or(NO_LOCK, Term::from),
        }
    }
}

impl Facts<Machine> for CoordinatorFacts<'_> {
    fn is(&self, predicate: Predicate) -> bool {
        match predicate {
            Predicate::IsTheSame { one, other } => one == other,
            Predicate::HasResponded { one } => self.has_responded(one),
            Predicate::IsInLockTable { lock } => {
                self.state.coordinator.table.keys().any(|held| lock == (*held).into())
            }
            Predicate::RespondedWith { one, lock } => {
                self.responded(one).any(|held| lock == held.into())
            }
        }
    }

    fn every(&self, collection: Collection, is: &mut dyn FnMut(Term) -> bool) -> bool {
        let mut members = self.state.coordinator.responses.keys().map(|member| Term::from(*member));
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
        Self(lock.0)
    }
}
