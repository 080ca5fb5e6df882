//! A hash map from a pair of `u32` to a `u64`, for the innermost loop: open addressing with linear
//! probing, at most half full, never shrinks.

/// The map. Keys are pairs of numbers below `u32::MAX`.
#[derive(Debug)]
pub(super) struct PairMap {
    /// Key and value; the key of an empty slot is [`NO_KEY`].
    slots: Vec<(u64, u64)>,
    count: usize,
}

/// No pair of numbers below `u32::MAX` has this key.
const NO_KEY: u64 = u64::MAX;
const SLOTS_MIN: usize = 16;

impl Default for PairMap {
    fn default() -> Self {
        Self { slots: vec![(NO_KEY, 0); SLOTS_MIN], count: 0 }
    }
}

impl PairMap {
    /// The value of a pair.
    #[inline]
    pub(super) fn get(&self, first: u32, second: u32) -> Option<u64> {
        let key = key(first, second);
        let mask = self.slots.len() - 1;
        let mut slot = home(key) & mask;
        loop {
            let (there, word) = self.slots[slot & mask];
            if there == key {
                return Some(word);
            }
            if there == NO_KEY {
                return None;
            }
            slot += 1;
        }
    }

    /// Inserts the value of a pair that has none.
    pub(super) fn insert(&mut self, first: u32, second: u32, word: u64) {
        if (self.count + 1) * 2 > self.slots.len() {
            let larger = vec![(NO_KEY, 0); self.slots.len() * 2];
            for (key, word) in std::mem::replace(&mut self.slots, larger) {
                if key != NO_KEY {
                    self.put(key, word);
                }
            }
        }
        self.count += 1;
        self.put(key(first, second), word);
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<(u64, u64)>()
    }

    fn put(&mut self, key: u64, word: u64) {
        let mask = self.slots.len() - 1;
        let mut slot = home(key) & mask;
        while self.slots[slot].0 != NO_KEY {
            assert_ne!(self.slots[slot].0, key, "a pair is set once");
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = (key, word);
    }
}

fn key(first: u32, second: u32) -> u64 {
    u64::from(first) << u32::BITS | u64::from(second)
}

fn home(key: u64) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}
