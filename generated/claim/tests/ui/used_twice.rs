//! A machine that has moved on is where it was no longer.

use turnstile_claim_machines::claim::typestate::begin;

fn main() {
    let machine = begin();
    let _ = machine.start();
    let _ = machine.start();
}
