//! What formulas ask that no single coordinator can answer: those of the coordinator's table of all
//! members that run, at once; those of the client's table of a member and its callers.

use turnstile_core::group::Server;
use turnstile_core::group::message::LockName;
use turnstile_core::view::MemberId;
use turnstile_machine::Facts;
use turnstile_machines::group_lock_client as client;
use turnstile_machines::group_lock_coordinator::{
    State, Term, Whole, WholeCollection as Collection, WholePredicate as Predicate,
};

use super::membership::Membership;
use super::seat::{Caller, Seat};

/// The members that run, and who is with whom.
#[derive(Clone, Debug)]
pub(super) struct Group<'a> {
    pub(super) seats: Vec<(MemberId, &'a Seat)>,
    pub(super) membership: Option<&'a Membership>,
}

impl<'a> Group<'a> {
    fn seat(&self, one: Term) -> Option<&'a Seat> {
        let mut seats = self.seats.iter();
        seats.find(|(member, _)| Term::from(*member) == one).map(|(_, seat)| *seat)
    }

    fn server(&self, one: Term, is_so: impl Fn(&Server) -> bool) -> bool {
        self.seat(one).is_some_and(|seat| is_so(seat.core().server()))
    }

    /// Who has a lock in the lock-table of a coordinator.
    fn table(&self, coordinator: Term) -> impl Iterator<Item = (LockName, MemberId)> + 'a {
        let seat = self.seat(coordinator).into_iter();
        seat.flat_map(|seat| seat.core().server().table.iter().map(|(lock, by)| (*lock, *by)))
    }

    /// Whether two members run and their view handling has installed one view.
    fn share_a_view(&self, one: Term, other: Term) -> bool {
        let view = |one| self.seat(one)?.handler()?.view.as_ref();
        view(one).is_some() && view(one) == view(other)
    }

    fn is_in_view_of(&self, one: &Seat, coordinator: Term) -> bool {
        self.seat(coordinator).is_some_and(|other| one.core().view == other.core().view)
    }
}

fn member(thing: Term) -> Option<MemberId> {
    u8::try_from(thing.0).ok().map(MemberId)
}

/// The locks that a member's callers were told that they hold.
pub(super) fn held(seat: &Seat) -> impl Iterator<Item = LockName> + '_ {
    let held = seat.callers.iter().filter(|(_, caller)| **caller != Caller::Waits);
    held.map(|(lock, _)| *lock)
}

impl Facts<Whole> for Group<'_> {
    fn is(&self, predicate: Predicate) -> bool {
        match predicate {
            Predicate::IsTheSame { one, other } => one == other,
            Predicate::HasLockTable { one } => self.server(one, |it| !it.table.is_empty()),
            Predicate::HasReqQueue { one } => self.server(one, Server::is_asked),
            Predicate::RunsLockHandler { one } => self.server(one, |it| it.is_handling),
            Predicate::HasTheView { one, other } => {
                let view = |one| self.seat(one)?.core().view.as_ref();
                view(one) == view(other)
            }
            Predicate::Holds { one, lock } => {
                self.seat(one).is_some_and(|seat| held(seat).any(|held| lock == held.into()))
            }
            Predicate::HasItInLockTable { coordinator, lock, one } => {
                let mut table = self.table(coordinator);
                table.any(|(held, by)| lock == held.into() && one == by.into())
            }
            Predicate::IsAnotherS { coordinator, lock, one } => {
                let mut table = self.table(coordinator);
                table.any(|(held, by)| lock == held.into() && one != by.into())
            }
            Predicate::IsTogetherWith { one, other } => {
                let Some(all) = self.membership else { return self.share_a_view(one, other) };
                let both = member(one).zip(member(other));
                let is_gone = [one, other].iter().any(|one| self.seat(*one).is_none());
                !is_gone && both.is_some_and(|(one, other)| all.are_together(one, other))
            }
            Predicate::KnowsItsCoordinator { one } => self.seat(one).is_some_and(|seat| {
                let core = seat.core();
                core.view.as_ref().is_none_or(|view| view.coordinator() == core.coord)
            }),
            Predicate::HasACaller { one, lock } => {
                let seat = self.seat(one);
                seat.is_some_and(|seat| seat.callers.keys().any(|called| lock == (*called).into()))
            }
        }
    }

    fn every(&self, collection: Collection, is: &mut dyn FnMut(Term) -> bool) -> bool {
        match collection {
            Collection::ViewOf { coordinator } => {
                let mut seats = self.seats.iter();
                seats.all(|(member, seat)| {
                    !self.is_in_view_of(seat, coordinator) || is((*member).into())
                })
            }
            Collection::LocksOf { one } => {
                self.seat(one).is_none_or(|seat| held(seat).all(|lock| is(lock.into())))
            }
            Collection::OwnersIn { coordinator } => {
                self.table(coordinator).all(|(_, by)| is(by.into()))
            }
            Collection::LocksFor { coordinator, one } => {
                let mut table = self.table(coordinator).filter(|(_, by)| one == (*by).into());
                table.all(|(lock, _)| is(lock.into()))
            }
            Collection::LostBy { coordinator, one } => {
                let seat = self.seat(coordinator).into_iter();
                let mut lost = seat.flat_map(|seat| seat.core().server().losers());
                lost.all(|(member, lock)| one != member.into() || is(lock.into()))
            }
        }
    }

    fn instances(&self, is: &mut dyn FnMut(Term, State) -> bool) -> bool {
        self.seats.iter().all(|(member, seat)| is((*member).into(), seat.core().server().at))
    }

    fn state(&self, thing: Term) -> Option<State> {
        self.seat(thing).map(|seat| seat.core().server().at)
    }
}

/// The locks at a member, and its callers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Locks<'a>(pub(super) &'a Seat);

impl Facts<client::Whole> for Locks<'_> {
    fn is(&self, predicate: client::WholePredicate) -> bool {
        match predicate {
            client::WholePredicate::ItsCallerWasTold { lock } => {
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
