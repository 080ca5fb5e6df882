//! State vectors: small indices, one for each place of a part.

/// The most places of a state vector: a place and an index fit into one word.
pub const PLACES_MAX: usize = 1 << (u32::BITS - INDEX_BITS);
/// The bits of an index in a state vector.
pub const INDEX_BITS: u32 = 24;

/// An update of a state vector: the place in the high bits, the index of its new part in the low
/// [`INDEX_BITS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartUpdate(u32);

impl PartUpdate {
    pub(crate) fn new(place: usize, part: u32) -> Self {
        debug_assert!(part < 1 << INDEX_BITS, "the interner keeps indices small");
        Self((u32::try_from(place).expect("few places") << INDEX_BITS) | part)
    }

    #[inline]
    pub(crate) fn apply(self, vector: &mut [u32]) {
        vector[(self.0 >> INDEX_BITS) as usize] = self.0 & ((1 << INDEX_BITS) - 1);
    }
}
