//! An actor whose table has rows without an event and several initial states.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use turnstile_actor::{Actor, ActorOptions, Answer};

turnstile_machine::machine!("tests/parcel.yaml");

use parcel::{Durations, Event, Machine, State};

const DURATIONS: Durations = Durations { pick_up_timer: Duration::from_secs(60) };

#[derive(Clone, Default)]
struct Desk {
    is_light: bool,
    done: Arc<Mutex<Vec<(&'static str, Event)>>>,
}

impl Desk {
    fn note(&self, what: &'static str, event: Event) {
        self.done.lock().expect("no method panics in it").push((what, event));
    }

    fn done(&self) -> Vec<(&'static str, Event)> {
        self.done.lock().expect("no method panics in it").clone()
    }
}

impl parcel::Handler for Desk {
    fn print_a_bill(&mut self, event: Event) {
        self.note("bill", event);
    }

    fn hand_over(&mut self, event: Event) {
        self.note("hand over", event);
    }

    fn light(&mut self, _: Event) -> bool {
        self.is_light
    }
}

async fn begun(desk: &Desk, begin: Option<State>) -> std::io::Result<Actor<Machine>> {
    let options = ActorOptions { begin, ..ActorOptions::new(DURATIONS) };
    Actor::<Machine>::alone(Box::new(desk.clone()), options).await
}

#[tokio::test(start_paused = true)]
async fn rows_without_an_event_follow_in_the_same_step() {
    let desk = Desk::default();
    let actor = begun(&desk, None).await.expect("it starts");
    assert_eq!(actor.state(), State::AtTheDesk);
    assert!(matches!(actor.give(Event::Take).await, Ok(Answer::Taken { row: "r1" })));
    // No event finds it weighed, and the handler gets the event of the step.
    assert_eq!(actor.state(), State::OnTheShelf);
    assert_eq!(desk.done(), [("bill", Event::Take)]);
    let mut handle = actor.handle();
    assert_eq!(handle.wait_until(|at| at == State::Sent).await, Ok(State::Sent));
    assert_eq!(desk.done().len(), 2);

    let light = Desk { is_light: true, ..Desk::default() };
    let actor = begun(&light, None).await.expect("it starts");
    assert!(actor.give(Event::Take).await.is_ok());
    assert_eq!((actor.state(), light.done()), (State::OnTheShelf, Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn nobody_gives_the_event_of_such_rows() {
    let actor = begun(&Desk::default(), None).await.expect("it starts");
    assert_eq!(actor.give(Event::Completion).await, Ok(Answer::Refused));
    assert_eq!((actor.state(), actor.counts().refused), (State::AtTheDesk, 1));
}

#[tokio::test(start_paused = true)]
async fn an_actor_begins_in_the_initial_state_that_it_is_told() {
    let desk = Desk::default();
    let actor = begun(&desk, Some(State::InTheBox)).await.expect("it starts");
    assert_eq!(actor.state(), State::InTheBox);
    assert!(actor.give(Event::Stamp).await.is_ok());
    assert_eq!(actor.snapshot().variables["stamps"], "1");
    let refused = begun(&desk, Some(State::Sent)).await.expect_err("it is not initial");
    let what = "`sent` is no initial state of `parcel`: at the desk, in the box";
    assert_eq!(refused.to_string(), what);
}

#[test]
fn a_machine_without_a_core_is_settled_by_hand() {
    let guards = |guard| guard == parcel::Guard::Light;
    let step = parcel::step(State::INITIAL, Event::Take, &guards).expect("a row");
    assert_eq!((step.to, step.to.is_transient()), (State::Weighed, true));
    let next = parcel::settle(step.to, &guards).expect("a row without an event");
    assert_eq!((next.to, next.actions.len()), (State::OnTheShelf, 1));
    assert!(parcel::settle(next.to, &guards).is_none());
    assert_eq!(State::INITIAL_STATES, [State::AtTheDesk, State::InTheBox]);
}
