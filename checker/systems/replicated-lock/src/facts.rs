//! Facts for the formulas of the table of commands: over one lock, and over one lock before and
//! after a command, which no replica can answer, since it keeps no earlier state.

use std::fmt;

use turnstile_machine::{Facts, Never};
use turnstile_replicated_lock_core::Lock;
use turnstile_replicated_lock_core::types::Address;
use turnstile_replicated_lock_machines::lock_status::{
    Collection, Machine, Predicate, State, Term, Whole, WholeCollection, WholePredicate,
};

/// One lock, before and after a command.
#[derive(Clone, Copy)]
pub(super) struct LockChange<'a> {
    pub(super) was: &'a Lock,
    pub(super) is: &'a Lock,
    /// The members in the list of the RESET.
    pub(super) list: &'a [Address],
    /// Whether a member was in the majority since the cluster began.
    pub(super) stayed: &'a dyn Fn(Address) -> bool,
}

impl fmt::Debug for LockChange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { was, is, list, stayed: _ } = self;
        f.debug_struct("LockChange").field("was", was).field("is", is).field("list", list).finish()
    }
}

impl<'a> LockChange<'a> {
    /// The waiters, preceded by the holder if it has changed.
    fn line(&self) -> impl Iterator<Item = Address> {
        let next = self.is.holder.filter(|_| self.is.holder != self.was.holder);
        next.into_iter().chain(self.is.waiters.iter().copied())
    }
}

fn has(lock: &Lock, one: Term) -> bool {
    lock.everybody().any(|who| who.0 == one.0)
}

/// Whether `one` is in a line, and `other` is behind it or not in it.
fn is_ahead(mut line: impl Iterator<Item = Address>, one: Term, other: Term) -> bool {
    line.find(|who| [one.0, other.0].contains(&who.0))
        .is_some_and(|first| first.0 == one.0 && one != other)
}

/// One lock in its present state.
#[derive(Clone, Copy, Debug)]
pub(super) struct LockFacts<'a>(pub(super) &'a Lock);

impl LockFacts<'_> {
    /// The waiter at a place of the queue.
    fn at(&self, place: Term) -> Option<Address> {
        usize::try_from(place.0).ok().and_then(|place| self.0.waiters.get(place).copied())
    }
}

impl Facts<Machine> for LockFacts<'_> {
    fn is(&self, predicate: Predicate) -> bool {
        match predicate {
            Predicate::Same { one, other } => one == other,
            Predicate::SamePlace { place, other } => place == other,
            Predicate::OfOneMember { place, other } => self.at(place) == self.at(other),
            Predicate::OfTheHolder { place } => self.at(place) == self.0.holder,
        }
    }

    fn every(&self, collection: Collection, is: &mut dyn FnMut(Term) -> bool) -> bool {
        match collection {
            Collection::Places => (0..).take(self.0.waiters.len()).all(|place| is(Term(place))),
        }
    }

    fn instances(&self, is: &mut dyn FnMut(Term, State) -> bool) -> bool {
        self.0.status.iter().all(|(member, at)| is(Term(member.0), *at))
    }

    fn state(&self, thing: Term) -> Option<State> {
        self.0.status.iter().find(|(member, _)| member.0 == thing.0).map(|(_, at)| *at)
    }
}

impl Facts<Whole> for LockChange<'_> {
    fn is(&self, predicate: WholePredicate) -> bool {
        match predicate {
            WholePredicate::IsInTheList { one } => self.list.iter().any(|who| who.0 == one.0),
            WholePredicate::HadItBefore { one } => has(self.was, one),
            WholePredicate::HasItStill { one } => has(self.is, one),
            WholePredicate::WasAheadOf { one, other } => {
                is_ahead(self.was.waiters.iter().copied(), one, other)
            }
            WholePredicate::IsAheadOf { one, other } => is_ahead(self.line(), one, other),
            WholePredicate::WasAlwaysInTheMajority { one } => (self.stayed)(Address(one.0)),
        }
    }

    fn every(&self, collection: WholeCollection, is: &mut dyn FnMut(Term) -> bool) -> bool {
        match collection {
            WholeCollection::Line => self.line().all(|who| is(Term(who.0))),
            WholeCollection::Everybody => {
                self.was.everybody().chain(self.is.everybody()).all(|who| is(Term(who.0)))
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
