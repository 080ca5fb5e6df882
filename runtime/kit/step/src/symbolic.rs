//! Symbolic numbers (scalarsets and their ordered kin): fencing tokens, ids and epochs, which only
//! grow and which a checker may rename.
//!
//! A core may create, copy and compare such a number, but not add to it, print it or index by it.
//! So the checker may rename the numbers of a world after each step without changing its behaviour,
//! and a protocol that counts without bound has a finite state graph. [`Order`] limits the renaming
//! to one that preserves every comparison a core makes.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

/// A class of numbers. Numbers are compared within their class only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdClass {
    /// Its name, unique in a system: `claim id`.
    pub name: &'static str,
    /// The comparisons that a core makes.
    pub order: Order,
}

/// The comparisons that a core makes between numbers of a class, which a renaming preserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// Equality only: any injective renaming.
    Equality,
    /// Equality and order, where a new number is greater than all: any renaming that preserves the
    /// order and zero.
    Rank,
    /// Equality and order, where a new number is the successor of those that its creator knows, and
    /// so may already exist: any renaming that preserves the order and makes no two numbers
    /// adjacent that were not.
    Count,
}

/// A value whose symbolic numbers can be visited.
///
/// `#[derive(Symbolic)]` visits every field in order, except one with `#[symbolic(skip)]`: a field
/// without symbolic numbers whose type is foreign, or a collection not worth walking. Of a map with
/// `#[symbolic(values)]`, whose keys hold no symbolic number, it visits the values.
pub trait Symbolic {
    /// Calls `each` with every symbolic number of the value, in an order that does not depend on
    /// the numbers of an equality class. `each` may replace them by a renaming that its class
    /// allows.
    ///
    /// Nothing else may change. Derived data, such as an index, is visited entry by entry and not
    /// rebuilt, so that a wrong index stays wrong. Collections sorted by a number are sorted again.
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64));
}

/// Implements [`Symbolic`] for types without symbolic numbers, and for all types of a core that
/// only runs on a host: a checker searches such a core, too, but never treats two of its numbers
/// alike.
#[macro_export]
macro_rules! not_symbolic {
    (<$param:ident: $bound:path> $($type:ty),* $(,)?) => {$(
        impl<$param: $bound> $crate::Symbolic for $type {
            fn visit_ids(&mut self, _each: &mut dyn FnMut($crate::IdClass, &mut u64)) {}
        }
    )*};
    ($($type:ty),* $(,)?) => {$(
        impl $crate::Symbolic for $type {
            fn visit_ids(&mut self, _each: &mut dyn FnMut($crate::IdClass, &mut u64)) {}
        }
    )*};
}

not_symbolic!((), bool, char, u8, u16, u32, u64, usize, String, &'static str);

impl<T: Symbolic> Symbolic for Option<T> {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        if let Some(part) = self {
            part.visit_ids(each);
        }
    }
}

impl<T: Symbolic> Symbolic for Box<T> {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        (**self).visit_ids(each);
    }
}

impl<T: Symbolic> Symbolic for Vec<T> {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        for part in self {
            part.visit_ids(each);
        }
    }
}

impl<A: Symbolic, B: Symbolic> Symbolic for (A, B) {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        self.0.visit_ids(each);
        self.1.visit_ids(each);
    }
}

/// The keys are numbers of an ordered class, so the order of visits is that of the map.
impl<K: Symbolic + Ord, V: Symbolic> Symbolic for BTreeMap<K, V> {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        let entries = core::mem::take(self).into_iter().map(|(mut key, mut value)| {
            key.visit_ids(each);
            value.visit_ids(each);
            (key, value)
        });
        *self = entries.collect();
    }
}

impl<K: Symbolic + Ord> Symbolic for BTreeSet<K> {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        let keys = core::mem::take(self).into_iter().map(|mut key| {
            key.visit_ids(each);
            key
        });
        *self = keys.collect();
    }
}
