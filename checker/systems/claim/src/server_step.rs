//! Checks of one step of the server, which compare its states before and after.

mod answers;
pub(crate) mod queue;
pub(crate) mod saves;
pub(crate) mod statuses;
