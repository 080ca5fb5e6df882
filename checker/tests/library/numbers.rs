//! The visit of symbolic ids of a part visits every one and does nothing else: random walks through
//! the worlds of every system, and so through the states of every core in them.

use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use turnstile_checker::SYSTEMS;
use turnstile_harness::options::Options;
use turnstile_search::bounds::NoProgress;
use turnstile_search::transition_system::{Place, TransitionSystem};
use turnstile_simulation::near;
use turnstile_step::{IdClass, Order};
use turnstile_world::{Part, State, World};

/// Above every id in a state of a world, below the random keys of clients.
const FAR: u64 = 1 << 20;
/// The states of one walk.
const STEPS: usize = 150;

/// Maps an id to a far one, in the same order if the class has one.
fn far(class: IdClass, number: u64) -> u64 {
    match class.order {
        Order::Rank | Order::Count => FAR + 2 * number,
        Order::Equality => 2 * FAR - number.min(FAR),
    }
}

fn places(state: &State) -> impl Iterator<Item = (Place, &Part)> {
    (0..).map(Place).zip(&state.0)
}

/// The state with its ids mapped to far ones, as far as the class allows. Asserts that each id is
/// visited, and that a visit changes nothing.
#[track_caller]
fn check_state(world: &World, state: &State) -> State {
    let mut other = state.clone();
    for (place, part) in places(state) {
        let mut seen = part.clone();
        world.visit_ids(place, &mut seen, &mut |_, _| {});
        assert_eq!(seen, *part, "a visit changes nothing");
        // A new random key is far already, and may stay.
        world.visit_ids(place, &mut seen, &mut |class, number| *number = far(class, *number));
        let text = format!("{seen:?}");
        assert!(near(&text, FAR).is_empty(), "not visited: {:?} in {text}", near(&text, FAR));
        world.visit_ids(place, &mut other.0[place.index()], &mut |class, number| {
            // Rank 0 is fixed, and the distance of counted ids has a meaning.
            let stays = match class.order {
                Order::Equality => false,
                Order::Rank => *number == 0,
                Order::Count => true,
            };
            if !stays {
                *number = far(class, *number);
            }
        });
    }
    other
}

/// The successors do not depend on the distance of ids. Their order may: messages on a link that
/// differ in an id alone are in its order.
#[track_caller]
fn check_steps(world: &World, state: &State, other: &State) {
    let (actions, others) = (world.actions_of(state), world.actions_of(other));
    assert_eq!(actions.len(), others.len(), "{state:#?}");
    // Only ids may change in a self-loop.
    let reached = others.iter().map(|action| {
        let reached = world.reached(other, action).map(|reached| reached.state);
        reached.filter(|to| *to != state.0)
    });
    let mut reached: Vec<_> = reached.collect();
    for action in &actions {
        let to = world.after(state, action).map(|state| state.0);
        let twin = reached.iter().position(|other| *other == to);
        let twin = twin.unwrap_or_else(|| panic!("{action:?} leads to {to:?}, not to {reached:?}"));
        reached.swap_remove(twin);
    }
}

fn walk(system: &str) {
    let entry = SYSTEMS.entry(system).expect("it is known");
    let file = entry.file.system().expect("it can be read");
    let options = Options::new(&NoProgress);
    for (seed, named) in (1..).zip(&file.worlds) {
        let world = entry.world(file, named, &options).expect("its names are known");
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut state = world.initial_states().swap_remove(0);
        for _ in 0..STEPS {
            let other = check_state(&world, &state);
            check_steps(&world, &state, &other);
            let after = world.actions_of(&state).into_iter();
            let mut after: Vec<_> =
                after.filter_map(|action| world.after(&state, &action)).collect();
            state = match after.len() {
                0 => world.initial_states().swap_remove(0),
                count => after.swap_remove(rng.random_range(..count)),
            };
        }
    }
}

#[test]
fn of_claims() {
    walk("claim");
}

#[test]
fn of_byte_ranges() {
    walk("byte-range-lock");
}

#[test]
fn of_groups() {
    walk("group-lock");
}

#[test]
fn of_replicated_locks() {
    walk("replicated-lock");
}

#[test]
fn of_views() {
    walk("view-handler");
}
