//! One machine for each bundled table.
#![no_std]

turnstile_macros::machine!(bundled "byte-range-lock");
turnstile_macros::machine!(bundled "claim");
turnstile_macros::machine!(bundled "claim-record");
turnstile_macros::machine!(bundled "group-lock-client");
turnstile_macros::machine!(bundled "group-lock-coordinator");
turnstile_macros::machine!(bundled "lock-member");
turnstile_macros::machine!(bundled "lock-mutex");
turnstile_macros::machine!(bundled "lock-status");
turnstile_macros::machine!(bundled "server-lock");
turnstile_macros::machine!(bundled "view-handler");
