#![doc = include_str!("../README.md")]

use std::sync::LazyLock;

use turnstile_harness::Systems;

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
