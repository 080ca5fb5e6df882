//! An interner: values by index and indices by value.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use crate::fingerprint::BuildStableHasher;
use crate::storage::state_vector::INDEX_BITS;

/// A value with its hash, computed once, outside of any lock.
#[derive(Debug)]
pub(crate) struct Hashed<T> {
    hash: u64,
    value: Arc<T>,
}

impl<T: Hash> Hashed<T> {
    pub(super) fn new(value: T) -> Self {
        Self::with(BuildStableHasher::default().hash_one(&value), value)
    }

    /// A value whose hash is known: equal values have equal ones.
    pub(super) fn with(hash: u64, value: T) -> Self {
        Self { hash, value: Arc::new(value) }
    }

    /// The value.
    pub(crate) fn value(&self) -> &T {
        &self.value
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

/// The values interned so far.
#[derive(Debug)]
pub(crate) struct Interner<T> {
    values: Vec<Arc<T>>,
    indices: HashMap<Hashed<T>, u32, BuildStableHasher>,
}

impl<T> Clone for Interner<T> {
    fn clone(&self) -> Self {
        Self { values: self.values.clone(), indices: self.indices.clone() }
    }
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), indices: HashMap::default() }
    }
}

impl<T: Eq + Hash> Interner<T> {
    /// The index of a value, below `1 << INDEX_BITS`: the next one if the value is new.
    pub(super) fn intern(&mut self, value: Hashed<T>) -> u32 {
        if let Some(&index) = self.indices.get(&value) {
            return index;
        }
        let index = u32::try_from(self.values.len()).expect("far fewer than INDEX_BITS allow");
        assert!(index < 1 << INDEX_BITS, "a place has too many different parts");
        self.values.push(Arc::clone(&value.value));
        self.indices.insert(value, index);
        index
    }

    /// The value with this index.
    pub(crate) fn value(&self, index: u32) -> &Arc<T> {
        &self.values[index as usize]
    }

    /// The values from an index on.
    pub(super) fn values_from(&self, index: usize) -> impl Iterator<Item = &Arc<T>> {
        self.values[index..].iter()
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }
}
