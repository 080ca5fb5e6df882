#![doc = include_str!("../README.md")]

mod cache;
#[cfg(feature = "claims")]
pub mod claims;
mod error;
mod file_server;
pub mod local;
mod lock;
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
pub use lock::{Access, BYTES_END, HeldLock, LockRequest, Owner, WHOLE_FILE};
pub use manager::{File, FileNumber, Manager, Options, Ticket};
pub use turnstile_byte_range_lock_core::locks::LockType;
pub use turnstile_byte_range_lock_core::{ByteRange, RangeError};
