//! A small durable key-value store with a two-step commit: [`Store::write`], then [`Store::sync`].
//!
//! The store treats values as bytes. A message or a notice that depends on a batch may leave the
//! node only after [`Store::sync`] has returned; [`crate::Host`] ensures that.

mod batch;
mod changes;
mod content;
mod contract;
mod directory;
mod disk;
mod files;
mod format;
mod held;
mod log;
mod medium;
mod new;
mod note;
mod os;
mod recover;
mod refusal;
mod replay;
mod writer;

pub use crate::store::format::key::Key;
pub use batch::{Batch, Image, Visitor};
pub use contract::Store;
pub use directory::{Background, BackgroundWork, Directory, DirectoryFile};
pub use disk::{Disk, DiskStore};
pub use log::{LOG_MAX, LogStore};
pub use medium::{Faults, Medium};
pub use new::{NewDirectory, NewFile, has_files};
pub use note::{Note, NoteValue};
pub use os::OsDirectory;
pub use recover::PreviousUse;
pub use refusal::REMEDY;
