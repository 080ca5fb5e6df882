//! Armed timers in the order in which they fire. It counts no time itself.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

/// Named timers, each armed at most once.
#[derive(Debug)]
pub(crate) struct Timers<T> {
    order: BTreeSet<(u64, T)>,
    due_us: HashMap<T, u64>,
}

impl<T> Default for Timers<T> {
    fn default() -> Self {
        Self { order: BTreeSet::new(), due_us: HashMap::new() }
    }
}

impl<T: Copy + Ord + Hash> Timers<T> {
    /// Starts a timer, or starts it anew. True if it is the next to fire.
    pub(crate) fn arm(&mut self, timer: T, due_us: u64) -> bool {
        self.disarm(timer);
        self.due_us.insert(timer, due_us);
        self.order.insert((due_us, timer));
        self.order.first() == Some(&(due_us, timer))
    }

    /// Stops a timer, if it is armed.
    pub(crate) fn disarm(&mut self, timer: T) {
        if let Some(due_us) = self.due_us.remove(&timer) {
            self.order.remove(&(due_us, timer));
        }
    }

    /// Takes the next timer that is due.
    pub(crate) fn take_due(&mut self, now_us: u64) -> Option<T> {
        let (due_us, timer) = *self.order.first()?;
        if due_us > now_us {
            return None;
        }
        self.disarm(timer);
        Some(timer)
    }

    /// Whether a timer is armed.
    pub(crate) fn is_armed(&self, timer: T) -> bool {
        self.due_us.contains_key(&timer)
    }

    /// When the next timer fires.
    #[must_use]
    pub(crate) fn next_us(&self) -> Option<u64> {
        self.order.first().map(|(due_us, _)| *due_us)
    }

    /// All that are armed, in the order in which they fire.
    pub(crate) fn armed(&self) -> impl Iterator<Item = T> + '_ {
        self.order.iter().map(|(_, timer)| *timer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_fire_in_their_order_and_only_once() {
        let mut timers = Timers::default();
        assert!(timers.arm('a', 30));
        assert!(timers.arm('b', 20));
        assert!(!timers.arm('c', 40));
        assert!(timers.arm('c', 10), "started anew, and earlier");
        timers.disarm('b');
        assert_eq!(timers.next_us(), Some(10));
        assert_eq!(timers.take_due(9), None);
        assert_eq!(timers.take_due(30), Some('c'));
        assert_eq!(timers.take_due(30), Some('a'));
        assert_eq!(timers.take_due(u64::MAX), None);
        assert_eq!(timers.next_us(), None);
    }
}
