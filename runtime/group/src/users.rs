//! Which locks the callers of one process hold or wait for, by the names that they gave them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The callers that have not given their locks back.
#[derive(Debug, Default)]
pub(crate) struct Users(Mutex<BTreeMap<String, UserCounts>>);

/// The callers of one lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UserCounts {
    pub(crate) granted: usize,
    pub(crate) waiting: usize,
}

/// One caller, until it is dropped.
#[derive(Debug)]
pub(crate) struct User {
    users: Arc<Users>,
    name: String,
    is_granted: bool,
}

impl Users {
    /// A caller begins to wait.
    pub(crate) fn waits(self: &Arc<Self>, name: &str) -> User {
        self.lock().entry(name.to_owned()).or_default().waiting += 1;
        User { users: Arc::clone(self), name: name.to_owned(), is_granted: false }
    }

    /// All locks with callers, by their names.
    pub(crate) fn counts(&self) -> BTreeMap<String, UserCounts> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, UserCounts>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl User {
    /// The lock is granted to the caller.
    pub(crate) fn granted(mut self) -> Self {
        self.is_granted = true;
        if let Some(counts) = self.users.lock().get_mut(&self.name) {
            counts.waiting -= 1;
            counts.granted += 1;
        }
        self
    }
}

impl Drop for User {
    fn drop(&mut self) {
        let mut users = self.users.lock();
        if let Some(counts) = users.get_mut(&self.name) {
            let count = if self.is_granted { &mut counts.granted } else { &mut counts.waiting };
            *count -= 1;
            if *counts == UserCounts::default() {
                users.remove(&self.name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_kept_of_a_lock_without_callers() {
        let users = Arc::new(Users::default());
        let first = users.waits("job").granted();
        let second = users.waits("job");
        let counts = UserCounts { granted: 1, waiting: 1 };
        assert_eq!(users.counts(), BTreeMap::from([("job".to_owned(), counts)]));
        drop(first);
        let counts = UserCounts { granted: 0, waiting: 1 };
        assert_eq!(users.counts(), BTreeMap::from([("job".to_owned(), counts)]));
        drop(second);
        assert_eq!(users.counts(), BTreeMap::new());
    }
}
