//! The checker: a World of shipped cores, searches over it, and reports.

pub mod report;
pub mod table;
