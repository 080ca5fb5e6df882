//! What a status leads to must be looked at.
#![deny(unused_must_use)]

use turnstile_claim_machines::claim::typestate::begin;

fn main() {
    let registering = begin().start();
    registering.response(201, &|_| true);
}
