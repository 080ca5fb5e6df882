//! What the rules of the coordinator's table ask of the coordinator that applies one. They decide;
//! nothing in here does.

use turnstile_machine::{Answers, Facts};
use turnstile_machines::group_lock_coordinator::{
    Collection, CollectionKind, Machine, Predicate, PredicateKind, RuleKind, State, Term,
};

use super::message::LockName;
use super::state::Server;
use super::turn::Heard;

/// What a coordinator answers when it applies a rule.
pub const ANSWERS: Answers<Machine> = Answers {
    rules: &[RuleKind::AllResponses, RuleKind::Available, RuleKind::Duplicates],
    predicates: &[
        PredicateKind::IsTheSame,
        PredicateKind::HasResponded,
        PredicateKind::IsInLockTable,
        PredicateKind::RespondedWith,
    ],
    collections: &[CollectionKind::Members, CollectionKind::RespondedLocks],
    instances: false,
};

/// What a coordinator goes through, action by action.
pub const LOOPS: &[CollectionKind] = &[
    CollectionKind::Members,
    CollectionKind::ExistingLocks,
    CollectionKind::DuplicateLocks,
    CollectionKind::PendingRequests,
];

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
            // What only who sees the whole group can answer: see `ANSWERS`.
            Predicate::HasLockTable { .. }
            | Predicate::HasReqQueue { .. }
            | Predicate::RunsLockHandler { .. }
            | Predicate::HasTheView { .. }
            | Predicate::Holds { .. }
            | Predicate::HasItInLockTable { .. }
            | Predicate::IsAnotherS { .. }
            | Predicate::IsTogetherWith { .. }
            | Predicate::KnowsItsCoordinator { .. }
            | Predicate::HasACaller { .. } => false,
        }
    }

    fn every(&self, collection: Collection, is: &mut dyn FnMut(Term) -> bool) -> bool {
        let mut members = self.server.responses.keys().map(|member| Term::from(*member));
        match collection {
            Collection::Members => members.all(is),
            Collection::RespondedLocks => {
                members.all(|one| self.responded(one).all(|lock| is(lock.into())))
            }
            // What rows iterate over, and what invariants ask about: see `ANSWERS`.
            Collection::ExistingLocks
            | Collection::DuplicateLocks
            | Collection::PendingRequests
            | Collection::ViewOf { .. }
            | Collection::LocksOf { .. }
            | Collection::OwnersIn { .. }
            | Collection::LocksFor { .. }
            | Collection::LostBy { .. } => true,
        }
    }

    fn instances(&self, _is: &mut dyn FnMut(Term, State) -> bool) -> bool {
        true
    }

    fn state(&self, _thing: Term) -> Option<State> {
        None
    }
}

impl From<LockName> for Term {
    fn from(lock: LockName) -> Self {
        Self(lock.0.into())
    }
}
