#![doc = include_str!("../README.md")]
#![no_std]

turnstile_machine::machine!("tables/group-lock-client.yaml", diagram("docs/group-lock-client.svg"));
turnstile_machine::machine!(
    "tables/group-lock-coordinator.yaml",
    diagram("docs/group-lock-coordinator.overview.svg")
);
