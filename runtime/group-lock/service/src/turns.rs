//! Whose turn it is: among the callers of a process, and among members.

pub(crate) mod line;
pub(crate) mod locks;
pub(crate) mod pause;
pub(crate) mod shares;
pub(crate) mod token;
pub(crate) mod users;
