#![doc = include_str!("../README.md")]

mod changes;
mod driver;
mod error;
mod inner;
mod machine;
mod mutex;
mod name;
mod node;
pub mod operation;
mod options;
pub mod presence;
mod sender;
mod service;
pub mod sessions;
mod shared;
mod status;
mod told;
mod turns;

pub use turnstile_replicated_lock_core::types::{Address, LockName, LockStatus};

pub use changes::{Changes, Lagged, StatusChange};
pub use error::LockError;
pub use mutex::{Guard, Mutex};
pub use name::lock_name;
pub use options::Options;
pub use service::LockService;
pub use status::{LockMember, LockState, Status};
