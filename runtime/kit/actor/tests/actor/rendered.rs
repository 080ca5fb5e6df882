//! Rust that is checked in instead of a proc macro: the module that `turnstile render --to rust`
//! has written steps as the macro's does, and runs as an actor.

use std::time::Duration;

use turnstile_actor::{Actor, Answer};
use turnstile_machine::Machine as _;

turnstile_machine::machine!("tests/order.yaml");

mod checked_in {
    include!("../checked_in/order.rs");
}

use checked_in::order as written;

const EVENTS: [(order::Event, written::Event); 3] = [
    (order::Event::Place, written::Event::Place),
    (order::Event::Paid, written::Event::Paid),
    (order::Event::PaymentTimerFires, written::Event::PaymentTimerFires),
];

#[test]
fn both_take_the_same_rows() {
    assert_eq!(order::Machine::TABLE, written::Machine::TABLE);
    for (state, other) in order::State::ALL.iter().zip(written::State::ALL) {
        for (event, twin) in EVENTS {
            for answer in [false, true] {
                let macros = order::step(*state, event, &|_| answer);
                let checked_in = written::step(*other, twin, &|_| answer);
                assert_eq!(format!("{macros:?}"), format!("{checked_in:?}"));
            }
        }
    }
}

struct Shop;

impl written::Handler for Shop {
    fn ship(&mut self, _: written::Event) {}

    fn apologise(&mut self, _: written::Event) {}

    fn there_is_stock(&mut self, _: written::Event) -> bool {
        true
    }
}

#[tokio::test(start_paused = true)]
async fn it_runs_as_an_actor() {
    let durations = written::Durations { payment_timer: Duration::from_secs(900) };
    let spawned = Actor::<written::Machine>::spawn(Box::new(Shop), durations).await;
    let order = spawned.expect("the durations are fine");
    let placed = order.give(written::Event::Place).await.expect("it runs");
    assert!(matches!(placed, Answer::Taken { .. }), "{placed:?}");
    let ended = order.stop(Duration::from_secs(1)).await.expect("it stops");
    assert_eq!(ended.snapshot.state, "awaiting payment");
}
