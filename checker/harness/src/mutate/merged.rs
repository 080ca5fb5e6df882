//! A World in which an event that several rows match has all their outcomes at once, so that a
//! mutant with such rows has the same operations as the unchanged table. It notes what its
//! predicates read of the tables.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use turnstile_search::transition_system::{
    EnabledOp, InFlight, Outcome, PartKind, Place, Predicate, Property, SymmetricRole,
    TransitionSystem,
};
use turnstile_step::IdClass;
use turnstile_world::parts::{Op, Part, Tag};
use turnstile_world::{Event, World};

use crate::tables::choice::each_choice;
use crate::tables::reads::{Read, noting};

/// A World whose tables have merged choices.
#[derive(Debug)]
pub(super) struct Merged {
    pub(super) world: World,
    /// What its predicates have read.
    read: Mutex<BTreeSet<Read>>,
    /// Whether a step that is torn had a choice: then its restart may have another one, which is
    /// not tried.
    is_inexact: AtomicBool,
}

impl Merged {
    pub(super) fn new(world: World) -> Self {
        Self { world, read: Mutex::default(), is_inexact: AtomicBool::new(false) }
    }

    /// What its predicates have read since the last call.
    pub(super) fn take_read(&self) -> BTreeSet<Read> {
        std::mem::take(&mut self.read.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether some outcome may be missing.
    pub(super) fn is_inexact(&self) -> bool {
        self.is_inexact.load(Ordering::Relaxed)
    }
}

fn is_torn(op: &Op) -> bool {
    matches!(
        op,
        Op::NodeEvent { event: Event::Torn { .. }, .. } | Op::Deliver(Event::Torn { .. }, _)
    )
}

/// All elements, each once, in order.
fn distinct<T: PartialEq>(all: Vec<Vec<T>>) -> Vec<T> {
    let mut lists = all.into_iter();
    let mut distinct = lists.next().unwrap_or_default();
    for one in lists.flatten() {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}

impl TransitionSystem for Merged {
    type Part = Part;
    type Op = Op;
    type Tag = Tag;

    fn initial(&self) -> Vec<Vec<Part>> {
        self.world.initial()
    }

    fn enabled(&self, at: Place, part: &Part) -> Vec<EnabledOp<Op>> {
        distinct(each_choice(|| self.world.enabled(at, part)))
    }

    fn apply(&self, at: Place, part: &Part, op: &Op) -> Vec<Outcome<Part, Op, Tag>> {
        let all = each_choice(|| self.world.apply(at, part, op));
        if all.len() > 1 && is_torn(op) {
            self.is_inexact.store(true, Ordering::Relaxed);
        }
        distinct(all)
    }

    fn visit_ids(&self, at: Place, part: &mut Part, visit: &mut dyn FnMut(IdClass, &mut u64)) {
        self.world.visit_ids(at, part, visit);
    }

    fn predicates(&self) -> Vec<Predicate> {
        self.world.predicates()
    }

    fn evaluate(&self, predicates: &[usize], state: &[&Part], answer: &mut dyn FnMut(usize, bool)) {
        let ((), read) = noting(|| self.world.evaluate(predicates, state, answer));
        if !read.is_empty() {
            self.read.lock().unwrap_or_else(PoisonError::into_inner).extend(read);
        }
    }

    fn properties(&self) -> Vec<Property> {
        TransitionSystem::properties(&self.world)
    }

    fn symmetric_roles(&self) -> Vec<SymmetricRole> {
        self.world.symmetric_roles()
    }

    fn permuted(&self, at: Place, part: &Part, role: usize, to: &[usize]) -> Part {
        self.world.permuted(at, part, role, to)
    }

    fn part_kind(&self, at: Place) -> PartKind {
        self.world.part_kind(at)
    }

    fn in_flight(&self, at: Place, part: &Part) -> Vec<InFlight<Op>> {
        self.world.in_flight(at, part)
    }

    fn may_delay_forever(&self, at: Place) -> bool {
        self.world.may_delay_forever(at)
    }
}
