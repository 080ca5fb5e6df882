#![doc = include_str!("../README.md")]
#![no_std]

turnstile_machine::machine!("tables/view-handler.yaml", diagram("docs/view-handler.overview.svg"));
