//! The [`Symbolic`] numbers that several cores share, and how a core declares its own.

use core::fmt;

use turnstile_step::Symbolic;

/// Declares [`Symbolic`] numbers: their name, the name of their class and its order.
///
/// The crate depends on `turnstile-step`, and on serde if it has the feature `serde`.
#[macro_export]
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident: $class:literal, $order:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(u64);

        impl $name {
            /// The class of these numbers.
            pub const CLASS: $crate::step::IdClass =
                $crate::step::IdClass { name: $class, order: $crate::step::Order::$order };

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

        impl $crate::step::Symbolic for $name {
            fn visit_ids(&mut self, each: &mut dyn FnMut($crate::step::IdClass, &mut u64)) {
                each(Self::CLASS, &mut self.0);
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(&self.0, f)
            }
        }
    )*};
}

numbers! {
    /// A fencing token, minted when a lock is granted. Greater than every token before it.
    Token: "token", Rank;
}

impl Token {
    /// Mints the next token.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.strict_add(1))
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
    pub fn smallest_free(taken: impl Iterator<Item = Self>) -> Self {
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
    }
}
