//! Views of a group: who its members are, in order, and who leads them.
//!
//! What a view is stands in [`types`]. Nothing in here decides who is alive.

mod types;

pub use types::{MemberId, Members, View};
