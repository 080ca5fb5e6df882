//! The claim server by the table that is baked in, one hand-written expectation per rule.

mod additions;
mod random;
mod run;
mod wire;
