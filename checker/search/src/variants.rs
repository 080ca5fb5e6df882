//! Variants of a system, judged by what a search of it has recorded: of a mutant, only the
//! operations that it changes are run again.

mod changes;
mod recording;
mod variant;

pub use crate::variants::changes::Changes;
pub use crate::variants::recording::Recording;
pub use crate::variants::variant::{Judged, Tags, VariantLimits, VariantOutcome};
