//! A World whose steps note which places of the code they reach.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use turnstile_search::transition_system::{
    EnabledOp, InFlight, Outcome, PartKind, Place, Predicate, Property, SymmetricRole,
    TransitionSystem,
};
use turnstile_step::IdClass;
use turnstile_world::World;
use turnstile_world::parts::{Op, Part, Tag};

use super::switches::Switches;

/// A World, and the places that are reached elsewhere than in its memoised operations.
pub(super) struct Noted {
    world: World,
    switches: &'static dyn Switches,
    /// By its operations since the last call of [`Noted::reaching`].
    operations: Mutex<BTreeSet<u32>>,
    /// By its predicates.
    predicates: Mutex<BTreeSet<u32>>,
    /// By anything else: renamings, comparisons, reductions.
    elsewhere: Mutex<BTreeSet<u32>>,
}

impl Noted {
    pub(super) fn new(world: World, switches: &'static dyn Switches) -> Self {
        let none = Mutex::default;
        Self { world, switches, operations: none(), predicates: none(), elsewhere: none() }
    }

    /// Whether another world has the same frame.
    pub(super) fn has_frame_of(&self, other: &Self) -> bool {
        self.world.has_frame_of(&other.world)
    }

    /// The places that predicates reach.
    pub(super) fn predicates(&self) -> BTreeSet<u32> {
        self.predicates.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The places that something else than an operation or a predicate reaches.
    pub(super) fn elsewhere(&self) -> BTreeSet<u32> {
        self.note(&self.elsewhere);
        self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, to: &Mutex<BTreeSet<u32>>) {
        let reached = self.switches.reached();
        if !reached.is_empty() {
            to.lock().unwrap_or_else(PoisonError::into_inner).extend(reached);
        }
    }

    /// The result of a computation, and the places that its operations reach.
    pub(super) fn reaching<R>(&self, run: impl FnOnce() -> R) -> (R, BTreeSet<u32>) {
        self.operations.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let result = run();
        let mut operations = self.operations.lock().unwrap_or_else(PoisonError::into_inner);
        (result, std::mem::take(&mut *operations))
    }

    /// An operation: what was reached before it is of no operation.
    fn operation<R>(&self, run: impl FnOnce() -> R) -> R {
        self.note(&self.elsewhere);
        self.switches.begin_step();
        let result = run();
        self.note(&self.operations);
        result
    }
}

impl std::fmt::Debug for Noted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Noted").field("world", &self.world).finish_non_exhaustive()
    }
}

impl TransitionSystem for Noted {
    type Part = Part;
    type Op = Op;
    type Tag = Tag;

    fn initial(&self) -> Vec<Vec<Part>> {
        self.operation(|| self.world.initial())
    }

    fn enabled(&self, at: Place, part: &Part) -> Vec<EnabledOp<Op>> {
        self.operation(|| self.world.enabled(at, part))
    }

    fn apply(&self, at: Place, part: &Part, op: &Op) -> Vec<Outcome<Part, Op, Tag>> {
        self.operation(|| self.world.apply(at, part, op))
    }

    fn visit_ids(&self, at: Place, part: &mut Part, visit: &mut dyn FnMut(IdClass, &mut u64)) {
        self.switches.begin_step();
        self.world.visit_ids(at, part, visit);
    }

    fn predicates(&self) -> Vec<Predicate> {
        self.world.predicates()
    }

    fn evaluate(&self, predicates: &[usize], state: &[&Part], answer: &mut dyn FnMut(usize, bool)) {
        self.note(&self.elsewhere);
        self.switches.begin_step();
        self.world.evaluate(predicates, state, answer);
        self.note(&self.predicates);
    }

    fn properties(&self) -> Vec<Property> {
        TransitionSystem::properties(&self.world)
    }

    fn symmetric_roles(&self) -> Vec<SymmetricRole> {
        self.world.symmetric_roles()
    }

    fn permuted(&self, at: Place, part: &Part, role: usize, to: &[usize]) -> Part {
        self.switches.begin_step();
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
