//! The faults of a simulated network, counted.

/// The counts of faults so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Messages lost by chance.
    pub lost: u64,
    /// Messages lost because the link was cut when they were sent or would have arrived.
    pub cut: u64,
    /// Messages lost because their receiver had left.
    pub absent: u64,
    /// Lost messages that were handed back.
    pub told: u64,
    /// Messages that were duplicated.
    pub duplicated: u64,
    /// Messages that overtook an earlier one.
    pub overtaking: u64,
}
