#![doc = include_str!("../README.md")]
#![no_std]

#[doc(inline)]
pub use turnstile_byte_range_lock_machines::*;
#[doc(inline)]
pub use turnstile_claim_machines::*;
#[doc(inline)]
pub use turnstile_group_lock_machines::*;
#[doc(inline)]
pub use turnstile_replicated_lock_machines::*;
#[doc(inline)]
pub use turnstile_view_handler_machines::*;
