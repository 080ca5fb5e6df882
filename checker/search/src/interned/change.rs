//! A change of a row: a place and its new number in one word.

use crate::space::NUMBER_BITS;

/// A place's new number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change(u32);

impl Change {
    pub(super) fn new(place: usize, number: u32) -> Self {
        debug_assert!(number < 1 << NUMBER_BITS, "interning keeps numbers small");
        Self((u32::try_from(place).expect("few places") << NUMBER_BITS) | number)
    }

    #[inline]
    pub(super) fn make(self, row: &mut [u32]) {
        row[(self.0 >> NUMBER_BITS) as usize] = self.0 & ((1 << NUMBER_BITS) - 1);
    }
}
