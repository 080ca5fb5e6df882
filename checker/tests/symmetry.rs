//! Nodes that change places: what happens after the change is what happened before it, changed; so
//! one state may stand for all, and the verdicts are the same with about as many states as there
//! are orders of the nodes fewer. Members of which one begins as the leader are alike only when
//! another one has led.

use std::collections::HashSet;

use turnstile_checker::SYSTEMS;
use turnstile_harness::options::{Options, Replacement};
use turnstile_harness::result::ResultReport;
use turnstile_search::bounds::{Reductions, Silent};
use turnstile_search::parts::{Parts, Place, Symmetry, renumber};
use turnstile_spec::{Literal, Source, system};
use turnstile_world::{Claim, Property, State, World};

fn file(name: &str) -> system::System {
    let text = turnstile_bundled::system(name).expect("it is bundled");
    system::System::read(Source::new(text.file, text.text)).expect("it can be read")
}

/// The state with the members of a group changed about, and its numbers as small as they can be.
fn changed(world: &World, group: &Symmetry, to: &[usize], state: &State) -> State {
    let mut places: Vec<usize> = (0..state.0.len()).collect();
    for (member, &to) in group.members.iter().zip(to) {
        for (from, to) in member.iter().zip(&group.members[to]) {
            places[from.index()] = to.index();
        }
    }
    let mut parts = state.0.clone();
    for (place, part) in state.0.iter().enumerate() {
        let at = Place(u16::try_from(place).expect("few places"));
        parts[places[place]] = world.renamed(at, part, 0, to);
    }
    renumber(world, &mut parts);
    State(parts)
}

fn successors(world: &World, state: &State) -> Vec<State> {
    let actions = world.actions_of(state);
    actions.iter().filter_map(|action| world.after(state, action)).collect()
}

/// What each property says of a state.
fn answers(world: &World, state: &State) -> Vec<(bool, bool)> {
    world.view(&state.0, |view| {
        let ask = |property: &Property| {
            let answer = property.ask(view);
            (answer.premise, answer.holds)
        };
        // What fair runs come to names a client, and is searched without symmetry.
        let is_asked = |property: &&Property| !matches!(property.claim, Claim::LeadsTo { .. });
        world.claims().iter().filter(is_asked).map(ask).collect()
    })
}

/// Ways in which three nodes change places, and two.
const THREE: &[&[usize]] = &[&[0, 2, 1], &[1, 0, 2], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0]];
const TWO: &[&[usize]] = &[&[1, 0]];

/// Holds so many states of a world against themselves with the nodes changed about.
#[track_caller]
fn check(system: &str, name: &str, set: &[(&str, &str)], orders: &[&[usize]], states_max: usize) {
    let entry = SYSTEMS.entry(system).expect("it is known");
    let file = file(system);
    let named = file.world(name).expect("a world of the file");
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let options = Options { set, ..Options::new(&Silent) };
    let world = entry.world(&file, named, &options).expect("its names are known");
    let groups = world.symmetry();
    assert_eq!(groups.len(), 1, "one role");
    let mut met = HashSet::from([world.first()]);
    let mut open = vec![world.first()];
    // Depth first, so that late states come soon.
    while let Some(state) = open.pop() {
        let after = successors(&world, &state);
        for order in orders {
            let other = changed(&world, &groups[0], order, &state);
            assert_eq!(answers(&world, &state), answers(&world, &other), "{order:?}: {state:#?}");
            let change = |state: &State| changed(&world, &groups[0], order, state);
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
fn what_happens_to_changed_clients_is_what_happened_changed() {
    for world in ["small", "fence", "restart", "listen", "come-back"] {
        check("claim", world, &[("clients", "3")], THREE, 1_500);
    }
}

#[test]
fn what_happens_to_changed_members_is_what_happened_changed() {
    for world in ["small", "leader", "minority-three", "restart-three"] {
        check("replicated-lock", world, &[], THREE, 1_500);
    }
    for world in ["direct", "failed", "nobody", "acts", "minority-restart", "minority-late"] {
        check("replicated-lock", world, &[], TWO, 1_500);
    }
}

fn run_with(system: &str, world: &str, options: Options<'_>) -> ResultReport {
    let entry = SYSTEMS.entry(system).expect("it is known");
    let file = file(system);
    let named = file.world(world).expect("a world of the file");
    entry.run(&file, named, &options).expect("its names are known")
}

fn run(world: &str, clients: &str, reduce: Reductions) -> ResultReport {
    let set = vec![("clients".to_owned(), clients.to_owned())];
    run_with("claim", world, Options { set, reduce, threads: 2, ..Options::new(&Silent) })
}

/// What each property comes to, and after how many steps.
fn verdicts(result: &ResultReport) -> Vec<(&'static str, usize)> {
    let properties = result.properties.iter();
    properties.map(|one| (one.verdict.name(), one.counterexample.len())).collect()
}

#[test]
fn two_clients_have_half_the_states() {
    let symmetry = Reductions { symmetry: true, ..Reductions::NONE };
    for world in ["small", "come-back", "stop"] {
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
    // Without reductions there are 21,223,480.
    assert_eq!(run("small", "3", symmetry).states, 3_537_466);
}

fn run_replicated(world: &str, as_written: bool, symmetry: bool) -> ResultReport {
    let entry = SYSTEMS.entry("replicated-lock").expect("it is known");
    let tables = entry.machines().filter(|_| as_written).map(|name| {
        let table = turnstile_bundled::table(name).expect("every machine of a system is bundled");
        let source = Source::new(table.file, table.text);
        let literal = Literal::read(source.clone()).expect("bundled tables can be read");
        Replacement { vocabulary: literal.vocabulary, table: literal.table, source }
    });
    let tables = tables.collect();
    let reduce = Reductions { symmetry, ..Reductions::NONE };
    let options = Options { as_written, tables, reduce, threads: 2, ..Options::new(&Silent) };
    run_with("replicated-lock", world, options)
}

/// One state stands for so many at most, and for more than one where another member has led.
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
fn members_that_are_alike_are_searched_once() {
    check_members("small", false, 6);
    check_members("leader", false, 6);
    check_members("nobody", false, 2);
}

#[test]
fn members_that_are_alike_fail_alike_as_written() {
    check_members("leader", true, 6);
}

/// Where nobody else can lead, no member is like the leader, and two members are all there are.
#[test]
fn a_leader_and_another_are_not_alike() {
    let [all, few] = [false, true].map(|symmetry| run_replicated("direct", false, symmetry));
    assert_eq!(few.states, all.states);
}
