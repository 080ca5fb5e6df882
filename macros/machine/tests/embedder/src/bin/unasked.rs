//! Forms of a machine that its call does not ask for.

turnstile_machine::machine!("tables/door.yaml");

use door_lock::{Event, State, step_into, typestate::begin};

fn main() {
    begin();
    let _ = step_into(State::Shut, Event::Knock, &|_| true, |_| ());
}
