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

    /// How many numbers are in a row.
    fn width(&self) -> usize;

    /// One for each thread. All of them give the same row the same meaning.
    fn expander(&self) -> Self::Expander<'_>;

    /// Bytes allocated by the space itself, about.
    fn bytes(&self) -> usize;
}

/// Works out successors. What it finds is a fingerprint and a course, which only the expander that
/// gave it can follow, and only until it begins anew.
pub trait Expander {
    /// Forgets the courses given out so far.
    fn begin(&mut self);

    /// Finds the initial rows, as courses from a row of zeros.
    fn initial(&mut self, found: &mut Found);

    /// Finds the successors of a row, in an order that depends on what the row means alone.
    fn expand(&mut self, row: &[u32], found: &mut Found);

    /// Turns the row that a course was found from into the one it leads to.
    fn follow(&self, course: u32, row: &mut [u32]);

    /// By what sort of action a course goes.
    fn label(&self, course: u32) -> u16;

    /// What is noteworthy about a row: a set of at most 64 things.
    fn inspect(&mut self, row: &[u32]) -> u64;

    /// Bytes allocated, about.
    fn bytes(&self) -> usize;
}

/// A row found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its fingerprint.
    pub fingerprint: u64,
    /// The course from the row it was found from.
    pub course: u32,
    /// Which of the rows found from that row it is.
    pub ordinal: u32,
}

/// Rows found.
#[derive(Debug, Default)]
pub struct Found {
    /// Room for rows; those from `kept` on mean nothing.
    rows: Vec<Row>,
    kept: usize,
    ordinal: u32,
    /// Rows found, those left out included.
    count: usize,
    /// Rows that others are found from, so far.
    begun: u32,
    /// Of what leads to where it began: the row, and by what sort of action.
    stays: Vec<(u32, u16)>,
    recent: Recent,
}

/// Fingerprints found not long ago, to leave out what is found again soon: a row has many parents,
/// and they are near each other. Empty: nothing is left out.
#[derive(Debug, Default)]
pub struct Recent(Vec<u64>);

impl Recent {
    /// Remembers some.
    #[must_use]
    pub fn new() -> Self {
        Self(vec![0; 1 << RECENT_BITS])
    }

    /// Whether it was found not long ago.
    #[inline]
    fn knows(&mut self, fingerprint: u64) -> bool {
        let Some(slot) = self.0.get_mut((fingerprint & ((1 << RECENT_BITS) - 1)) as usize) else {
            return false;
        };
        let is_known = *slot == fingerprint;
        *slot = fingerprint;
        is_known
    }
}

/// Bits of the number of fingerprints remembered.
const RECENT_BITS: u32 = 15;

impl Found {
    /// Forgets everything.
    pub fn clear(&mut self) {
        (self.kept, self.ordinal, self.count, self.begun) = (0, 0, 0, 0);
        self.stays.clear();
    }

    /// Changes what is left out.
    pub fn swap(&mut self, recent: &mut Recent) {
        std::mem::swap(&mut self.recent, recent);
    }

    /// The rows found from now on are found from another row.
    pub fn begin_row(&mut self) {
        self.ordinal = 0;
        self.begun += 1;
    }

    /// Notes a row.
    #[inline]
    pub fn push(&mut self, fingerprint: u64, course: u32) {
        let ordinal = self.ordinal;
        self.ordinal += 1;
        self.count += 1;
        if self.kept == self.rows.len() {
            self.make_room();
        }
        // Whether it is known is not to be guessed, so there is no branch for it.
        self.rows[self.kept] = Row { fingerprint, course, ordinal };
        self.kept += usize::from(!self.recent.knows(fingerprint));
    }

    /// Notes that an action with this label leads to where it began. It finds no row; where rows
    /// are left out, nobody asks for it.
    #[inline]
    pub fn stay(&mut self, label: u16) {
        if self.recent.0.is_empty() {
            self.stays.push((self.begun - 1, label));
        }
    }

    /// What leads to where it began: the row, counted from 0, and the label.
    #[must_use]
    pub fn stays(&self) -> &[(u32, u16)] {
        &self.stays
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        let room = (self.rows.len() * 2).max(64);
        self.rows.resize(room, Row { fingerprint: 0, course: 0, ordinal: 0 });
    }

    /// Rows found and kept.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows[..self.kept]
    }

    /// Rows found, those left out included.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }
}
