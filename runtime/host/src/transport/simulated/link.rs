//! One direction between two nodes: what is on the way, and what becomes of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::{Conditions, Faults};
use crate::Dice;

/// A message on the way.
pub(super) struct Flying<M> {
    pub(super) message: M,
    /// The second of two.
    pub(super) is_copy: bool,
    /// Which life of its sender it is from.
    pub(super) life: u64,
}

pub(super) struct Link<M> {
    /// Those of the network, unless there are others.
    pub(super) conditions: Option<Conditions>,
    pub(super) is_cut: bool,
    /// By when they arrive, and by their order.
    pub(super) flying: BTreeMap<(Instant, u64), Flying<M>>,
    /// Told of each message that is put on its way.
    pub(super) changed: Arc<Notify>,
    /// Whether there is a task that delivers.
    pub(super) is_served: bool,
    /// When the last one arrives that has been put on its way.
    last: Option<Instant>,
    /// The number of the next message.
    next: u64,
}

impl<M> Default for Link<M> {
    fn default() -> Self {
        Self {
            conditions: None,
            is_cut: false,
            flying: BTreeMap::new(),
            changed: Arc::default(),
            is_served: false,
            last: None,
            next: 0,
        }
    }
}

impl<M: Clone> Link<M> {
    /// Puts a message on its way, once or twice.
    pub(super) fn put(
        &mut self,
        message: M,
        life: u64,
        conditions: &Conditions,
        dice: &mut Dice,
        faults: &mut Faults,
    ) {
        let is_twice = dice.chance(conditions.duplication);
        let copy = is_twice.then(|| message.clone());
        let number = self.next;
        self.fly(number, Flying { message, is_copy: false, life }, conditions, dice);
        if let Some(message) = copy {
            faults.duplicated += 1;
            self.fly(number + 1, Flying { message, is_copy: true, life }, conditions, dice);
        }
        self.next += 2;
        self.changed.notify_one();
    }

    fn fly(&mut self, number: u64, flying: Flying<M>, conditions: &Conditions, dice: &mut Dice) {
        let delay = dice.between(conditions.delay_least, conditions.delay_most);
        let mut due = Instant::now() + delay;
        if conditions.fifo {
            due = self.last.map_or(due, |last| last.max(due));
        }
        self.last = self.last.max(Some(due));
        self.flying.insert((due, number), flying);
    }

    /// When the next message arrives.
    pub(super) fn next(&self) -> Option<Instant> {
        self.flying.first_key_value().map(|((due, _), _)| *due)
    }

    /// Takes the next message, if it arrives by now.
    pub(super) fn take(&mut self, now: Instant, faults: &mut Faults) -> Option<Flying<M>> {
        let entry = self.flying.first_entry().filter(|entry| entry.key().0 <= now)?;
        let ((_, number), flying) = entry.remove_entry();
        if self.flying.keys().any(|(_, earlier)| *earlier < number) {
            faults.overtaking += 1;
        }
        Some(flying)
    }
}
