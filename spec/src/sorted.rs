//! Keys in order, each once, with what belongs to each: a list that is searched by halves.
//!
//! It stands where the standard library's B-tree could: what a file names is little, and each pair
//! of types would have a tree of its own compiled, by every embedder. What may be much and comes
//! in no order does not belong here.

use std::borrow::Borrow;

/// Values under keys, in the order of the keys.
#[derive(Clone, Debug)]
pub(crate) struct Sorted<K, V>(Vec<(K, V)>);

/// Keys alone.
pub(crate) type Set<K> = Sorted<K, ()>;

impl<K, V> Default for Sorted<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> Sorted<K, V> {
    /// Where a key stands, or would.
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

    /// Puts a value under a key; what stood there comes back.
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

    /// The value under a key, to be changed; an empty one is put there first where none is.
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

impl<K: Ord> Set<K> {
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

    /// Puts a key in; whether it is new.
    pub(crate) fn add(&mut self, key: K) -> bool {
        self.insert(key, ()).is_none()
    }

    /// Puts several in.
    pub(crate) fn add_all(&mut self, keys: impl IntoIterator<Item = K>) {
        for key in keys {
            self.insert(key, ());
        }
    }
}
