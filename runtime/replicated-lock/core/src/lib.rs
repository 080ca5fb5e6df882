#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod addresses;
mod context;
mod display;
mod locks;
mod member;
pub mod message;
mod mutex;
mod resets;
pub mod scenario;
mod state;
mod step;
pub mod types;

pub use locks::{Lock, Locks, Service, StatusChange};
pub use member::Member;
pub use state::{Lag, Mutex, State};
