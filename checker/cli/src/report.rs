//! Results as text: for a terminal, and for other programs.

pub mod amended;
pub mod junit;
pub mod mutated;
pub mod paint;
pub mod run;
pub mod sarif;
pub mod summary;
pub mod text;
