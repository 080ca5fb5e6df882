//! The interned engine on a lock protocol whose numbers of states are known from other checkers:
//! the same counts on any number of threads, the same verdicts with every reduction.

#[path = "../benches/lock/parts.rs"]
mod parts;
#[path = "../benches/lock/world.rs"]
mod world;

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex};

use parts::{Lock, Part};
use stateright::{Checker as _, Model as _};
use turnstile_reference::Model;
use turnstile_search::bounds::{Limits, Reductions, Silent, Until};
use turnstile_search::breadth::{Ask, Walk, search};
use turnstile_search::engine::{Question, run};
use turnstile_search::interned::Interned;
use turnstile_search::judged::Verdict;
use turnstile_search::parts::{
    Claim, Done, Fairness, Offer, Parts, Place, Predicate, Property, cascade,
};
use turnstile_search::replay::{Trail, replay, trail};
use turnstile_search::space::Space;

/// Broken by nobody; met by everybody.
const NOTEWORTHY: [(usize, bool); 2] = [(0, false), (1, true)];

fn walk<W: Parts>(space: &Interned<'_, W>, threads: usize) -> Walk {
    let ask =
        Ask { threads, limits: Limits::default(), stop_at: 0, records: false, progress: &Silent };
    search(space, ask)
}

#[track_caller]
fn check(clients: u8, rounds: u8, reduce: Reductions, states: usize) {
    let system = Lock::new(clients, rounds);
    let mut alone = None;
    for threads in 1..=3 {
        let space = Interned::new(&system, NOTEWORTHY.to_vec(), reduce);
        let walk = walk(&space, threads);
        assert_eq!(walk.states, states, "{threads} threads");
        assert_eq!(walk.cut, None);
        assert_eq!(walk.first[0], None, "mutual exclusion");
        assert_eq!(space.impure(), None);
        let met = walk.first[1].expect("somebody holds the lock at some time");
        let shown = (walk.transitions, walk.depth, walk.log.path(met));
        assert_eq!(*alone.get_or_insert(shown.clone()), shown, "{threads} threads");
        assert_is_run(&system, &space, &walk, met);
    }
}

/// The path to a state is a run of the protocol, shown by the protocol alone.
fn assert_is_run(system: &Lock, space: &Interned<'_, Lock>, walk: &Walk, state: usize) {
    let mut expander = space.expander();
    let shown = trail(space, &walk.log, state);
    let fingerprint = |state: &Vec<Part>| expander.fingerprint(state.clone());
    let successors = |state: &Vec<Part>| {
        let next = successors(system, state).into_iter();
        next.map(|state| ((), state)).collect::<Vec<((), Vec<Part>)>>()
    };
    let run = replay(&shown, system.initial(), successors, |()| &[][..], fingerprint);
    let parts: Vec<&Part> = run.last().iter().collect();
    let mut is_met = false;
    system.test(&[1], &parts, &mut |_, answer| is_met = answer);
    assert!(is_met, "somebody holds the lock at the end of the run");
}

fn successors(system: &Lock, state: &[Part]) -> Vec<Vec<Part>> {
    let mut next = Vec::new();
    for (at, part) in (0..).map(Place).zip(state) {
        for offer in system.offers(at, part) {
            next.extend(cascade(system, state, at, &offer.op).into_iter().map(|end| end.state));
        }
    }
    next
}

#[test]
fn two_clients_one_round() {
    check(2, 1, Reductions::NONE, 2_345);
}

/// Stateright on the same parts, as values: the same states, and nothing that breaks.
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
fn without_dead_messages_there_are_as_many_as_elsewhere() {
    let reduce = Reductions { dead: true, ..Reductions::NONE };
    check(2, 2, reduce, 2_125);
    check(4, 1, reduce, 35_721);
}

/// Two clients may change places: the orbits are counted once more by hand.
#[test]
fn symmetric_states_are_counted_once() {
    let system = Lock::new(2, 1);
    let swapped = |state: &[Part]| -> Vec<Part> {
        let renamed = |place: usize| {
            let at = Place(u16::try_from(place).expect("few places"));
            system.renamed(at, &state[place], 0, &[1, 0])
        };
        [1, 0, 2, 4, 3].into_iter().map(renamed).collect()
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
fn what_may_be_late_for_ever_need_not_be_lost() {
    let system = Lock::new(2, 2);
    let reduce = Reductions { loss: true, ..Reductions::NONE };
    let space = Interned::new(&system, NOTEWORTHY.to_vec(), reduce);
    let walk = walk(&space, 1);
    assert!(walk.states < 650_217 / 100, "{} states", walk.states);
    assert_eq!(walk.first[0], None);
    assert!(walk.first[1].is_some());
}

/// A defect is found with every reduction and by the same number of steps, and the run that shows
/// it is one of the whole protocol.
#[test]
fn every_reduction_finds_the_defect() {
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
        let space = Interned::new(&system, NOTEWORTHY.to_vec(), reduce);
        assert_eq!(space.reductions(), reduce, "the protocol allows each");
        let walk = walk(&space, 2);
        let broken = walk.first[0].expect("two hold the lock");
        assert_eq!(walk.log.path(broken).len(), 7, "{reduce:?}");
        assert_is_run(&system, &space, &walk, broken);
    }
}

/// The same protocol as a World, with links for each way: the same count.
#[test]
fn a_world_has_as_many_states_as_the_protocol() {
    for (clients, rounds, states) in [(2, 1, 2_345), (3, 1, 101_675)] {
        let world = world::world(clients, rounds);
        for threads in 1..=2 {
            let space = Interned::new(&world, vec![(1, false), (0, true)], Reductions::NONE);
            let walk = walk(&space, threads);
            assert_eq!(walk.states, states, "{clients} clients, {rounds} rounds");
            assert_eq!(walk.first[0], None);
            assert_eq!(space.impure(), None);
        }
    }
}

#[test]
fn a_bound_ends_a_search_and_its_verdicts() {
    let system = Lock::new(3, 1);
    let bounds = [
        Limits { max_states: Some(5_000), ..Limits::default() },
        Limits { max_memory: Some(100_000), ..Limits::default() },
        Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() },
    ];
    for limits in bounds {
        let question = Question {
            threads: 2,
            limits,
            reduce: Reductions::NONE,
            until: &Until::End,
            progress: &Silent,
        };
        let outcome = run(&system, question);
        assert!(outcome.cut.is_some());
        assert!(limits.max_states.is_none_or(|most| outcome.states as u64 == most));
        assert!(outcome.states < 101_675);
        assert!(outcome.judged.iter().all(|judged| judged.verdict == Verdict::Incomplete));
    }
}

/// A core that counts how often it was asked: it does something else the second time.
#[derive(Default)]
struct Fickle(Mutex<BTreeSet<u8>>);

impl Parts for Fickle {
    type Part = u8;
    type Op = ();
    type Mark = ();

    fn initial(&self) -> Vec<Vec<u8>> {
        vec![vec![0]]
    }

    fn offers(&self, _: Place, part: &u8) -> Vec<Offer<()>> {
        let offer = Offer { op: (), fairness: Fairness::Never, is_loss: false };
        if *part < 10 { vec![offer] } else { Vec::new() }
    }

    fn apply(&self, _: Place, part: &u8, (): &()) -> Vec<Done<u8, (), ()>> {
        let is_new = self.0.lock().expect("nobody panicked").insert(*part);
        let next = if is_new || *part != 7 { part + 1 } else { 0 };
        vec![Done::plain(next)]
    }

    fn predicates(&self) -> Vec<Predicate> {
        vec![Predicate { name: "small".to_owned(), reads: None, reads_messages: false }]
    }

    fn test(&self, predicates: &[usize], state: &[&u8], answer: &mut dyn FnMut(usize, bool)) {
        predicates.iter().for_each(|&predicate| answer(predicate, *state[0] < 100));
    }

    fn properties(&self) -> Vec<Property> {
        vec![Property { name: "stays small".to_owned(), claim: Claim::Always(0), premise: None }]
    }
}

#[test]
fn a_core_that_remembers_is_found_out() {
    let question = Question {
        threads: 1,
        limits: Limits::default(),
        reduce: Reductions::NONE,
        until: &Until::End,
        progress: &Silent,
    };
    let outcome = run(&Fickle::default(), question);
    assert_eq!((outcome.states, outcome.runs), (11, 10), "each operation was run once");
    assert_eq!(outcome.impure.as_deref(), Some("() on 7"));
}

/// A run that the system does not take is a defect of the engine, and ends it.
#[test]
fn a_trail_that_is_no_run_is_not_shown() {
    let numbers = |state: &u64| if *state < 3 { vec![((), state + 1)] } else { Vec::new() };
    let walk =
        |trail: Vec<u64>| replay(&Trail::of(trail), vec![0], numbers, |()| &[][..], |state| *state);
    assert_eq!(*walk(vec![0, 1, 2]).last(), 2);
    for wrong in [vec![0, 2], vec![1], vec![0, 1, 2, 3, 4]] {
        let shown = std::panic::catch_unwind(|| walk(wrong.clone()));
        assert!(shown.is_err(), "{wrong:?}");
    }
}
