//! The checker: a World of shipped cores, searches over it, and reports.

pub mod amend;
pub mod mutate;
pub mod parts;
pub mod read;
pub mod report;
pub mod search;
pub mod systems;
pub mod table;
pub mod world;
