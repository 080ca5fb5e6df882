//! Results as text: for a terminal, and for other programs.

pub mod amended;
mod detail;
pub mod fairness;
pub mod junit;
pub mod mutated;
mod notes;
pub mod paint;
pub mod sarif;
mod size;
pub mod summary;
pub mod text;
pub mod trace;
