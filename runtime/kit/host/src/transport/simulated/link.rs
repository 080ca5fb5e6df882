//! One direction between two nodes: the messages in flight and their delivery.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::conditions::Conditions;
use super::faults::Faults;
use crate::Rng;

/// A message in flight.
pub(super) struct InFlight<M> {
    pub(super) message: M,
    /// Whether it is a duplicate.
    pub(super) is_copy: bool,
    /// The incarnation of its sender.
    pub(super) life: u64,
}

pub(super) struct SimulatedLink<M> {
    /// The link's own conditions, if set.
    pub(super) conditions: Option<Conditions>,
    pub(super) is_cut: bool,
    /// By arrival time and order.
    pub(super) flying: BTreeMap<(Instant, u64), InFlight<M>>,
    /// Notified of each new message in flight.
    pub(super) changed: Arc<Notify>,
    /// Whether a delivering task runs.
    pub(super) is_served: bool,
    /// The arrival time of the last message.
    last: Option<Instant>,
    /// The number of the next message.
    next: u64,
}

impl<M> Default for SimulatedLink<M> {
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

impl<M: Clone> SimulatedLink<M> {
    /// Adds a message in flight, and perhaps its duplicate.
    pub(super) fn put(
        &mut self,
        message: M,
        life: u64,
        conditions: &Conditions,
        rng: &mut Rng,
        faults: &mut Faults,
    ) {
        let is_twice = rng.chance(conditions.duplication);
        let copy = is_twice.then(|| message.clone());
        let number = self.next;
        self.fly(number, InFlight { message, is_copy: false, life }, conditions, rng);
        if let Some(message) = copy {
            faults.duplicated += 1;
            self.fly(number + 1, InFlight { message, is_copy: true, life }, conditions, rng);
        }
        self.next += 2;
        self.changed.notify_one();
    }

    fn fly(&mut self, number: u64, flying: InFlight<M>, conditions: &Conditions, rng: &mut Rng) {
        let delay = rng.between(conditions.delay_least, conditions.delay_most);
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

    /// Takes the next message, if it has arrived by now.
    pub(super) fn take(&mut self, now: Instant, faults: &mut Faults) -> Option<InFlight<M>> {
        let entry = self.flying.first_entry().filter(|entry| entry.key().0 <= now)?;
        let ((_, number), flying) = entry.remove_entry();
        if self.flying.keys().any(|(_, earlier)| *earlier < number) {
            faults.overtaking += 1;
        }
        Some(flying)
    }
}
