//! Values by number and numbers by value.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use crate::fingerprint::BuildStable;
use crate::space::NUMBER_BITS;

/// A value with its hash, which is worked out once and by whoever made the value.
#[derive(Debug)]
pub(super) struct Hashed<T> {
    hash: u64,
    value: Arc<T>,
}

impl<T: Hash> Hashed<T> {
    pub(super) fn new(value: T) -> Self {
        Self::with(BuildStable::default().hash_one(&value), value)
    }

    /// A value whose hash is known: equal values have equal ones.
    pub(super) fn with(hash: u64, value: T) -> Self {
        Self { hash, value: Arc::new(value) }
    }
}

impl<T> Clone for Hashed<T> {
    fn clone(&self) -> Self {
        Self { hash: self.hash, value: Arc::clone(&self.value) }
    }
}

impl<T: PartialEq> PartialEq for Hashed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && self.value == other.value
    }
}

impl<T: Eq> Eq for Hashed<T> {}

impl<T> Hash for Hashed<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// The values met so far.
#[derive(Debug)]
pub(super) struct Interner<T> {
    values: Vec<Arc<T>>,
    numbers: HashMap<Hashed<T>, u32, BuildStable>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), numbers: HashMap::default() }
    }
}

impl<T: Eq + Hash> Interner<T> {
    /// The number of a value: the next one if it is new.
    pub(super) fn number(&mut self, value: Hashed<T>) -> u32 {
        if let Some(&number) = self.numbers.get(&value) {
            return number;
        }
        let number = u32::try_from(self.values.len()).expect("far fewer than NUMBER_BITS allow");
        assert!(number < 1 << NUMBER_BITS, "a place has too many different parts");
        self.values.push(Arc::clone(&value.value));
        self.numbers.insert(value, number);
        number
    }

    /// The value of a number.
    pub(super) fn value(&self, number: u32) -> &Arc<T> {
        &self.values[number as usize]
    }

    /// Values in all.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }
}
