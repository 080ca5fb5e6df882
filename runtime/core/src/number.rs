//! Numbers that grow for ever: fencing tokens, claim ids, epochs.
//!
//! A core may mint, copy and compare such a number, never add to it, print it or index by it. So
//! the checker may give the numbers of a world other values after each step without changing what
//! can happen, and a protocol that mints for ever has a finite graph: as far as [`Order`] says
//! what a mint looks at.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::fmt;

/// A family of numbers that are compared with each other and with no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// Its name, unique in a system: `claim id`.
    pub name: &'static str,
    /// What is compared.
    pub order: Order,
}

/// What is asked of the numbers of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// Only whether two are the same: they may be renamed in any way.
    Equality,
    /// Also which is greater, and a new one is greater than all: they may be moved closer together,
    /// above zero, which stays where it is.
    Rank,
    /// Also which is greater, and a new one comes after those that its maker knows: it may be one
    /// that there is, or be none. They may be moved closer together, but what are no neighbours do
    /// not become neighbours.
    Count,
}

/// A value whose growing numbers can be reached.
pub trait Numbers {
    /// Calls `each` with every number of the value, in an order that does not depend on what the
    /// numbers of an equality class are. `each` may replace them, by others that are equal, or in
    /// an ordered class in the same order, wherever they were.
    ///
    /// Nothing else may change: what is derived from something else, such as an index, is visited
    /// itself, entry by entry, so that one that is wrong stays wrong. Collections that sort by a
    /// number are sorted again afterwards.
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64));
}

/// A value without any growing number.
#[macro_export]
macro_rules! without_numbers {
    ($($type:ty),* $(,)?) => {$(
        impl $crate::number::Numbers for $type {
            fn visit(&mut self, _each: &mut dyn FnMut($crate::number::Class, &mut u64)) {}
        }
    )*};
}

without_numbers!((), bool, u8, u16);

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident: $class:literal, $order:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u64);

        impl $name {
            /// The family of these numbers.
            pub const CLASS: Class = Class { name: $class, order: Order::$order };

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
            fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
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
    /// A fencing token: minted when a claim becomes active, greater than every one before it.
    Token: "token", Rank;
    /// A claim's id at the server, greater than that of every claim posted before it.
    ClaimId: "claim id", Rank;
    /// What makes a repeated POST the same claim. Drawn by the caller, unique for ever.
    IdempotencyKey: "idempotency key", Equality;
    /// A view's number: greater than that of every view that it follows.
    ViewId: "view id", Count;
    /// A byte-range lock's place in its file's list: greater than that of every lock before it.
    LockId: "lock", Rank;
    /// What a file server counts up whenever a file's contents change.
    DataVersion: "data version", Rank;
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

impl DataVersion {
    /// Mints the number of the contents that come after these.
    #[must_use]
    pub(crate) const fn next(self) -> Self {
        Self(self.0.strict_add(1))
    }
}

impl LockId {
    /// The number of the lock that is put at the end of the list after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.strict_add(1))
    }
}

impl ViewId {
    /// Mints the number of a view that follows these.
    ///
    /// Groups that do not know of each other may mint the same one: views are told apart by their
    /// numbers and their coordinators.
    #[must_use]
    pub fn after(views: impl IntoIterator<Item = Self>) -> Self {
        Self(views.into_iter().map(|view| view.0).max().unwrap_or_default().strict_add(1))
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

impl<T: Numbers> Numbers for Option<T> {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        if let Some(part) = self {
            part.visit(each);
        }
    }
}

impl<T: Numbers> Numbers for Box<T> {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        (**self).visit(each);
    }
}

impl<T: Numbers> Numbers for Vec<T> {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        for part in self {
            part.visit(each);
        }
    }
}

/// Keys are numbers of an ordered class, so the order of visits is that of the map.
impl<K: Numbers + Ord, V: Numbers> Numbers for BTreeMap<K, V> {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        let entries = core::mem::take(self).into_iter().map(|(mut key, mut value)| {
            key.visit(each);
            value.visit(each);
            (key, value)
        });
        *self = entries.collect();
    }
}

impl<K: Numbers + Ord> Numbers for BTreeSet<K> {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        let keys = core::mem::take(self).into_iter().map(|mut key| {
            key.visit(each);
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
        assert_eq!(seen, [(ClaimId::CLASS, 4), (Token::CLASS, 30), (ClaimId::CLASS, 9)]);
        assert_eq!(map, [(ClaimId::new(1), Some(Token::new(7))), (ClaimId::new(2), None)].into());
    }
}
