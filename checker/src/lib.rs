//! The checker: a World of shipped cores, searches over it, and reports.

pub mod amend;
pub mod check;
pub mod mutate;
pub mod read;
pub mod reference;
pub mod report;
pub mod systems;
pub mod table;
