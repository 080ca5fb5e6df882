//! The successors of states, as an expander finds them: by fingerprint, the recent ones once.

/// A successor of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successor {
    /// Its fingerprint.
    pub fingerprint: u64,
    /// The delta from its parent: only the expander that returned it can apply it, and only until
    /// its next batch.
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
