//! Facts for formulas over the whole system: those of the coordinator's table over all running
//! members, those of the client's table over a member and its callers.

use turnstile_group_lock_core::CoordinatorState;
use turnstile_group_lock_core::message::LockName;
use turnstile_group_lock_machines::group_lock_client as client;
use turnstile_group_lock_machines::group_lock_coordinator::{
    State, Term, Whole, WholeCollection as Collection, WholePredicate as Predicate,
};
use turnstile_machine::Facts;
use turnstile_view_handler_core::MemberId;

use super::member_state::{Caller, MemberState};
use super::membership::Membership;

/// The running members, and their groups.
#[derive(Clone, Debug)]
pub(super) struct MemberFacts<'a> {
    pub(super) members: Vec<(MemberId, &'a MemberState)>,
    pub(super) membership: Option<&'a Membership>,
}

impl<'a> MemberFacts<'a> {
    fn member_at(&self, one: Term) -> Option<&'a MemberState> {
        let mut members = self.members.iter();
        members
            .find(|(member, _)| Term::from(*member) == one)
            .map(|(_, member_state)| *member_state)
    }

    fn server(&self, one: Term, is_so: impl Fn(&CoordinatorState) -> bool) -> bool {
        self.member_at(one).is_some_and(|member_state| is_so(member_state.core().coordinator()))
    }

    /// The lock-table of a coordinator: locks and their holders.
    fn table(&self, coordinator: Term) -> impl Iterator<Item = (LockName, MemberId)> + 'a {
        let member_state = self.member_at(coordinator).into_iter();
        member_state.flat_map(|member_state| {
            member_state.core().coordinator().table.iter().map(|(lock, by)| (*lock, *by))
        })
    }

    /// Whether two members run with the same installed view.
    fn share_a_view(&self, one: Term, other: Term) -> bool {
        let view = |one| self.member_at(one)?.handler()?.view.as_ref();
        view(one).is_some() && view(one) == view(other)
    }

    fn is_in_view_of(&self, one: &MemberState, coordinator: Term) -> bool {
        self.member_at(coordinator).is_some_and(|other| one.core().view == other.core().view)
    }
}

/// The locks that a member's callers were granted.
pub(super) fn held(member_state: &MemberState) -> impl Iterator<Item = LockName> + '_ {
    let held = member_state.callers.iter().filter(|(_, caller)| **caller != Caller::Waits);
    held.map(|(lock, _)| *lock)
}

impl Facts<Whole> for MemberFacts<'_> {
    fn is(&self, predicate: Predicate) -> bool {
        match predicate {
            Predicate::IsTheSame { one, other } => one == other,
            Predicate::HasLockTable { one } => self.server(one, |it| !it.table.is_empty()),
            Predicate::HasReqQueue { one } => {
                self.server(one, |server| server.requests().next().is_some())
            }
            Predicate::RunsLockHandler { one } => self.server(one, |it| it.is_handling),
            Predicate::HasTheView { one, other } => {
                let view = |one| self.member_at(one)?.core().view.as_ref();
                view(one) == view(other)
            }
            Predicate::Holds { one, lock } => self
                .member_at(one)
                .is_some_and(|member_state| held(member_state).any(|held| lock == held.into())),
            Predicate::HasItInLockTable { coordinator, lock, one } => {
                let mut table = self.table(coordinator);
                table.any(|(held, by)| lock == held.into() && one == by.into())
            }
            Predicate::BelongsToAnotherMember { coordinator, lock, one } => {
                let mut table = self.table(coordinator);
                table.any(|(held, by)| lock == held.into() && one != by.into())
            }
            Predicate::IsTogetherWith { one, other } => {
                let Some(all) = self.membership else { return self.share_a_view(one, other) };
                let is_gone = [one, other].iter().any(|one| self.member_at(*one).is_none());
                !is_gone && all.are_together(MemberId(one.0), MemberId(other.0))
            }
            Predicate::KnowsItsCoordinator { one } => {
                self.member_at(one).is_some_and(|member_state| {
                    let core = member_state.core();
                    core.view.as_ref().is_none_or(|view| view.coordinator() == core.coord)
                })
            }
            Predicate::HasACaller { one, lock } => {
                let member_state = self.member_at(one);
                member_state.is_some_and(|member_state| {
                    member_state.callers.keys().any(|called| lock == (*called).into())
                })
            }
        }
    }

    fn every(&self, collection: Collection, is: &mut dyn FnMut(Term) -> bool) -> bool {
        match collection {
            Collection::ViewOf { coordinator } => {
                let mut members = self.members.iter();
                members.all(|(member, member_state)| {
                    !self.is_in_view_of(member_state, coordinator) || is((*member).into())
                })
            }
            Collection::LocksOf { one } => self
                .member_at(one)
                .is_none_or(|member_state| held(member_state).all(|lock| is(lock.into()))),
            Collection::OwnersIn { coordinator } => {
                self.table(coordinator).all(|(_, by)| is(by.into()))
            }
            Collection::LocksFor { coordinator, one } => {
                let mut table = self.table(coordinator).filter(|(_, by)| one == (*by).into());
                table.all(|(lock, _)| is(lock.into()))
            }
            Collection::LostBy { coordinator, one } => {
                let member_state = self.member_at(coordinator).into_iter();
                let mut lost = member_state
                    .flat_map(|member_state| member_state.core().coordinator().losers());
                lost.all(|(member, lock)| one != member.into() || is(lock.into()))
            }
        }
    }

    fn instances(&self, is: &mut dyn FnMut(Term, State) -> bool) -> bool {
        self.members.iter().all(|(member, member_state)| {
            is((*member).into(), member_state.core().coordinator().at)
        })
    }

    fn state(&self, thing: Term) -> Option<State> {
        self.member_at(thing).map(|member_state| member_state.core().coordinator().at)
    }
}

/// The locks at a member, and its callers.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClientFacts<'a>(pub(super) &'a MemberState);

impl Facts<client::Whole> for ClientFacts<'_> {
    fn is(&self, predicate: client::WholePredicate) -> bool {
        match predicate {
            client::WholePredicate::WasGrantedToItsCaller { lock } => {
                held(self.0).any(|held| lock == held.into())
            }
        }
    }

    fn every(
        &self,
        collection: client::WholeCollection,
        _is: &mut dyn FnMut(Term) -> bool,
    ) -> bool {
        match collection {}
    }

    fn instances(&self, is: &mut dyn FnMut(Term, client::State) -> bool) -> bool {
        self.0.core().locks().all(|(name, lock)| is(name.into(), lock.at))
    }

    fn state(&self, thing: Term) -> Option<client::State> {
        let mut locks = self.0.core().locks();
        locks.find(|(name, _)| Term::from(*name) == thing).map(|(_, lock)| lock.at)
    }
}
