//! An update of a state vector: a place and its new part, packed into one word.

use crate::state_space::INDEX_BITS;

/// The place in the high bits, the index of its new part in the low [`INDEX_BITS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PartUpdate(u32);

impl PartUpdate {
    pub(super) fn new(place: usize, part: u32) -> Self {
        debug_assert!(part < 1 << INDEX_BITS, "the interner keeps indices small");
        Self((u32::try_from(place).expect("few places") << INDEX_BITS) | part)
    }

    #[inline]
    pub(super) fn apply(self, vector: &mut [u32]) {
        vector[(self.0 >> INDEX_BITS) as usize] = self.0 & ((1 << INDEX_BITS) - 1);
    }
}
