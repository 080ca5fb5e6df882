//! Places in a file.

use std::ops::Range;

/// A range of a file, in bytes of its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A range of bytes, clamped to 4 GiB; the reader refuses larger files.
    #[must_use]
    pub fn of(range: &Range<usize>) -> Self {
        let clamp = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        Self { start: clamp(range.start), end: clamp(range.end) }
    }
}
