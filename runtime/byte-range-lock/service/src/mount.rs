//! A file system that passes a directory on, and whose locks are those of a [`crate::Manager`].
//!
//! Each request of the kernel is handled on one of a few threads, and is answered there, except for
//! a lock that has to wait: its answer comes when it is granted, or when a signal withdraws it.

mod attributes;
mod data;
mod descriptors;
mod directories;
mod handles;
mod inodes;
mod kernel;
mod locks;
mod names;
mod options;
mod place;
mod reopen;
mod seen;
mod serve;
mod stat;
mod volume;
mod waits;
mod watch;
mod xattrs;

pub use options::{Locking, MountOptions};
pub use place::unmount;
pub use serve::Mount;
pub use watch::{abort_of, watch};
