//! One machine for each bundled table.
#![no_std]

// The emitted text itself, until the reader can hand its table to the macro.
include!("bringup.rs");
