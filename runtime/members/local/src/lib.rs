#![doc = include_str!("../README.md")]

mod arguments;
mod arrivals;
mod certificates;
mod client;
mod hold;
mod places;
mod program;
mod run;
mod serve;
mod service;
mod socket;
mod wire;

pub use turnstile_supervisor::{REAP, reap};

pub use arguments::{RunArgs, parse, users};
pub use certificates::MemberCertificates;
pub use client::Client;
pub use hold::Times;
pub use program::{Failure, Program, print};
pub use service::{LockGuard, Service, UnlockError, Work};
pub use socket::{Socket, raise_open_files};
pub use wire::{LockRequest, UserToken};
