//! One machine for each bundled table.
#![no_std]

turnstile_macros::machine!(bundled "claim", literal);
turnstile_macros::machine!(bundled "claim-record");
