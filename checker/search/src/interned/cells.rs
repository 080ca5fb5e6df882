//! A map from two numbers to one word, for the innermost loop: open addressing, never shrinks.

/// The map.
#[derive(Debug)]
pub(super) struct Cells {
    /// Key and value; a key of [`NONE`] is an empty slot.
    slots: Vec<(u64, u64)>,
    count: usize,
}

/// No pair of numbers below `u32::MAX` has this key.
const NONE: u64 = u64::MAX;
const SLOTS_MIN: usize = 16;

impl Default for Cells {
    fn default() -> Self {
        Self { slots: vec![(NONE, 0); SLOTS_MIN], count: 0 }
    }
}

impl Cells {
    /// The word of a pair.
    #[inline]
    pub(super) fn word(&self, first: u32, second: u32) -> Option<u64> {
        let key = key(first, second);
        let mask = self.slots.len() - 1;
        let mut slot = home(key) & mask;
        loop {
            let (there, word) = self.slots[slot & mask];
            if there == key {
                return Some(word);
            }
            if there == NONE {
                return None;
            }
            slot += 1;
        }
    }

    /// Sets the word of a pair that has none.
    pub(super) fn insert(&mut self, first: u32, second: u32, word: u64) {
        if (self.count + 1) * 2 > self.slots.len() {
            let larger = vec![(NONE, 0); self.slots.len() * 2];
            for (key, word) in std::mem::replace(&mut self.slots, larger) {
                if key != NONE {
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
        while self.slots[slot].0 != NONE {
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
