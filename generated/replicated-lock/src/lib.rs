#![doc = include_str!("../README.md")]
#![no_std]

turnstile_machine::machine!("tables/lock-member.yaml", diagram("docs/lock-member.svg"));
turnstile_machine::machine!("tables/lock-mutex.yaml", diagram("docs/lock-mutex.overview.svg"));
turnstile_machine::machine!("tables/lock-status.yaml", diagram("docs/lock-status.svg"));
