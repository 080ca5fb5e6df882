//! The generated step beside a hand-written match of the same table, in one process.
//!
//! Rounds of the two alternate, and the smallest time of each counts: what else the machine does
//! only ever adds. Where a loop comes to lie in memory can cost or save it a tenth: each side is
//! compiled in [`PLACES`] places, and its best counts. The ratio is generated over hand-written;
//! below 1 the generated one is faster.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

mod acts;
mod hand;
mod hand_into;

use std::hint::black_box;
use std::time::Instant;

use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use turnstile_claim_machines::claim::{self, Event, EventKind, Guard, State};

const EVENTS: usize = 1 << 16;
const ROUNDS: usize = 800;
const PLACES: usize = 8;
const SEED: u64 = 0x7475_726e_7374_696c;

/// Copies of a run that differ in the number they begin with, so that each is compiled by itself.
macro_rules! places {
    ($run:ident) => {
        [$run::<0>, $run::<1>, $run::<2>, $run::<3>, $run::<4>, $run::<5>, $run::<6>, $run::<7>]
    };
}

fn main() {
    // `cargo test --benches` runs this too: a few rounds show that it works.
    let rounds = if std::env::args().any(|word| word == "--bench") { ROUNDS } else { PLACES };
    println!("seed {SEED:#x}, {EVENTS} events a round, the least of {rounds} rounds");
    println!(
        "{:<14} {:<10} {:>10} {:>10} {:>7}",
        "stream", "form", "generated", "by hand", "ratio"
    );
    let streams = [("valid", stream(0)), ("10 % refused", stream(10)), ("steady cycle", steady())];
    for (name, events) in &streams {
        compare(name, "step", rounds, events, &places!(generated), &places!(by_hand));
        compare(
            name,
            "step_into",
            rounds,
            events,
            &places!(generated_into),
            &places!(by_hand_into),
        );
    }
}

/// A whole stream through one form of the machine.
type Run = fn(&[Happening]) -> u64;

fn compare(
    stream: &str,
    form: &str,
    rounds: usize,
    events: &[Happening],
    generated: &[Run; PLACES],
    by_hand: &[Run; PLACES],
) {
    let mut least = [f64::INFINITY; 2];
    for round in 0..rounds {
        let (one, other) = (generated[round % PLACES], by_hand[round % PLACES]);
        if round < PLACES {
            assert_eq!(one(events), other(events), "the two do different work");
        }
        for turn in 0..2 {
            let which = (round / PLACES + turn) % 2;
            let run = [one, other][which];
            let start = Instant::now();
            black_box(run(black_box(events)));
            let ns = start.elapsed().as_secs_f64() * 1e9 / events.len() as f64;
            least[which] = least[which].min(ns);
        }
    }
    let [of_generated, of_hand] = least;
    let ratio = of_generated / of_hand;
    println!("{stream:<14} {form:<10} {of_generated:>7.2} ns {of_hand:>7.2} ns {ratio:>7.3}");
}

/// An event, whether a new machine begins before it, and what the core answers its guards.
#[derive(Clone, Copy)]
struct Happening {
    begins: bool,
    answer: bool,
    event: Event,
}

fn generated<const PLACE: u64>(events: &[Happening]) -> u64 {
    let (mut state, mut sum) = (State::INITIAL, PLACE);
    for happening in events {
        if happening.begins {
            state = State::INITIAL;
        }
        match claim::step(state, happening.event, &|_| happening.answer) {
            Ok(step) => {
                state = step.to;
                for act in step.actions {
                    sum = count(sum, act.action);
                }
            }
            Err(_) => sum = refused(sum),
        }
    }
    sum ^ state as u64
}

fn by_hand<const PLACE: u64>(events: &[Happening]) -> u64 {
    let (mut state, mut sum) = (State::INITIAL, PLACE);
    for happening in events {
        if happening.begins {
            state = State::INITIAL;
        }
        match hand::step(state, happening.event, &|_| happening.answer) {
            Some((to, does)) => {
                state = to;
                for act in does {
                    sum = count(sum, act.action);
                }
            }
            None => sum = refused(sum),
        }
    }
    sum ^ state as u64
}

fn generated_into<const PLACE: u64>(events: &[Happening]) -> u64 {
    let (mut state, mut sum) = (State::INITIAL, PLACE);
    for happening in events {
        if happening.begins {
            state = State::INITIAL;
        }
        let sink = |act: claim::ActionCall<'_>| sum = count(sum, act.action);
        match claim::step_into(state, happening.event, &|_| happening.answer, sink) {
            Ok(moved) => state = moved.to,
            Err(_) => sum = refused(sum),
        }
    }
    sum ^ state as u64
}

fn by_hand_into<const PLACE: u64>(events: &[Happening]) -> u64 {
    let (mut state, mut sum) = (State::INITIAL, PLACE);
    for happening in events {
        if happening.begins {
            state = State::INITIAL;
        }
        let sink = |act: claim::ActionCall<'_>| sum = count(sum, act.action);
        match hand_into::step_into(state, happening.event, &|_| happening.answer, sink) {
            Some(to) => state = to,
            None => sum = refused(sum),
        }
    }
    sum ^ state as u64
}

fn count(sum: u64, action: claim::Action) -> u64 {
    sum.rotate_left(1) ^ action as u64
}

fn refused(sum: u64) -> u64 {
    sum.wrapping_add(1)
}

/// Random events that the machine accepts where it is, but for some percent that it refuses.
fn stream(refused_percent: u64) -> Vec<Happening> {
    let mut rng = SmallRng::seed_from_u64(SEED);
    let mut state = State::INITIAL;
    let mut events = Vec::with_capacity(EVENTS);
    while events.len() < EVENTS {
        let begins = !is_left(state);
        if begins {
            state = State::INITIAL;
        }
        let wants_refused = rng.random_range(0..100) < refused_percent;
        let (event, answer) = (any_event(&mut rng), !rng.random_ratio(1, 8));
        let said = claim::step(state, event, &|_: Guard| answer);
        // Most states refuse most events: ask until the wanted sort comes, but not for ever.
        let event = if said.is_err() == wants_refused { event } else { continue };
        if let Ok(step) = said {
            state = step.to;
        }
        events.push(Happening { begins, answer, event });
    }
    events
}

/// A lock that is awaited, confirmed and held for ever: renewed, answered, renewed.
fn steady() -> Vec<Happening> {
    let start = [
        Event::Start,
        Event::Response { status: 202 },
        Event::ActivateTimerTriggers,
        Event::Response { status: 200 },
        Event::Response { status: 200 },
    ];
    let cycle = [Event::RenewTimerTriggers, Event::Response { status: 200 }];
    let events = start.into_iter().chain(cycle.into_iter().cycle()).take(EVENTS);
    events.map(|event| Happening { begins: false, answer: true, event }).collect()
}

fn is_left(state: State) -> bool {
    let accepts = |kind: &EventKind| {
        let (least, greatest) = kind.bounds();
        (least..=greatest).any(|it| claim::step(state, kind.event(it), &|_| true).is_ok())
    };
    EventKind::ALL.iter().any(accepts)
}

fn any_event(rng: &mut SmallRng) -> Event {
    let kind = EventKind::ALL[rng.random_range(..EventKind::ALL.len())];
    let (least, greatest) = kind.bounds();
    let statuses = [200, 201, 202, 204, 400, 404, 409, 500, 503];
    let number = match least == greatest {
        true => least,
        false => statuses[rng.random_range(..statuses.len())],
    };
    kind.event(number)
}
