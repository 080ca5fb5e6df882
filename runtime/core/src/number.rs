//! Numbers that grow for ever: fencing tokens, claim ids, epochs.
//!
//! A core may mint, copy and compare such a number, never add to it, print it or index by it. So
//! the checker may give all numbers of a world other values after each step without changing what
//! can happen, and a protocol that mints for ever has a finite graph. This file never mints.

use alloc::vec::Vec;

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
    /// Also which is greater: they may be moved closer together.
    Rank,
}

/// A value whose growing numbers can be reached.
pub trait Numbers {
    /// Calls `each` with every number of the value, in an order that does not depend on what the
    /// numbers are. Collections that sort by a number must be sorted anew afterwards, in here.
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

impl<T: Numbers> Numbers for Option<T> {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        if let Some(value) = self {
            value.visit(each);
        }
    }
}

impl<T: Numbers> Numbers for Vec<T> {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        self.iter_mut().for_each(|value| value.visit(each));
    }
}
