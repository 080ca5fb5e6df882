//! Cells: with a row or an entry that says why there is none.

pub(crate) mod cells;
pub(crate) mod covered;
pub(crate) mod impossible;
pub(crate) mod timers;
pub(crate) mod unspecified;
