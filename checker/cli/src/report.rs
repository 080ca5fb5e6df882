//! Results as text: for a terminal, and for other programs.

pub mod amended;
pub mod fairness;
pub mod junit;
pub mod mutated;
mod notes;
pub mod paint;
pub mod sarif;
pub mod summary;
pub mod text;
pub mod trace;
