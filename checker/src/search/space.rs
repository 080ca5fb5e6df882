//! What a search walks through: rows of small numbers, and who follows whom.

/// Places in a row at most, and the bits of a number in it: a change of one is one word.
pub const PLACES_MAX: usize = 1 << (u32::BITS - NUMBER_BITS);
/// See [`PLACES_MAX`].
pub const NUMBER_BITS: u32 = 24;

/// A graph whose nodes are rows of numbers below `1 << NUMBER_BITS`.
pub trait Space: Sync {
    /// Works out successors, for one thread.
    type Expander<'s>: Expander + Send
    where
        Self: 's;

    /// Numbers in a row.
    fn width(&self) -> usize;

    /// One for each thread. All of them give the same row the same meaning.
    fn expander(&self) -> Self::Expander<'_>;

    /// Bytes allocated by the space itself, about.
    fn bytes(&self) -> usize;
}

/// Works out successors.
pub trait Expander {
    /// Finds the initial rows, as changes of a row of zeros.
    fn initial(&mut self, found: &mut Found);

    /// Finds the successors of a row, in an order that depends on what the row means alone.
    fn expand(&mut self, row: &[u32], found: &mut Found);

    /// What is noteworthy about a row: a set of at most 64 things.
    fn inspect(&mut self, row: &[u32]) -> u64;
}

/// Rows found, as fingerprints and as changes of the rows they were found from.
#[derive(Debug, Default)]
pub struct Found {
    fingerprints: Vec<u64>,
    labels: Vec<u16>,
    ends: Vec<u32>,
    changes: Vec<u32>,
}

impl Found {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.fingerprints.clear();
        self.labels.clear();
        self.ends.clear();
        self.changes.clear();
    }

    /// Notes that the row being found has this number in this place. Later ones win.
    #[inline]
    pub fn change(&mut self, place: usize, number: u32) {
        debug_assert!(number < 1 << NUMBER_BITS, "interning keeps numbers small");
        self.changes.push((u32::try_from(place).expect("few places") << NUMBER_BITS) | number);
    }

    /// Ends a row: all changes since the last one belong to it. The label says by what sort of
    /// action it was found.
    #[inline]
    pub fn end(&mut self, fingerprint: u64, label: u16) {
        self.fingerprints.push(fingerprint);
        self.labels.push(label);
        self.ends.push(u32::try_from(self.changes.len()).expect("a chunk's changes fit"));
    }

    /// Rows found.
    #[must_use]
    pub fn len(&self) -> usize {
        self.fingerprints.len()
    }

    /// Whether none was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fingerprints.is_empty()
    }

    /// The fingerprint of each row found.
    #[must_use]
    pub fn fingerprints(&self) -> &[u64] {
        &self.fingerprints
    }

    /// The label of each row found.
    #[must_use]
    pub fn labels(&self) -> &[u16] {
        &self.labels
    }

    /// Makes the row found at `index` out of the one it was found from.
    pub fn apply(&self, index: usize, row: &mut [u32]) {
        let begin = index.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        for change in &self.changes[begin..self.ends[index] as usize] {
            row[(change >> NUMBER_BITS) as usize] = change & ((1 << NUMBER_BITS) - 1);
        }
    }
}
