#![doc = include_str!("../README.md")]

mod cache;
#[cfg(feature = "claims")]
pub mod claims;
mod error;
mod file_server;
pub mod local;
mod manager;
#[cfg(feature = "mount")]
pub mod mount;
mod replace;
mod request;
mod service;
mod steps;

pub use cache::{CachedFile, PlainFile};
pub use error::LockError;
pub use file_server::{FileServer, Lapse, Reply, ServerLock};
pub use manager::{
    Access, BYTES_END, File, FileNumber, HeldLock, LockRequest, Manager, Options, Owner, Ticket,
    WHOLE_FILE,
};
pub use turnstile_core::ranges::locks::LockType;
pub use turnstile_core::ranges::{ByteRange, RangeError};
