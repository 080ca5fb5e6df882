//! A direct-mapped cache by hash sums: of the sums with the same low bits it knows the last.

/// The cache.
#[derive(Clone, Debug)]
pub(super) struct DirectMapped {
    /// By the low bits of a sum: the sum, as [`DirectMapped::tag`], and its value.
    slots: Vec<(u64, u64)>,
}

impl DirectMapped {
    /// An empty cache of so many slots, a power of two.
    pub(super) fn new(slots: usize) -> Self {
        assert!(slots.is_power_of_two(), "low bits select a slot");
        Self { slots: vec![(0, 0); slots] }
    }

    /// The value of a sum, if it is known.
    #[inline]
    pub(super) fn get(&self, sum: u64) -> Option<u64> {
        let (tag, value) = self.slots[self.slot(sum)];
        (tag == self.tag(sum)).then_some(value)
    }

    /// Makes the value of a sum known, in place of that of another.
    #[inline]
    pub(super) fn insert(&mut self, sum: u64, value: u64) {
        let slot = self.slot(sum);
        self.slots[slot] = (self.tag(sum), value);
    }

    #[expect(clippy::cast_possible_truncation, reason = "below a length")]
    fn slot(&self, sum: u64) -> usize {
        (sum & (self.slots.len() as u64 - 1)) as usize
    }

    /// A sum without the low bits, which its slot tells. Never 0, which is an empty slot's.
    fn tag(&self, sum: u64) -> u64 {
        sum & !(self.slots.len() as u64 - 1) | 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_known_before_it_is_inserted() {
        let mut cache = DirectMapped::new(4);
        for sum in [0, 1, 4, 5, u64::MAX] {
            assert_eq!(cache.get(sum), None);
            cache.insert(sum, !sum);
            assert_eq!(cache.get(sum), Some(!sum));
        }
        assert_eq!(cache.get(0), None, "4 has its slot");
        assert_eq!(cache.get(1), None, "5 has its slot");
    }
}
