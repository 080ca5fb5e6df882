//! A map and a set as sorted vectors, searched by bisection.
//!
//! They replace the standard library's B-tree for the few names of a file: each instance of a
//! B-tree would cost every embedder compile time. Not for large unsorted collections.

use std::borrow::Borrow;

/// A map as a sorted vector.
#[derive(Clone, Debug)]
pub(crate) struct VecMap<K, V>(Vec<(K, V)>);

/// A set as a sorted vector.
pub(crate) type VecSet<K> = VecMap<K, ()>;

impl<K, V> Default for VecMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> VecMap<K, V> {
    /// The position of a key, or where to insert it.
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(known, _)| known.borrow().cmp(key))
    }

    pub(crate) fn has<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }

    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        match self.place(key) {
            Ok(at) => Some(&self.0[at].1),
            Err(_) => None,
        }
    }

    /// Inserts a value; returns the previous one.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, value)),
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        match self.place(key) {
            Ok(at) => Some(self.0.remove(at).1),
            Err(_) => None,
        }
    }

    /// The value under a key, mutable; inserts a default one if there is none.
    pub(crate) fn entry(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        let at = match self.place(&key) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (key, V::default()));
                at
            }
        };
        &mut self.0[at].1
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.0.iter()
    }
}

impl<K: Ord> VecSet<K> {
    /// The keys of a list.
    pub(crate) fn of(keys: impl IntoIterator<Item = K>) -> Self {
        let mut set = Self::default();
        set.add_all(keys);
        set
    }

    /// The keys as a list.
    pub(crate) fn into_keys(self) -> Vec<K> {
        self.0.into_iter().map(|(key, ())| key).collect()
    }

    /// Inserts a key; whether it is new.
    pub(crate) fn add(&mut self, key: K) -> bool {
        self.insert(key, ()).is_none()
    }

    /// Inserts several keys.
    pub(crate) fn add_all(&mut self, keys: impl IntoIterator<Item = K>) {
        for key in keys {
            self.insert(key, ());
        }
    }
}
