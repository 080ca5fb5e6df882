//! The state space that a search explores: state vectors of small indices, and their successors.

/// The most places of a state vector: a place and an index fit into one word.
pub const PLACES_MAX: usize = 1 << (u32::BITS - INDEX_BITS);
/// The bits of an index in a state vector.
pub const INDEX_BITS: u32 = 24;

/// A graph whose nodes are vectors of indices below `1 << INDEX_BITS`.
pub trait StateSpace: Sync {
    /// Computes successors, on one thread.
    type Expander<'s>: Expander + Send
    where
        Self: 's;

    /// The length of a state vector.
    fn width(&self) -> usize;

    /// An expander for one thread. The same vector is the same state to all expanders.
    fn expander(&self) -> Self::Expander<'_>;

    /// An estimate of the bytes allocated by the space itself.
    fn bytes(&self) -> usize;
}

/// Computes successors. A successor is a fingerprint and a delta, which only the expander that
/// returned it can apply, and only until the next call of [`Expander::begin`].
pub trait Expander {
    /// Makes the delta of every successor one that can be applied. By default only those of
    /// successors found for the first time are.
    fn keep_all_deltas(&mut self);

    /// Invalidates the deltas returned so far.
    fn begin(&mut self);

    /// Finds the initial states, as deltas from a vector of zeros.
    fn initial(&mut self, found: &mut Successors);

    /// Finds the successors of a state, in an order that depends on the state alone.
    fn expand(&mut self, vector: &[u32], found: &mut Successors);

    /// Applies a delta to the state that it was found from.
    fn apply(&self, delta: u32, vector: &mut [u32]);

    /// The fairness label of a delta.
    fn label(&self, delta: u32) -> u16;

    /// The atomic propositions that hold in a state, as bits.
    fn evaluate(&mut self, vector: &[u32]) -> u64;

    /// An estimate of the bytes allocated.
    fn bytes(&self) -> usize;
}

/// A successor of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successor {
    /// Its fingerprint.
    pub fingerprint: u64,
    /// The delta from its parent.
    pub delta: u32,
    /// Its index among its parent's successors, from 0.
    pub ordinal: u32,
}

/// The successors of several states.
#[derive(Debug, Default)]
pub struct Successors {
    /// The first `kept` are successors; the others are spare room.
    buffer: Vec<Successor>,
    kept: usize,
    /// The ordinal of the next successor.
    ordinal: u32,
    /// Successors found, those left out included.
    count: usize,
    /// Parents so far.
    parents: u32,
    /// The self-loops that discharge a fairness condition: parent and label.
    self_loops: Vec<(u32, u16)>,
    recent: RecentFingerprints,
}

/// Fingerprints found recently, to leave out duplicates early: a state has many parents, found
/// close to each other. Empty: nothing is left out.
#[derive(Debug, Default)]
pub struct RecentFingerprints(Vec<u64>);

impl RecentFingerprints {
    /// A direct-mapped cache of `1 << RECENT_BITS` fingerprints.
    #[must_use]
    pub fn new() -> Self {
        Self(vec![0; 1 << RECENT_BITS])
    }

    /// Whether the cache has the fingerprint; it does so afterwards.
    #[inline]
    fn insert(&mut self, fingerprint: u64) -> bool {
        let Some(slot) = self.0.get_mut((fingerprint & ((1 << RECENT_BITS) - 1)) as usize) else {
            return false;
        };
        let is_known = *slot == fingerprint;
        *slot = fingerprint;
        is_known
    }
}

/// The binary logarithm of the size of [`RecentFingerprints`].
const RECENT_BITS: u32 = 15;

impl Successors {
    /// Removes all successors.
    pub fn clear(&mut self) {
        (self.kept, self.ordinal, self.count, self.parents) = (0, 0, 0, 0);
        self.self_loops.clear();
    }

    /// Exchanges the cache of recent fingerprints.
    pub fn swap_recent(&mut self, recent: &mut RecentFingerprints) {
        std::mem::swap(&mut self.recent, recent);
    }

    /// Begins the successors of the next parent.
    pub fn begin_state(&mut self) {
        self.ordinal = 0;
        self.parents += 1;
    }

    /// Adds a successor, unless it was found recently.
    #[inline]
    pub fn push(&mut self, fingerprint: u64, delta: u32) {
        let ordinal = self.ordinal;
        self.ordinal += 1;
        self.count += 1;
        if self.kept == self.buffer.len() {
            self.make_room();
        }
        // Branchless, because the outcome is unpredictable.
        self.buffer[self.kept] = Successor { fingerprint, delta, ordinal };
        self.kept += usize::from(!self.recent.insert(fingerprint));
    }

    /// Adds a self-loop with this label. It counts as no successor. Where successors are left out,
    /// the graph is not recorded and self-loops are not needed.
    #[inline]
    pub fn push_self_loop(&mut self, label: u16) {
        if self.recent.0.is_empty() {
            self.self_loops.push((self.parents - 1, label));
        }
    }

    /// The self-loops: the index of the parent, from 0, and the label.
    #[must_use]
    pub fn self_loops(&self) -> &[(u32, u16)] {
        &self.self_loops
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        let room = (self.buffer.len() * 2).max(64);
        self.buffer.resize(room, Successor { fingerprint: 0, delta: 0, ordinal: 0 });
    }

    /// The successors kept.
    #[must_use]
    pub fn kept(&self) -> &[Successor] {
        &self.buffer[..self.kept]
    }

    /// The number of successors found, those left out included.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }
}
