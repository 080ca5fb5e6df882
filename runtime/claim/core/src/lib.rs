#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

pub mod client;
mod display;
pub mod keychain;
pub mod message;
pub mod number;
pub mod record;
pub mod scenario;
pub mod store;
