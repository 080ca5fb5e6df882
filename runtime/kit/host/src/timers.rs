//! Armed timers in the order in which they fire. It does not read a clock.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

/// Named timers, each armed at most once, with a due time of type `T`.
#[derive(Debug)]
pub(crate) struct Timers<T, At> {
    order: BTreeSet<(At, T)>,
    due: HashMap<T, At>,
    /// The order is built later, from the due times.
    is_unordered: bool,
}

impl<T, At> Default for Timers<T, At> {
    fn default() -> Self {
        Self { order: BTreeSet::new(), due: HashMap::new(), is_unordered: false }
    }
}

impl<T: Copy + Ord + Hash, At: Copy + Ord> Timers<T, At> {
    /// Timers of which about so many are armed before [`Timers::order`] is called: until then none
    /// can fire. To order many at once takes less time and memory than one by one.
    pub(crate) fn unordered(timers: usize) -> Self {
        let due = HashMap::with_capacity(timers);
        Self { order: BTreeSet::new(), due, is_unordered: true }
    }

    /// Orders the timers.
    pub(crate) fn order(&mut self) {
        if std::mem::take(&mut self.is_unordered) {
            let order = self.due.iter().map(|(timer, due)| (*due, *timer));
            self.order = order.collect();
        }
    }

    /// The number of armed timers.
    pub(crate) fn len(&self) -> usize {
        self.due.len()
    }

    /// Arms a timer, or re-arms it. Returns whether it is the next to fire.
    pub(crate) fn arm(&mut self, timer: T, due: At) -> bool {
        let before = self.due.insert(timer, due);
        if self.is_unordered {
            return false;
        }
        if let Some(before) = before {
            self.order.remove(&(before, timer));
        }
        self.order.insert((due, timer));
        self.order.first() == Some(&(due, timer))
    }

    /// Disarms a timer. Returns `false` if it was not armed.
    pub(crate) fn disarm(&mut self, timer: T) -> bool {
        let due = self.due.remove(&timer);
        due.is_some_and(|due| self.is_unordered || self.order.remove(&(due, timer)))
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

    /// All armed timers with their times, in the order in which they fire.
    pub(crate) fn armed(&self) -> impl Iterator<Item = (T, At)> + '_ {
        self.order.iter().map(|(due, timer)| (*timer, *due))
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

    #[test]
    fn timers_that_are_ordered_at_once_are_those_that_are_ordered_one_by_one() {
        let (mut one_by_one, mut at_once) = (Timers::default(), Timers::unordered(3));
        for timers in [&mut one_by_one, &mut at_once] {
            for (timer, due) in [('a', 30), ('b', 20), ('c', 40), ('a', 10), ('d', 20)] {
                timers.arm(timer, due);
            }
            assert!(timers.disarm('c'));
            assert!(!timers.disarm('c'), "it was armed once");
            assert_eq!(timers.due('a'), Some(10));
        }
        at_once.order();
        assert_eq!(at_once.armed().collect::<Vec<_>>(), [('a', 10), ('b', 20), ('d', 20)]);
        assert!(at_once.armed().eq(one_by_one.armed()));
        assert!(at_once.arm('e', 5), "now it is the next to fire");
        assert_eq!(at_once.take_due(5), Some('e'));
    }
}
