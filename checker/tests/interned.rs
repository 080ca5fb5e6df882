//! The engines on a lock protocol whose numbers of states are known from other checkers.

#[path = "../benches/lock/parts.rs"]
mod parts;

use parts::Lock;
use turnstile_checker::report::options::{Limits, Silent};
use turnstile_checker::search::breadth::{Ask, search};
use turnstile_checker::search::interned::Interned;

#[track_caller]
fn check(clients: u8, rounds: u8, states: usize) {
    let system = Lock::new(clients, rounds);
    for threads in 1..=3 {
        let space = Interned::new(&system, vec![(0, false), (1, true)], false);
        let ask = Ask { threads, limits: Limits::default(), stop_at: 0, progress: &Silent };
        let began = std::time::Instant::now();
        let walk = search(&space, ask);
        eprintln!(
            "{clients}x{rounds} threads {threads}: {} states {} transitions depth {} {:?} runs {} bytes/state {}",
            walk.states,
            walk.transitions,
            walk.depth,
            began.elapsed(),
            space.runs(),
            walk.peak_bytes / walk.states
        );
        assert_eq!(walk.states, states);
        assert_eq!(walk.first[0], None);
        assert!(space.impure().is_none());
    }
}

#[track_caller]
fn check_world(clients: usize, rounds: u8, states: usize) {
    let world = turnstile_checker::systems::lock::world(clients, rounds);
    for threads in 1..=2 {
        let space = Interned::new(&world, vec![(1, false), (0, true)], false);
        let ask = Ask { threads, limits: Limits::default(), stop_at: 0, progress: &Silent };
        let began = std::time::Instant::now();
        let walk = search(&space, ask);
        eprintln!(
            "World {clients}x{rounds} threads {threads}: {} states {} transitions depth {} {:?} runs {} bytes/state {}",
            walk.states,
            walk.transitions,
            walk.depth,
            began.elapsed(),
            space.runs(),
            walk.peak_bytes / walk.states
        );
        assert_eq!(walk.states, states);
        assert_eq!(walk.first[0], None);
        assert!(space.impure().is_none());
    }
}

#[test]
fn world() {
    check_world(2, 1, 2_345);
    check_world(3, 1, 101_675);
    check_world(2, 2, 650_217);
}

#[test]
fn two_clients_one_round() {
    check(2, 1, 2_345);
}

#[test]
fn three_clients_one_round() {
    check(3, 1, 101_675);
}

#[test]
fn two_clients_two_rounds() {
    check(2, 2, 650_217);
}
