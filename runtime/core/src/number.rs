//! Numbers that grow for ever: a core mints, copies and compares them, and does nothing else.
//!
//! Nothing here is added to, printed into a decision or used as an index. So the checker may
//! renumber them after each step, and a protocol that never ends has a finite graph.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::fmt;

/// What a number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A [`Token`].
    Token,
    /// A [`ClaimId`].
    ClaimId,
    /// An [`IdempotencyKey`].
    IdempotencyKey,
}

impl Class {
    /// Every class.
    pub const ALL: [Self; 3] = [Self::Token, Self::ClaimId, Self::IdempotencyKey];

    /// Whether cores compare numbers of this class by order and not only for equality. Ordered
    /// ones are renumbered densely by rank, the others to the smallest free number.
    #[must_use]
    pub const fn is_ordered(self) -> bool {
        match self {
            Self::Token | Self::ClaimId => true,
            Self::IdempotencyKey => false,
        }
    }
}

/// A part of a state that holds numbers.
pub trait Numbers {
    /// Hands over every number, always in the same order. `see` may replace a number, but must
    /// keep the order of an ordered class and the distinctness of every class.
    fn visit(&mut self, see: &mut dyn FnMut(Class, &mut u64));
}

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident: $class:ident $(, $more:ident)*;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u64);

        impl $name {
            /// A number from outside: a header, a path, a disk.
            #[must_use]
            pub const fn new(number: u64) -> Self {
                Self(number)
            }

            /// The number, for a header, a path, a disk.
            #[must_use]
            pub const fn number(self) -> u64 {
                self.0
            }
        }

        impl Numbers for $name {
            fn visit(&mut self, see: &mut dyn FnMut(Class, &mut u64)) {
                see(Class::$class, &mut self.0);
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
    /// A fencing token: minted when a claim becomes active, greater than every one before it.
    Token: Token;
    /// A claim's id at the server, greater than that of every claim posted before it.
    ClaimId: ClaimId;
    /// What makes a repeated POST the same claim. Drawn by the caller, unique for ever.
    IdempotencyKey: IdempotencyKey;
}

impl Token {
    /// Mints the token that comes after this one.
    #[must_use]
    pub(crate) const fn next(self) -> Self {
        Self(self.0.strict_add(1))
    }
}

impl ClaimId {
    /// Mints the id that comes after this one.
    #[must_use]
    pub(crate) const fn next(self) -> Self {
        Self(self.0.strict_add(1))
    }
}

/// A request of one node that is not yet answered; the smallest number free at that node.
///
/// Finite as it is, so it is not among the [`Numbers`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(u16);

impl CallId {
    /// A call id from outside.
    #[must_use]
    pub const fn new(number: u16) -> Self {
        Self(number)
    }

    /// The number, to find the call by.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The smallest id that is not among those taken, which come in ascending order.
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

impl Numbers for () {
    fn visit(&mut self, _: &mut dyn FnMut(Class, &mut u64)) {}
}

impl<T: Numbers> Numbers for Option<T> {
    fn visit(&mut self, see: &mut dyn FnMut(Class, &mut u64)) {
        if let Some(part) = self {
            part.visit(see);
        }
    }
}

impl<T: Numbers> Numbers for Box<T> {
    fn visit(&mut self, see: &mut dyn FnMut(Class, &mut u64)) {
        (**self).visit(see);
    }
}

impl<T: Numbers> Numbers for Vec<T> {
    fn visit(&mut self, see: &mut dyn FnMut(Class, &mut u64)) {
        for part in self {
            part.visit(see);
        }
    }
}

/// Keys are numbers of an ordered class, so the order of visits is that of the map.
impl<K: Numbers + Ord, V: Numbers> Numbers for BTreeMap<K, V> {
    fn visit(&mut self, see: &mut dyn FnMut(Class, &mut u64)) {
        let entries = core::mem::take(self).into_iter().map(|(mut key, mut value)| {
            key.visit(see);
            value.visit(see);
            (key, value)
        });
        *self = entries.collect();
    }
}

impl<K: Numbers + Ord> Numbers for BTreeSet<K> {
    fn visit(&mut self, see: &mut dyn FnMut(Class, &mut u64)) {
        let keys = core::mem::take(self).into_iter().map(|mut key| {
            key.visit(see);
            key
        });
        *self = keys.collect();
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

    #[test]
    fn a_map_is_visited_in_its_order_and_keeps_its_entries() {
        let mut map: BTreeMap<ClaimId, Option<Token>> =
            [(ClaimId::new(9), None), (ClaimId::new(4), Some(Token::new(30)))].into();
        let mut seen = Vec::new();
        map.visit(&mut |class, number| {
            seen.push((class, *number));
            *number /= 4;
        });
        assert_eq!(seen, [(Class::ClaimId, 4), (Class::Token, 30), (Class::ClaimId, 9)]);
        assert_eq!(map, [(ClaimId::new(1), Some(Token::new(7))), (ClaimId::new(2), None)].into());
    }
}
