#![doc = include_str!("../README.md")]
#![no_std]

turnstile_machine::machine!(
    "tables/claim.yaml",
    typestate,
    step_into,
    diagram("docs/claim.overview.svg")
);
turnstile_machine::machine!("tables/claim-record.yaml", diagram("docs/claim-record.overview.svg"));
