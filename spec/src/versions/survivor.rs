//! Mutants that no check detects.

use crate::span::Span;

/// A mutant that is declared to survive; the checker verifies the declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedMutant {
    /// The changed row, as the checker names it.
    pub row: String,
    /// The change, as the checker names it.
    pub change: String,
    /// Why no property can detect it, or what could.
    pub because: String,
    /// Whether no property can detect it.
    pub is_equivalent: bool,
    /// Its position in the file.
    pub span: Span,
}
