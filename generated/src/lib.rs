//! One machine for each bundled table.
#![no_std]

turnstile_machine::machine!(bundled "byte-range-lock");
turnstile_machine::machine!(bundled "claim", typestate, step_into);
turnstile_machine::machine!(bundled "claim-record");
turnstile_machine::machine!(bundled "group-lock-client");
turnstile_machine::machine!(bundled "group-lock-coordinator");
turnstile_machine::machine!(bundled "lock-member");
turnstile_machine::machine!(bundled "lock-mutex");
turnstile_machine::machine!(bundled "lock-status");
turnstile_machine::machine!(bundled "server-lock");
turnstile_machine::machine!(bundled "view-handler");
