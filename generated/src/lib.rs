#![doc = include_str!("../README.md")]
#![no_std]

turnstile_machine::machine!(
    "tables/byte-range-lock.yaml",
    diagram("docs/byte-range-lock.overview.svg")
);
turnstile_machine::machine!(
    "tables/claim.yaml",
    typestate,
    step_into,
    diagram("docs/claim.overview.svg")
);
turnstile_machine::machine!("tables/claim-record.yaml", diagram("docs/claim-record.overview.svg"));
turnstile_machine::machine!("tables/group-lock-client.yaml", diagram("docs/group-lock-client.svg"));
turnstile_machine::machine!(
    "tables/group-lock-coordinator.yaml",
    diagram("docs/group-lock-coordinator.overview.svg")
);
turnstile_machine::machine!("tables/lock-member.yaml", diagram("docs/lock-member.svg"));
turnstile_machine::machine!("tables/lock-mutex.yaml", diagram("docs/lock-mutex.overview.svg"));
turnstile_machine::machine!("tables/lock-status.yaml", diagram("docs/lock-status.svg"));
turnstile_machine::machine!("tables/server-lock.yaml", diagram("docs/server-lock.overview.svg"));
turnstile_machine::machine!("tables/view-handler.yaml", diagram("docs/view-handler.overview.svg"));
