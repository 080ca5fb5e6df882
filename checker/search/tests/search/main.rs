//! Searches of small systems, many of them random, beside their definitions.

mod every;
mod expander;
mod fair;
mod random;
mod variants;
