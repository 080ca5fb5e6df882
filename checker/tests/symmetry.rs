//! Nodes that change places: what happens after the change is what happened before it, changed; so
//! one state may stand for all, and the verdicts are the same with about as many states as there
//! are orders of the clients fewer.

use std::collections::HashSet;

use turnstile_checker::parts::{Parts, Place, Symmetry, renumber};
use turnstile_checker::report::options::{Options, Reductions, Silent};
use turnstile_checker::report::result::ResultReport;
use turnstile_checker::systems::{self, Wired as _, claim};
use turnstile_checker::world::{Claim, Property, State, System, World};
use turnstile_spec::{Source, bundled, system};

fn file() -> system::System {
    let text = bundled::system("claim").expect("it is bundled");
    system::System::read(Source::new(text.file, text.text)).expect("it can be read")
}

/// The state with the members of a group changed about, and its numbers as small as they can be.
fn changed<S: System>(
    world: &World<S>,
    group: &Symmetry,
    to: &[usize],
    state: &State<S::Types>,
) -> State<S::Types> {
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

fn successors<S: System>(world: &World<S>, state: &State<S::Types>) -> Vec<State<S::Types>> {
    let actions = world.actions_of(state);
    actions.iter().filter_map(|action| world.after(state, action)).collect()
}

/// What each property says of a state.
fn answers<S: System>(world: &World<S>, state: &State<S::Types>) -> Vec<(bool, bool)> {
    world.view(&state.0, |view| {
        let ask = |property: &Property<S::Types>| {
            let answer = property.ask(view);
            (answer.premise, answer.holds)
        };
        // What fair runs come to names a client, and is searched without symmetry.
        let is_asked =
            |property: &&Property<S::Types>| !matches!(property.claim, Claim::LeadsTo { .. });
        world.properties.iter().filter(is_asked).map(ask).collect()
    })
}

/// Holds so many states of a world of three clients against themselves with the clients changed
/// about.
#[track_caller]
fn check(name: &str, states_max: usize) {
    let file = file();
    let named = file.world(name).expect("a world of the file");
    let set = vec![("clients".to_owned(), "3".to_owned())];
    let options = Options { set, ..Options::new(&Silent) };
    let world = claim::Claim::world(&file, named, &options).expect("its names are known");
    let groups = world.symmetry();
    assert_eq!(groups.len(), 1, "the clients");
    let orders = [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let mut met = HashSet::from([world.first()]);
    let mut open = vec![world.first()];
    // Depth first, so that late states come soon.
    while let Some(state) = open.pop() {
        let after = successors(&world, &state);
        for order in &orders {
            let other = changed(&world, &groups[0], order, &state);
            assert_eq!(answers(&world, &state), answers(&world, &other), "{order:?}: {state:#?}");
            let change = |state: &State<_>| changed(&world, &groups[0], order, state);
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
        check(world, 1_500);
    }
}

fn run(world: &str, clients: &str, reduce: Reductions) -> ResultReport {
    let entry = systems::entry("claim").expect("it is known");
    let file = file();
    let named = file.world(world).expect("a world of the file");
    let set = vec![("clients".to_owned(), clients.to_owned())];
    let options = Options { set, reduce, threads: 2, ..Options::new(&Silent) };
    (entry.run)(&file, named, &options).expect("its names are known")
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
        let verdicts = |result: &ResultReport| -> Vec<_> {
            let properties = result.properties.iter();
            properties.map(|one| (one.verdict, one.counterexample.len())).collect()
        };
        assert_eq!(verdicts(&few), verdicts(&all), "{world}");
    }
}

#[test]
fn three_clients_have_a_sixth_of_the_states() {
    let symmetry = Reductions { symmetry: true, ..Reductions::NONE };
    // Without reductions there are 4,199,529.
    assert_eq!(run("small", "3", symmetry).states, 699_984);
}
