//! Whether a lease still runs when the answer that grants it arrives.

use turnstile_step::Symbolic;

/// Whether the lease that an answer grants still runs when the answer arrives.
///
/// The lease counts from the send of the request. The server writes [`Lease::Live`]; the host that
/// delivers the answer knows when the request was sent, and corrects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Lease {
    /// It still runs, and for longer than the answer took: another request that takes as long can
    /// extend it in time.
    Live,
    /// It still runs, but not for as long as the answer took.
    Brief,
    /// It may have expired.
    Lapsed,
}
