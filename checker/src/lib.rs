#![doc = include_str!("../README.md")]

use turnstile_harness::Systems;

/// Every bundled system, by name.
pub static SYSTEMS: Systems = Systems(&[
    &turnstile_system_byte_range_lock::ENTRY,
    &turnstile_system_claim::ENTRY,
    &turnstile_system_group_lock::ENTRY,
    &turnstile_system_replicated_lock::ENTRY,
    &turnstile_system_view_handler::ENTRY,
]);
