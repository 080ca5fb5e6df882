//! Symmetry: permuting interchangeable nodes commutes with the transition relation, so one state
//! represents all its permutations; the verdicts are the same, with about as many times fewer
//! states as there are permutations. Members of which one is the initial leader are interchangeable
//! only once another one has led.

use std::collections::HashSet;

use turnstile_checker::SYSTEMS;
use turnstile_harness::options::{Options, Replacement};
use turnstile_harness::results::result::ResultReport;
use turnstile_search::bounds::{NoProgress, Reductions};
use turnstile_search::transition_system::{
    Place, SymmetricRole, TransitionSystem, canonicalize_ids,
};
use turnstile_spec::{Source, WrittenTable};
use turnstile_world::{Property, State, TemporalFormula, World};

/// The state with the members of a role permuted, and with canonical ids.
fn permuted(world: &World, role: &SymmetricRole, to: &[usize], state: &State) -> State {
    let mut places: Vec<usize> = (0..state.0.len()).collect();
    for (member, &to) in role.members.iter().zip(to) {
        for (from, to) in member.iter().zip(&role.members[to]) {
            places[from.index()] = to.index();
        }
    }
    let mut parts = state.0.clone();
    for (place, part) in state.0.iter().enumerate() {
        let at = Place(u16::try_from(place).expect("few places"));
        parts[places[place]] = world.permuted(at, part, 0, to);
    }
    canonicalize_ids(world, &mut parts);
    State(parts)
}

fn successors(world: &World, state: &State) -> Vec<State> {
    let actions = world.actions_of(state);
    actions.iter().filter_map(|action| world.after(state, action)).collect()
}

/// The value of each property in a state.
fn answers(world: &World, state: &State) -> Vec<(bool, bool)> {
    world.view(&state.0, |view| {
        let ask = |property: &Property| {
            let answer = property.evaluate(view);
            (answer.antecedent, answer.holds)
        };
        // Liveness properties name a client, and are checked without symmetry.
        let is_asked =
            |property: &&Property| !matches!(property.formula, TemporalFormula::LeadsTo { .. });
        world.named_properties().iter().filter(is_asked).map(ask).collect()
    })
}

/// The permutations of three nodes and of two, without the identity.
const THREE: &[&[usize]] = &[&[0, 2, 1], &[1, 0, 2], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0]];
const TWO: &[&[usize]] = &[&[1, 0]];

/// Compares up to `states_max` states of a world with their permutations.
#[track_caller]
fn check(system: &str, name: &str, set: &[(&str, &str)], orders: &[&[usize]], states_max: usize) {
    let entry = SYSTEMS.entry(system).expect("it is known");
    let file = entry.file.system().expect("it can be read");
    let named = file.world(name).expect("a world of the file");
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let options = Options { set, ..Options::new(&NoProgress) };
    let world = entry.world(file, named, &options).expect("its names are known");
    let roles = world.symmetric_roles();
    assert_eq!(roles.len(), 1, "one role");
    let mut met = HashSet::from([world.initial_states().swap_remove(0)]);
    let mut open = vec![world.initial_states().swap_remove(0)];
    // Depth first, to reach late states early.
    while let Some(state) = open.pop() {
        let after = successors(&world, &state);
        for order in orders {
            let other = permuted(&world, &roles[0], order, &state);
            assert_eq!(answers(&world, &state), answers(&world, &other), "{order:?}: {state:#?}");
            let change = |state: &State| permuted(&world, &roles[0], order, state);
            let expected: HashSet<_> = after.iter().map(change).collect();
            let found: HashSet<_> = successors(&world, &other).into_iter().collect();
            assert!(expected == found, "{order:?}: {state:#?}");
        }
        open.extend(after.into_iter().filter(|next| met.insert(next.clone())));
        if met.len() > states_max {
            break;
        }
    }
}

#[test]
fn permuting_clients_commutes_with_steps() {
    for world in ["small", "pause+acts", "restart+lost", "long-poll", "client-restart"] {
        check("claim", world, &[("clients", "3")], THREE, 600);
    }
}

#[test]
fn permuting_members_commutes_with_steps() {
    for world in
        ["small", "leader-change", "three-members+partition+snapshot", "three-members+restart"]
    {
        check("replicated-lock", world, &[], THREE, 600);
    }
    let two_members = [
        "direct-call",
        "failed-command",
        "lost-majority",
        "acts+partition+restart",
        "two-members+partition+restart",
        "partition+time-out",
    ];
    for world in two_members {
        check("replicated-lock", world, &[], TWO, 1_500);
    }
}

fn run_with(system: &str, world: &str, options: Options<'_>) -> ResultReport {
    let entry = SYSTEMS.entry(system).expect("it is known");
    let file = entry.file.system().expect("it can be read");
    let named = file.world(world).expect("a world of the file");
    entry.run(file, named, &options).expect("its names are known")
}

fn run(world: &str, clients: &str, reduce: Reductions) -> ResultReport {
    let set = vec![("clients".to_owned(), clients.to_owned())];
    run_with("claim", world, Options { set, reduce, threads: 2, ..Options::new(&NoProgress) })
}

/// By property: its verdict, and the length of its counterexample.
fn verdicts(result: &ResultReport) -> Vec<(&'static str, usize)> {
    let properties = result.properties.iter();
    properties.map(|one| (one.verdict.name(), one.counterexample.len())).collect()
}

#[test]
fn two_clients_have_half_the_states() {
    let symmetry = Reductions { symmetry: true, ..Reductions::NONE };
    for world in ["small", "client-restart", "signal+server-error"] {
        let (all, few) = (run(world, "2", Reductions::NONE), run(world, "2", symmetry));
        assert_eq!(few.reductions, ["symmetry"], "{world}");
        assert!(few.states * 2 >= all.states, "{world}: one stands for two at most");
        assert!(few.states * 100 < all.states * 51, "{world}: {} of {}", few.states, all.states);
        assert_eq!(few.depth, all.depth, "{world}");
        assert_eq!(few.coverage, all.coverage, "{world}");
        assert_eq!(verdicts(&few), verdicts(&all), "{world}");
    }
}

#[test]
fn three_clients_have_a_sixth_of_the_states() {
    let symmetry = Reductions { symmetry: true, ..Reductions::NONE };
    let (all, few) =
        (run("slow-answers", "3", Reductions::NONE), run("slow-answers", "3", symmetry));
    assert_eq!((all.states, few.states), (122_114, 20_402));
    assert_eq!((few.depth, &few.coverage), (all.depth, &all.coverage));
    assert_eq!(verdicts(&few), verdicts(&all));
}

fn run_replicated(world: &str, as_written: bool, symmetry: bool) -> ResultReport {
    let entry = SYSTEMS.entry("replicated-lock").expect("it is known");
    let tables = entry.machines().filter(|_| as_written).map(|name| {
        let table = turnstile_bundled::table(name).expect("every machine of a system is bundled");
        let source = Source::new(table.file, table.text);
        let literal = WrittenTable::read(source.clone()).expect("bundled tables can be read");
        Replacement::new(literal.vocabulary, literal.table, source)
    });
    let tables = tables.collect();
    let reduce = Reductions { symmetry, ..Reductions::NONE };
    let options = Options { as_written, tables, reduce, threads: 2, ..Options::new(&NoProgress) };
    run_with("replicated-lock", world, options)
}

/// A representative stands for at most `orders` states, and for several once another member has
/// led.
#[track_caller]
fn check_members(world: &str, as_written: bool, orders: u64) {
    let all = run_replicated(world, as_written, false);
    let few = run_replicated(world, as_written, true);
    assert_eq!(few.reductions, ["symmetry"], "{world}");
    assert!(all.complete && few.complete, "{world}");
    assert!(few.states < all.states, "{world}: {} of {}", few.states, all.states);
    assert!(few.states * orders >= all.states, "{world}: {} of {}", few.states, all.states);
    assert!(few.depth <= all.depth, "{world}: whoever is alike comes as soon");
    assert_eq!(few.coverage, all.coverage, "{world}");
    assert_eq!(verdicts(&few), verdicts(&all), "{world}");
}

#[test]
fn interchangeable_members_are_searched_once() {
    check_members("small", false, 6);
    check_members("leader-change", false, 6);
    check_members("lost-majority", false, 2);
}

#[test]
fn interchangeable_members_have_the_same_failures_as_written() {
    check_members("leader-change", true, 6);
}

/// If no other member can lead, only the two members that are not leaders are interchangeable.
#[test]
fn a_leader_and_another_are_not_interchangeable() {
    let [all, few] = [false, true].map(|symmetry| run_replicated("direct-call", false, symmetry));
    assert_eq!(few.states, all.states);
}
