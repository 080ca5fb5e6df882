//! The key of a value in a store.

/// The greatest kind: the highest bit of its byte is free.
const KIND_MAX: u8 = 127;

/// The key of a value: a kind, and a number if there are several values of that kind. Keys are
/// ordered by kind, then by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub(crate) kind: u8,
    pub(crate) number: Option<u64>,
}

impl Key {
    /// The key of the only value of a kind; the kind is 1 to 127.
    #[must_use]
    pub const fn single(kind: u8) -> Self {
        Self::new(kind, None)
    }

    /// The key of one of several values of a kind; the kind is 1 to 127.
    #[must_use]
    pub const fn numbered(kind: u8, number: u64) -> Self {
        Self::new(kind, Some(number))
    }

    const fn new(kind: u8, number: Option<u64>) -> Self {
        assert!(kind > 0 && kind <= KIND_MAX, "a kind is 1 to 127");
        Self { kind, number }
    }

    /// The kind, 1 to 127.
    #[must_use]
    pub const fn kind(self) -> u8 {
        self.kind
    }

    /// The number, where there are several values of the kind.
    #[must_use]
    pub const fn number(self) -> Option<u64> {
        self.number
    }
}
