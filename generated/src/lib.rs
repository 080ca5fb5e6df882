//! One machine for each bundled table.
#![no_std]
