//! What each thread of a search does with a batch, and what the threads share.
//!
//! Whoever expands a chunk gathers it, too: only the expander that gave a course can follow it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

use crate::chunk::Chunk;
use crate::frontier::Frontier;
use crate::rendezvous::{Broken, Rendezvous};
use crate::seen::Seen;
use crate::space::{Expander, Recent, Space};

/// Chunks of a batch. The search looks at its limits between batches.
pub(super) const BATCH_CHUNKS: usize = 64;
/// Of a chunk that nobody has taken yet.
const NOBODY: usize = usize::MAX;

/// What all threads see.
pub(super) struct Shared {
    pub(super) level: RwLock<Frontier>,
    pub(super) chunks: Vec<RwLock<Chunk>>,
    /// By chunk, who has taken it.
    pub(super) takers: Vec<AtomicUsize>,
    /// Chunks in this batch; 0: the search is over.
    pub(super) batch: AtomicUsize,
    /// Whether the graph is written down.
    pub(super) records: bool,
    /// The next chunk to be taken.
    pub(super) next: AtomicUsize,
    /// By thread, the bytes that it has allocated.
    pub(super) bytes: Vec<AtomicUsize>,
    pub(super) rendezvous: Rendezvous,
}

impl Shared {
    /// For a search over rows of so many numbers.
    pub(super) fn new(width: usize, threads: usize, records: bool) -> Self {
        Self {
            level: RwLock::new(Frontier::new(width)),
            chunks: (0..BATCH_CHUNKS).map(|_| RwLock::new(Chunk::new(threads))).collect(),
            takers: (0..BATCH_CHUNKS).map(|_| AtomicUsize::default()).collect(),
            batch: AtomicUsize::new(0),
            records,
            next: AtomicUsize::new(0),
            bytes: (0..threads).map(|_| AtomicUsize::default()).collect(),
            rendezvous: Rendezvous::new(threads),
        }
    }

    /// Hands out so many chunks.
    pub(super) fn hand_out(&self, count: usize) {
        self.batch.store(count, Ordering::Relaxed);
        self.next.store(0, Ordering::Relaxed);
        self.takers.iter().for_each(|taker| taker.store(NOBODY, Ordering::Relaxed));
    }

    /// The chunks handed out.
    pub(super) fn batch(&self) -> &[RwLock<Chunk>] {
        &self.chunks[..self.batch.load(Ordering::Relaxed)]
    }
}

/// A thread: what it alone has.
pub(super) struct Worker<'a, E> {
    pub(super) shared: &'a Shared,
    pub(super) thread: usize,
    pub(super) seen: Seen,
    pub(super) recent: Recent,
    pub(super) expander: E,
}

impl<'a, E: Expander> Worker<'a, E> {
    pub(super) fn new<'s, S: Space<Expander<'s> = E>>(
        shared: &'a Shared,
        space: &'s S,
        thread: usize,
    ) -> Self {
        let seen = Seen::of(thread, shared.bytes.len());
        // Who writes down every transition leaves none out.
        let recent = if shared.records { Recent::default() } else { Recent::new() };
        Self { shared, thread, seen, recent, expander: space.expander() }
    }

    /// What every thread but the leader does.
    pub(super) fn work(&mut self) {
        let _guard = self.shared.rendezvous.guard();
        while let Ok(true) = self.turn() {}
    }

    /// One batch. Whether there was one.
    pub(super) fn turn(&mut self) -> Result<bool, Broken> {
        let shared = self.shared;
        shared.rendezvous.wait()?;
        let count = shared.batch.load(Ordering::Relaxed);
        if count == 0 {
            return Ok(false);
        }
        self.expander.begin();
        {
            let level = shared.level.read().unwrap_or_else(PoisonError::into_inner);
            let chunks = &shared.chunks[..count];
            if shared.bytes.len() == 1 {
                self.do_alone(&level, chunks);
            } else {
                self.do_part(&level, chunks)?;
            }
        }
        let bytes = self.seen.bytes() + self.expander.bytes();
        shared.bytes[self.thread].store(bytes, Ordering::Relaxed);
        shared.rendezvous.wait()?;
        Ok(true)
    }

    /// One chunk after the other while it is in the cache. The order of insertion, and so the
    /// result, is the same as with several threads.
    fn do_alone(&mut self, level: &Frontier, chunks: &[RwLock<Chunk>]) {
        for chunk in chunks {
            let mut chunk = chunk.write().unwrap_or_else(PoisonError::into_inner);
            chunk.expand(level, &mut self.expander, &mut self.recent);
            chunk.insert(&mut self.seen);
            self.gather(&mut chunk, level);
        }
    }

    fn gather(&mut self, chunk: &mut Chunk, level: &Frontier) {
        chunk.gather(level, &mut self.expander);
        if self.shared.records {
            chunk.label(&self.expander);
        }
    }

    fn do_part(&mut self, level: &Frontier, chunks: &[RwLock<Chunk>]) -> Result<(), Broken> {
        let shared = self.shared;
        loop {
            let index = shared.next.fetch_add(1, Ordering::Relaxed);
            let Some(chunk) = chunks.get(index) else { break };
            shared.takers[index].store(self.thread, Ordering::Relaxed);
            let mut chunk = chunk.write().unwrap_or_else(PoisonError::into_inner);
            chunk.expand(level, &mut self.expander, &mut self.recent);
        }
        shared.rendezvous.wait()?;
        for chunk in chunks {
            let chunk = chunk.read().unwrap_or_else(PoisonError::into_inner);
            chunk.insert_owned(self.thread, &mut self.seen);
        }
        shared.rendezvous.wait()?;
        for (chunk, taker) in chunks.iter().zip(&shared.takers) {
            if taker.load(Ordering::Relaxed) == self.thread {
                let mut chunk = chunk.write().unwrap_or_else(PoisonError::into_inner);
                self.gather(&mut chunk, level);
            }
        }
        Ok(())
    }
}
