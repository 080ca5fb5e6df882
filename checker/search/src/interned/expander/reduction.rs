//! The representative of a successor by the reductions.

use std::collections::hash_map::Entry;

use super::Expander;
use crate::interned::dead_messages::LiveInputs;
use crate::interned::tables::StoredInFlight;

impl Expander<'_> {
    /// Replaces the materialised state by its representative; returns the new hash sum.
    pub(super) fn reduce(&mut self, mut sum: u64) -> u64 {
        if let Some(live_inputs) = &self.space.live_inputs {
            sum = self.discard_dead(live_inputs, sum);
        }
        if let Some(symmetry) = &mut self.symmetry {
            let Self { cache, canonicalizer, vector, .. } = self;
            sum = symmetry.reduce(cache, canonicalizer, vector, sum);
        }
        sum
    }

    /// Discards every dead message.
    fn discard_dead(&mut self, live_inputs: &LiveInputs, mut sum: u64) -> u64 {
        let mut is_unchanged = true;
        for place in 0..self.vector.len() {
            loop {
                let part = self.vector[place];
                let in_flight = match self.in_flight[place].entry(part) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(self.cache.in_flight(place, part)),
                };
                let is_dead = |message: &&StoredInFlight| {
                    let receiver = self.vector[usize::from(message.to)];
                    !live_inputs.reacts(message.to, receiver, message.input)
                };
                let Some(&StoredInFlight { discard, .. }) = in_flight.iter().find(is_dead) else {
                    break;
                };
                let outcomes = self.cache.outcomes(place, part, discard);
                assert_eq!(outcomes.count, 1, "discarding a message is deterministic");
                let outcome = self.cache.outcomes[outcomes.first as usize];
                self.vector[place] = outcome.to;
                sum = sum.wrapping_add(outcome.hash_delta);
                is_unchanged = false;
            }
        }
        if is_unchanged {
            return sum;
        }
        // Ids that only those messages had are free again.
        self.canonicalizer.canonicalize(&mut self.cache, &mut self.vector, sum)
    }
}
