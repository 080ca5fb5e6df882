//! What a check says: results, diagnostics, observations and an exit status.

pub(crate) mod coverage;
pub mod fault;
pub mod observations;
pub(crate) mod places;
pub mod result;
pub mod status;
