#![doc = include_str!("../README.md")]
#![no_std]

turnstile_machine::machine!("tables/byte-range-lock.yaml");
turnstile_machine::machine!("tables/claim.yaml", typestate, step_into);
turnstile_machine::machine!("tables/claim-record.yaml");
turnstile_machine::machine!("tables/group-lock-client.yaml");
turnstile_machine::machine!("tables/group-lock-coordinator.yaml");
turnstile_machine::machine!("tables/lock-member.yaml");
turnstile_machine::machine!("tables/lock-mutex.yaml");
turnstile_machine::machine!("tables/lock-status.yaml");
turnstile_machine::machine!("tables/server-lock.yaml");
turnstile_machine::machine!("tables/view-handler.yaml");
