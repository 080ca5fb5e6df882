//! The interned engine on a lock protocol whose state counts are known from other checkers: the
//! same counts on any number of threads, the same verdicts with every reduction.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex};

use stateright::{Checker as _, Model as _};
use turnstile_models::parts::{Lock, Part};
use turnstile_reference::Model;
use turnstile_search::bounds::{Limits, NoProgress, Reductions};
use turnstile_search::breadth_first::{SearchConfig, SearchOutcome, search};
use turnstile_search::engine::{CheckRequest, run};
use turnstile_search::interned::{Expander, Interned, StateSpace};
use turnstile_search::judgement::Verdict;
use turnstile_search::replay::{replay, trail};
use turnstile_search::trail::Trail;
use turnstile_search::transition_system::{
    EnabledOp, Fairness, Outcome, Place, Predicate, Property, PropertyKind, TransitionSystem,
    cascade,
};

/// Predicate 0 never fails; predicate 1 holds in some state.
const PROPOSITIONS: [(usize, bool); 2] = [(0, false), (1, true)];

fn explore(space: &StateSpace<'_>, threads: usize) -> SearchOutcome {
    let config = SearchConfig {
        threads,
        limits: Limits::default(),
        stop_at: 0,
        records_graph: false,
        progress: &NoProgress,
    };
    search(space, config)
}

#[track_caller]
fn check(clients: u8, rounds: u8, reduce: Reductions, states: usize) {
    let system = Lock::new(clients, rounds);
    let mut alone = None;
    for threads in 1..=3 {
        let interned = Interned::new(&system);
        let space = interned.space(PROPOSITIONS.to_vec(), reduce);
        let found = explore(&space, threads);
        assert_eq!(found.states, states, "{threads} threads");
        assert_eq!(found.truncation, None);
        assert_eq!(found.first[0], None, "mutual exclusion");
        assert_eq!(space.impure(), None);
        let met = found.first[1].expect("somebody holds the lock at some time");
        let shown = (found.transitions, found.depth, found.log.path(met));
        assert_eq!(*alone.get_or_insert(shown.clone()), shown, "{threads} threads");
        assert_is_trace((&system, &interned), &space, &found, met);
    }
}

/// The path to a state is a trace of the protocol, as the protocol itself replays it.
fn assert_is_trace(
    (system, interned): (&Lock, &Interned<'_, Lock>),
    space: &StateSpace<'_>,
    found: &SearchOutcome,
    state: usize,
) {
    let mut expander = Expander::new(space);
    let shown = trail(space, &found.log, state);
    let fingerprint = |state: &Vec<Part>| expander.fingerprint(&interned.vector(state.clone()));
    let successors = |state: &Vec<Part>| {
        let next = successors(system, state).into_iter();
        next.map(|state| ((), state)).collect::<Vec<((), Vec<Part>)>>()
    };
    let trace = replay(&shown, system.initial(), successors, |()| &[][..], fingerprint);
    let parts: Vec<&Part> = trace.last().iter().collect();
    let mut is_met = false;
    system.evaluate(&[1], &parts, &mut |_, answer| is_met = answer);
    assert!(is_met, "somebody holds the lock at the end of the run");
}

fn successors(system: &Lock, state: &[Part]) -> Vec<Vec<Part>> {
    let mut next = Vec::new();
    for (at, part) in (0..).map(Place).zip(state) {
        for enabled in system.enabled(at, part) {
            next.extend(cascade(system, state, at, &enabled.op).into_iter().map(|end| end.state));
        }
    }
    next
}

#[test]
fn two_clients_one_round() {
    check(2, 1, Reductions::NONE, 2_345);
}

/// Stateright on the same protocol, with values: the same count, and no violation.
#[test]
fn stateright_counts_the_same() {
    let model = Model::new(Arc::new(Lock::new(2, 1))).expect("they are few");
    let checker = model.checker().spawn_bfs().join();
    assert_eq!(checker.unique_state_count(), 2_345);
    assert!(checker.discovery("mutual exclusion").is_none(), "mutual exclusion");
}

#[test]
fn three_clients_one_round() {
    check(3, 1, Reductions::NONE, 101_675);
}

#[test]
fn two_clients_two_rounds() {
    check(2, 2, Reductions::NONE, 650_217);
}

#[test]
fn without_dead_messages_the_count_is_known() {
    let reduce = Reductions { dead: true, ..Reductions::NONE };
    check(2, 2, reduce, 2_125);
    check(4, 1, reduce, 35_721);
}

/// Two clients are interchangeable: the orbits are counted independently.
#[test]
fn symmetric_states_are_counted_once() {
    let system = Lock::new(2, 1);
    let swapped = |state: &[Part]| -> Vec<Part> {
        let permuted = |place: usize| {
            let at = Place(u16::try_from(place).expect("few places"));
            system.permuted(at, &state[place], 0, &[1, 0])
        };
        [1, 0, 2, 4, 3].into_iter().map(permuted).collect()
    };
    let mut seen: HashSet<Vec<Part>> = system.initial().into_iter().collect();
    let mut open: Vec<Vec<Part>> = system.initial();
    while let Some(state) = open.pop() {
        for next in successors(&system, &state) {
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    assert_eq!(seen.len(), 2_345);
    let orbits: BTreeSet<String> = seen
        .iter()
        .map(|state| format!("{state:?}").min(format!("{:?}", swapped(state))))
        .collect();
    let reduce = Reductions { symmetry: true, ..Reductions::NONE };
    check(2, 1, reduce, orbits.len());
}

#[test]
fn losses_are_redundant_where_messages_may_be_delayed_forever() {
    let system = Lock::new(2, 2);
    let reduce = Reductions { loss: true, ..Reductions::NONE };
    let interned = Interned::new(&system);
    let space = interned.space(PROPOSITIONS.to_vec(), reduce);
    let found = explore(&space, 1);
    assert!(found.states < 650_217 / 100, "{} states", found.states);
    assert_eq!(found.first[0], None);
    assert!(found.first[1].is_some());
}

/// A violation is found with every reduction at the same depth, and its counterexample is a trace
/// of the unreduced protocol.
#[test]
fn every_reduction_finds_the_violation() {
    let system = Lock { does_exclude: false, ..Lock::new(3, 1) };
    let all = Reductions::ALL;
    let none = Reductions::NONE;
    let kinds = [
        none,
        all,
        Reductions { dead: true, ..none },
        Reductions { symmetry: true, ..none },
        Reductions { loss: true, ..none },
    ];
    for reduce in kinds {
        let interned = Interned::new(&system);
        let space = interned.space(PROPOSITIONS.to_vec(), reduce);
        assert_eq!(space.reductions(), reduce, "the protocol allows each");
        let found = explore(&space, 2);
        let broken = found.first[0].expect("two hold the lock");
        assert_eq!(found.log.path(broken).len(), 7, "{reduce:?}");
        assert_is_trace((&system, &interned), &space, &found, broken);
    }
}

/// The same protocol as a World, with a link for each direction: the same count.
#[test]
fn a_world_has_as_many_states_as_the_protocol() {
    for (clients, rounds, states) in [(2, 1, 2_345), (3, 1, 101_675)] {
        let world = turnstile_models::world(clients, rounds);
        for threads in 1..=2 {
            let interned = Interned::new(&world);
            let space = interned.space(vec![(1, false), (0, true)], Reductions::NONE);
            let found = explore(&space, threads);
            assert_eq!(found.states, states, "{clients} clients, {rounds} rounds");
            assert_eq!(found.first[0], None);
            assert_eq!(space.impure(), None);
        }
    }
}

#[test]
fn a_limit_truncates_a_search_and_its_verdicts() {
    let system = Lock::new(3, 1);
    let bounds = [
        Limits { max_states: Some(5_000), ..Limits::default() },
        Limits { max_memory: Some(100_000), ..Limits::default() },
        Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() },
    ];
    for limits in bounds {
        let request = CheckRequest { threads: 2, limits, ..CheckRequest::new(&NoProgress) };
        let outcome = run(&system, request);
        assert!(outcome.truncation.is_some());
        assert!(limits.max_states.is_none_or(|most| outcome.states as u64 == most));
        assert!(outcome.states < 101_675);
        assert!(
            outcome.judgements.iter().all(|judgement| judgement.verdict == Verdict::Incomplete)
        );
    }
}

/// A core that is not a pure function: its second step differs from the first.
#[derive(Default)]
struct ImpureSystem(Mutex<BTreeSet<u8>>);

impl TransitionSystem for ImpureSystem {
    type Part = u8;
    type Op = ();
    type Tag = ();

    fn initial(&self) -> Vec<Vec<u8>> {
        vec![vec![0]]
    }

    fn enabled(&self, _: Place, part: &u8) -> Vec<EnabledOp<()>> {
        let enabled = EnabledOp { op: (), fairness: Fairness::None, is_loss: false };
        if *part < 10 { vec![enabled] } else { Vec::new() }
    }

    fn apply(&self, _: Place, part: &u8, (): &()) -> Vec<Outcome<u8, (), ()>> {
        let is_new = self.0.lock().expect("nobody panicked").insert(*part);
        let next = if is_new || *part != 7 { part + 1 } else { 0 };
        vec![Outcome::plain(next)]
    }

    fn predicates(&self) -> Vec<Predicate> {
        vec![Predicate { name: "small".to_owned(), reads: None, reads_messages: false }]
    }

    fn evaluate(&self, predicates: &[usize], state: &[&u8], answer: &mut dyn FnMut(usize, bool)) {
        predicates.iter().for_each(|&predicate| answer(predicate, *state[0] < 100));
    }

    fn properties(&self) -> Vec<Property> {
        vec![Property {
            name: "stays small".to_owned(),
            kind: PropertyKind::Always(0),
            antecedent: None,
        }]
    }
}

#[test]
fn an_impure_core_is_detected() {
    let outcome = run(&ImpureSystem::default(), CheckRequest::new(&NoProgress));
    assert_eq!((outcome.states, outcome.runs), (11, 10), "each operation was run once");
    assert_eq!(outcome.impure.as_deref(), Some("() on 7"));
}

/// A trail that is no trace of the system is a defect of the engine, and panics.
#[test]
fn a_trail_that_is_no_trace_is_rejected() {
    let numbers = |state: &u64| if *state < 3 { vec![((), state + 1)] } else { Vec::new() };
    let walk =
        |trail: Vec<u64>| replay(&Trail::of(trail), vec![0], numbers, |()| &[][..], |state| *state);
    assert_eq!(*walk(vec![0, 1, 2]).last(), 2);
    for wrong in [vec![0, 2], vec![1], vec![0, 1, 2, 3, 4]] {
        let shown = std::panic::catch_unwind(|| walk(wrong.clone()));
        assert!(shown.is_err(), "{wrong:?}");
    }
}
