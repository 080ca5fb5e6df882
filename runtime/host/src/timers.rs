//! Armed timers in the order in which they fire. It does not read a clock.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

/// Named timers, each armed at most once, with a due time of type `T`.
#[derive(Debug)]
pub(crate) struct Timers<T, At> {
    order: BTreeSet<(At, T)>,
    due: HashMap<T, At>,
}

impl<T, At> Default for Timers<T, At> {
    fn default() -> Self {
        Self { order: BTreeSet::new(), due: HashMap::new() }
    }
}

impl<T: Copy + Ord + Hash, At: Copy + Ord> Timers<T, At> {
    /// Reserves memory for this many further timers.
    pub(crate) fn reserve(&mut self, timers: usize) {
        self.due.reserve(timers);
    }

    /// Arms a timer, or re-arms it. Returns whether it is the next to fire.
    pub(crate) fn arm(&mut self, timer: T, due: At) -> bool {
        if let Some(before) = self.due.insert(timer, due) {
            self.order.remove(&(before, timer));
        }
        self.order.insert((due, timer));
        self.order.first() == Some(&(due, timer))
    }

    /// Disarms a timer. Returns `false` if it was not armed.
    pub(crate) fn disarm(&mut self, timer: T) -> bool {
        let due = self.due.remove(&timer);
        due.is_some_and(|due| self.order.remove(&(due, timer)))
    }

    /// Removes and returns the next timer that is due.
    pub(crate) fn take_due(&mut self, now: At) -> Option<T> {
        let (due, timer) = *self.order.first()?;
        if due > now {
            return None;
        }
        self.disarm(timer);
        Some(timer)
    }

    /// The number of timers that are due.
    pub(crate) fn count_due(&self, now: At) -> usize {
        self.order.iter().take_while(|(due, _)| *due <= now).count()
    }

    /// When a timer fires, if it is armed.
    pub(crate) fn due(&self, timer: T) -> Option<At> {
        self.due.get(&timer).copied()
    }

    /// When the next timer fires.
    pub(crate) fn next(&self) -> Option<At> {
        self.order.first().map(|(due, _)| *due)
    }

    /// All armed timers, in the order in which they fire.
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
        assert!(timers.arm('c', 10), "armed again, and earlier");
        timers.disarm('b');
        assert_eq!(timers.next(), Some(10));
        assert_eq!(timers.take_due(9), None);
        assert_eq!(timers.take_due(30), Some('c'));
        assert_eq!(timers.take_due(30), Some('a'));
        assert_eq!(timers.take_due(u64::MAX), None);
        assert_eq!(timers.next(), None);
    }
}
