//! The threads of a search: how each works on a batch, and what they share.
//!
//! The thread that expands a chunk also gathers it, since only its expander can apply its deltas.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

use crate::barrier::{Barrier, Poisoned};
use crate::interned::{Expander, StateSpace};
use crate::storage::chunk::Chunk;
use crate::storage::fingerprint_set::FingerprintSet;
use crate::storage::frontier::Frontier;
use crate::successors::RecentFingerprints;

/// The most chunks in a batch. The search checks its limits between batches.
pub(super) const BATCH_CHUNKS: usize = 64;
/// The claimant of a chunk that no thread has claimed.
const UNCLAIMED: usize = usize::MAX;

/// The state that all threads share.
pub(super) struct SharedSearch {
    /// The level being expanded.
    pub(super) level: RwLock<Frontier>,
    pub(super) chunks: Vec<RwLock<Chunk>>,
    /// By chunk: the thread that has claimed it.
    pub(super) claimants: Vec<AtomicUsize>,
    /// The number of chunks in this batch; 0: the search has ended.
    pub(super) batch: AtomicUsize,
    /// Whether the graph is recorded.
    pub(super) records_graph: bool,
    /// The next chunk to claim.
    pub(super) next: AtomicUsize,
    /// By thread: the bytes it has allocated.
    pub(super) bytes: Vec<AtomicUsize>,
    pub(super) barrier: Barrier,
}

impl SharedSearch {
    /// For a search over state vectors of this width.
    pub(super) fn new(width: usize, threads: usize, records_graph: bool) -> Self {
        Self {
            level: RwLock::new(Frontier::new(width)),
            chunks: (0..BATCH_CHUNKS).map(|_| RwLock::new(Chunk::new(threads))).collect(),
            claimants: (0..BATCH_CHUNKS).map(|_| AtomicUsize::default()).collect(),
            batch: AtomicUsize::new(0),
            records_graph,
            next: AtomicUsize::new(0),
            bytes: (0..threads).map(|_| AtomicUsize::default()).collect(),
            barrier: Barrier::new(threads),
        }
    }

    /// Hands out the first `count` chunks.
    pub(super) fn hand_out(&self, count: usize) {
        self.batch.store(count, Ordering::Relaxed);
        self.next.store(0, Ordering::Relaxed);
        self.claimants.iter().for_each(|claimant| claimant.store(UNCLAIMED, Ordering::Relaxed));
    }

    /// The chunks handed out.
    pub(super) fn batch(&self) -> &[RwLock<Chunk>] {
        &self.chunks[..self.batch.load(Ordering::Relaxed)]
    }
}

/// The state of one thread.
pub(super) struct Worker<'a> {
    pub(super) shared: &'a SharedSearch,
    pub(super) thread: usize,
    pub(super) fingerprints: FingerprintSet,
    pub(super) recent: RecentFingerprints,
    pub(super) expander: Expander<'a>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(shared: &'a SharedSearch, space: &'a StateSpace<'_>, thread: usize) -> Self {
        let fingerprints = FingerprintSet::of(thread, shared.bytes.len());
        // Recording the graph needs every transition.
        let recent = if shared.records_graph {
            RecentFingerprints::default()
        } else {
            RecentFingerprints::new()
        };
        Self { shared, thread, fingerprints, recent, expander: Expander::new(space) }
    }

    /// The loop of every thread but the leader.
    pub(super) fn work(&mut self) {
        let _guard = self.shared.barrier.guard();
        while let Ok(true) = self.run_batch() {}
    }

    /// Works on one batch; false if there is none.
    pub(super) fn run_batch(&mut self) -> Result<bool, Poisoned> {
        let shared = self.shared;
        shared.barrier.wait()?;
        let count = shared.batch.load(Ordering::Relaxed);
        if count == 0 {
            return Ok(false);
        }
        self.expander.begin();
        {
            let level = shared.level.read().unwrap_or_else(PoisonError::into_inner);
            let chunks = &shared.chunks[..count];
            if shared.bytes.len() == 1 {
                self.run_chunks(&level, chunks);
            } else {
                self.run_share(&level, chunks)?;
            }
        }
        let bytes = self.fingerprints.bytes() + self.expander.bytes();
        shared.bytes[self.thread].store(bytes, Ordering::Relaxed);
        shared.barrier.wait()?;
        Ok(true)
    }

    /// Works on each chunk to completion, while it is in the processor's cache. The order of
    /// insertion, and so the result, is the same as with several threads.
    fn run_chunks(&mut self, level: &Frontier, chunks: &[RwLock<Chunk>]) {
        for chunk in chunks {
            let mut chunk = chunk.write().unwrap_or_else(PoisonError::into_inner);
            chunk.expand(level, &mut self.expander, &mut self.recent);
            chunk.insert(&mut self.fingerprints);
            self.gather(&mut chunk, level);
        }
    }

    fn gather(&mut self, chunk: &mut Chunk, level: &Frontier) {
        chunk.gather(level, &mut self.expander);
        if self.shared.records_graph {
            chunk.label(&self.expander);
        }
    }

    /// Works on the chunks it claims and on the shards it owns, in step with the other threads.
    fn run_share(&mut self, level: &Frontier, chunks: &[RwLock<Chunk>]) -> Result<(), Poisoned> {
        let shared = self.shared;
        loop {
            let index = shared.next.fetch_add(1, Ordering::Relaxed);
            let Some(chunk) = chunks.get(index) else { break };
            shared.claimants[index].store(self.thread, Ordering::Relaxed);
            let mut chunk = chunk.write().unwrap_or_else(PoisonError::into_inner);
            chunk.expand(level, &mut self.expander, &mut self.recent);
        }
        shared.barrier.wait()?;
        for chunk in chunks {
            let chunk = chunk.read().unwrap_or_else(PoisonError::into_inner);
            chunk.insert_owned(self.thread, &mut self.fingerprints);
        }
        shared.barrier.wait()?;
        for (chunk, claimant) in chunks.iter().zip(&shared.claimants) {
            if claimant.load(Ordering::Relaxed) == self.thread {
                let mut chunk = chunk.write().unwrap_or_else(PoisonError::into_inner);
                self.gather(&mut chunk, level);
            }
        }
        Ok(())
    }
}
