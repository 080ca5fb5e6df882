#![doc = include_str!("../README.md")]

use std::sync::LazyLock;

use turnstile_harness::Systems;
use turnstile_scenario::Protocol;

/// Every bundled system, by name.
pub static SYSTEMS: LazyLock<Systems> = LazyLock::new(|| {
    Systems::new([
        turnstile_system_byte_range_lock::entry(),
        turnstile_system_claim::entry(),
        turnstile_system_group_lock::entry(),
        turnstile_system_replicated_lock::entry(),
        turnstile_system_view_handler::entry(),
    ])
});

/// The protocols of the bundled cores. The first one is used if no node decides.
pub const PROTOCOLS: &[Protocol] = &[
    turnstile_claim_core::scenario::PROTOCOL,
    turnstile_view_handler_core::scenario::PROTOCOL,
    turnstile_group_lock_core::scenario::PROTOCOL,
    turnstile_group_lock_core::stack::scenario::PROTOCOL,
    turnstile_byte_range_lock_core::scenario::PROTOCOL,
    turnstile_replicated_lock_core::scenario::PROTOCOL,
];
