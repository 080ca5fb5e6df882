//! The [`Symbolic`] numbers of the cores: fencing tokens, claim ids, views.

use core::fmt;

use turnstile_step::{IdClass, Order, Symbolic};

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident: $class:literal, $order:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(u64);

        impl $name {
            /// The class of these numbers.
            pub const CLASS: IdClass = IdClass { name: $class, order: Order::$order };

            /// A number that was read from a header, a path or a disk.
            #[must_use]
            pub const fn new(number: u64) -> Self {
                Self(number)
            }

            /// The number, to be written to a header, a path or a disk.
            #[must_use]
            pub const fn number(self) -> u64 {
                self.0
            }
        }

        impl Symbolic for $name {
            fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
                each(Self::CLASS, &mut self.0);
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

numbers! {
    /// A fencing token, minted when a claim becomes active. Greater than every token before it.
    Token: "token", Rank;
    /// A claim's id at the server. Greater than the id of every claim posted before it.
    ClaimId: "claim id", Rank;
    /// The idempotency key of a POST: a POST with the same key is the same claim. The client draws
    /// it at random; it is never reused.
    IdempotencyKey: "idempotency key", Equality;
    /// A view's number. Greater than the number of every view that it follows.
    ViewId: "view id", Count;
    /// A byte-range lock's place in its file's list. Greater than that of every lock before it.
    LockId: "lock", Rank;
    /// The version of a file's contents; the file server increments it at every change.
    DataVersion: "data version", Rank;
}

impl Token {
    /// Mints the next token.
    #[must_use]
    pub(crate) const fn next(self) -> Self {
        Self(self.0.strict_add(1))
    }
}

impl ClaimId {
    /// Mints the next id.
    #[must_use]
    pub(crate) const fn next(self) -> Self {
        Self(self.0.strict_add(1))
    }
}

impl DataVersion {
    /// The version of the changed contents.
    #[must_use]
    pub(crate) const fn next(self) -> Self {
        Self(self.0.strict_add(1))
    }
}

impl LockId {
    /// The number of the next lock of the list.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.strict_add(1))
    }
}

impl ViewId {
    /// Mints the number of a view that follows these.
    ///
    /// Groups that do not know each other may mint the same number. A view is identified by its
    /// number and its coordinator.
    #[must_use]
    pub fn after(views: impl IntoIterator<Item = Self>) -> Self {
        Self(views.into_iter().map(|view| view.0).max().unwrap_or_default().strict_add(1))
    }
}

/// The id of an outstanding request of one node: the smallest number free at that node.
///
/// It is bounded, so it is not a symbolic number and no visit shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CallId(u16);

impl CallId {
    /// A call id that was read from a message.
    #[must_use]
    pub const fn new(number: u16) -> Self {
        Self(number)
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The smallest id that is not in `taken`, which is in ascending order.
    #[must_use]
    pub(crate) fn smallest_free(taken: impl Iterator<Item = Self>) -> Self {
        let mut free = Self(0);
        for call in taken {
            if call > free {
                break;
            }
            free = Self(call.0.strict_add(1));
        }
        free
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_free_call_fills_the_first_gap() {
        let free = |taken: &[u16]| CallId::smallest_free(taken.iter().copied().map(CallId::new));
        assert_eq!(free(&[]), CallId::new(0));
        assert_eq!(free(&[0, 1]), CallId::new(2));
        assert_eq!(free(&[0, 2]), CallId::new(1));
        assert_eq!(free(&[1]), CallId::new(0));
    }

    #[test]
    fn a_minted_number_is_greater_than_the_one_before() {
        assert!(Token::new(7).next() > Token::new(7));
        assert!(ClaimId::new(7).next() > ClaimId::new(7));
    }
}
