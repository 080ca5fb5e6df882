//! A machine that has not begun has asked nothing yet: `new` does not accept `response`.

use turnstile_claim_machines::claim::typestate::begin;

fn main() {
    let _ = begin().response(201, &|_| true);
}
