//! How much a report says.

/// The detail of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// A line for each property; sentences only for what fails. Of mutants, those without a reason.
    Brief,
    /// `--verbose`: each property's sentence, its assumptions and the figures, too.
    Full,
}

impl Detail {
    /// As `--verbose` asks for it.
    #[must_use]
    pub const fn of(is_verbose: bool) -> Self {
        if is_verbose { Self::Full } else { Self::Brief }
    }
}
