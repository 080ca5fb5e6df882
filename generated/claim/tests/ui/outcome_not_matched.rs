//! An outcome has more than the arms that one wishes for.

use turnstile_claim_machines::claim::typestate::{RegisteringResponse, begin};

fn main() {
    let waiting = match begin().start().response(202, &|_| true) {
        RegisteringResponse::Waiting(waiting) => waiting,
    };
    let _ = waiting.activate_timer_triggers();
}
