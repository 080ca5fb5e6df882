#![doc = include_str!("../README.md")]
#![no_std]

turnstile_machine::machine!(
    "tables/byte-range-lock.yaml",
    diagram("docs/byte-range-lock.overview.svg")
);
turnstile_machine::machine!("tables/server-lock.yaml", diagram("docs/server-lock.overview.svg"));
