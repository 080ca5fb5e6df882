//! A range of byte addresses: `(O,+L)`, the addresses `O` to `O+L-1`. It is never empty and never
//! goes beyond the last address.

use core::fmt;

use turnstile_step::Symbolic;

/// The byte addresses from [`ByteRange::first`] to [`ByteRange::last`], both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "data::Ends"))]
pub struct ByteRange {
    first: u64,
    last: u64,
}

/// Why an offset and a length make no range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RangeError {
    /// A length of zero: a lock of no byte would conflict with nothing and protect nothing.
    Empty,
    /// Its last byte would have an address beyond 2^64 - 1.
    BeyondTheEnd,
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "a range has at least one byte, but this length is 0",
            Self::BeyondTheEnd => "a range must end at address 2^64 - 1 or before",
        })
    }
}

impl core::error::Error for RangeError {}

impl ByteRange {
    /// All addresses.
    pub const ALL: Self = Self { first: 0, last: u64::MAX };

    /// The range `(offset,+length)`, in bytes.
    ///
    /// # Errors
    ///
    /// The length is zero, or the last address exceeds 2^64 - 1.
    pub const fn new(offset: u64, length: u64) -> Result<Self, RangeError> {
        if length == 0 {
            return Err(RangeError::Empty);
        }
        match offset.checked_add(length - 1) {
            Some(last) => Ok(Self { first: offset, last }),
            None => Err(RangeError::BeyondTheEnd),
        }
    }

    /// The one byte of an address.
    #[must_use]
    pub const fn byte(address: u64) -> Self {
        Self { first: address, last: address }
    }

    /// The first address.
    #[must_use]
    pub const fn first(self) -> u64 {
        self.first
    }

    /// The last address.
    #[must_use]
    pub const fn last(self) -> u64 {
        self.last
    }

    /// Whether an address is in it.
    #[must_use]
    pub const fn contains(self, address: u64) -> bool {
        self.first <= address && address <= self.last
    }

    /// Whether some address is in both.
    #[must_use]
    pub const fn overlaps(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// As the document writes it, `0,+3`; all addresses, whose length is no u64, are `all`.
impl fmt::Display for ByteRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.last - self.first).checked_add(1) {
            Some(length) => write!(f, "{},+{length}", self.first),
            None => f.write_str("all"),
        }
    }
}

/// The serde form of a range: its first and its last address.
#[cfg(feature = "serde")]
mod data {
    use super::{ByteRange, RangeError};

    #[derive(serde::Deserialize)]
    pub(super) struct Ends {
        first: u64,
        last: u64,
    }

    impl TryFrom<Ends> for ByteRange {
        type Error = RangeError;

        fn try_from(Ends { first, last }: Ends) -> Result<Self, RangeError> {
            if first > last { Err(RangeError::Empty) } else { Ok(Self { first, last }) }
        }
    }
}
