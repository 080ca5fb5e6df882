//! Breadth-first search, one level after the other, on any number of threads.
//!
//! A level is cut into chunks; the chunks of a batch are expanded side by side, their successors
//! inserted into the shards of [`Seen`] in the order of chunks, and the new ones gathered in that
//! order. So the order of the states, the log, the counts, and with them the shortest
//! counterexample, least by the order of successors, are the same on any number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Instant;

use crate::report::options::{Limits, Progress, Standing};
use crate::search::chunk::Chunk;
use crate::search::frontier::{Frontier, Segment};
use crate::search::log::Log;
use crate::search::rendezvous::{Broken, Rendezvous};
use crate::search::seen::Seen;
use crate::search::space::{Expander, Found, Space};

/// Rows of a chunk at most.
const CHUNK_ROWS: usize = 256;
/// Chunks of a batch. The search looks at its limits between batches.
const BATCH_CHUNKS: usize = 48;

/// What a search is asked.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// Threads, at least 1.
    pub threads: usize,
    /// Where to stop although there is more.
    pub limits: Limits,
    /// Things of [`Expander::inspect`]; the first of them ends the search.
    pub stop_at: u64,
    /// Who listens and may stop the search.
    pub progress: &'a dyn Progress,
}

/// What a search found.
#[derive(Debug)]
pub struct Walk {
    /// Unique states.
    pub states: usize,
    /// Transitions followed; those that change nothing are none.
    pub transitions: usize,
    /// The longest of the shortest paths, in steps.
    pub depth: usize,
    /// Why it ended before the end.
    pub cut: Option<Cut>,
    /// The first state of each noteworthy thing, by its number in the log.
    pub first: [Option<usize>; 64],
    /// How each state was found.
    pub log: Log,
    /// Bytes at the peak, by the search's own account.
    pub peak_bytes: usize,
}

/// Why a search ended before the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// As many states as allowed.
    States,
    /// As many bytes as allowed.
    Memory,
    /// The time is up.
    Timeout,
    /// Somebody said so.
    Stopped,
    /// One of [`Ask::stop_at`] was found: not a bound, but the end was not reached either.
    Found,
}

/// Searches a space.
#[must_use]
pub fn search<S: Space>(space: &S, ask: Ask<'_>) -> Walk {
    assert!(ask.threads > 0, "somebody has to do it");
    let leader = Leader::new(space, ask);
    let shared = Shared {
        seen: Seen::default(),
        level: RwLock::new(Frontier::new(space.width())),
        chunks: (0..BATCH_CHUNKS).map(|_| RwLock::default()).collect(),
        batch: AtomicUsize::new(0),
        expanded: AtomicUsize::new(0),
        gathered: AtomicUsize::new(0),
        rendezvous: Rendezvous::new(ask.threads),
    };
    let leader = Mutex::new(leader);
    std::thread::scope(|scope| {
        for thread in 1..ask.threads {
            let (shared, space) = (&shared, &space);
            scope.spawn(move || shared.follow(thread, ask.threads, &mut space.expander()));
        }
        let _guard = shared.rendezvous.guard();
        let mut leader = leader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut expander = space.expander();
        leader.start(&shared, &mut expander);
        while leader.plan(&shared) {
            if shared.turn(0, ask.threads, &mut expander).is_err() {
                return;
            }
            leader.merge(&shared);
        }
        // The others find an empty batch and end.
        shared.batch.store(0, Ordering::Relaxed);
        let _ended = shared.rendezvous.wait();
    });
    leader.into_inner().unwrap_or_else(PoisonError::into_inner).walk
}

/// What all threads see.
struct Shared {
    seen: Seen,
    level: RwLock<Frontier>,
    chunks: Vec<RwLock<Chunk>>,
    /// Chunks in this batch; 0: the search is over.
    batch: AtomicUsize,
    /// The next chunk to be expanded.
    expanded: AtomicUsize,
    /// The next chunk to be gathered.
    gathered: AtomicUsize,
    rendezvous: Rendezvous,
}

impl Shared {
    /// What every thread but the leader does.
    fn follow(&self, thread: usize, threads: usize, expander: &mut impl Expander) {
        let _guard = self.rendezvous.guard();
        while let Ok(true) = self.turn(thread, threads, expander) {}
    }

    /// One batch. Whether there was one.
    fn turn(
        &self,
        thread: usize,
        threads: usize,
        expander: &mut impl Expander,
    ) -> Result<bool, Broken> {
        self.rendezvous.wait()?;
        let count = self.batch.load(Ordering::Relaxed);
        if count == 0 {
            return Ok(false);
        }
        let chunks = &self.chunks[..count];
        {
            let level = self.level.read().unwrap_or_else(PoisonError::into_inner);
            if threads == 1 {
                // One chunk after the other while it is in the cache. The order of insertion, and
                // so the result, is the same.
                let mut held = self.seen.hold(0, 1);
                for chunk in chunks {
                    let mut chunk = chunk.write().unwrap_or_else(PoisonError::into_inner);
                    chunk.expand(&level, expander);
                    chunk.insert(&mut held);
                    chunk.gather(&level, expander);
                }
                return Ok(true);
            }
            while let Some(chunk) = chunks.get(self.expanded.fetch_add(1, Ordering::Relaxed)) {
                let mut chunk = chunk.write().unwrap_or_else(PoisonError::into_inner);
                chunk.expand(&level, expander);
            }
            self.rendezvous.wait()?;
            let mut held = self.seen.hold(thread, threads);
            for chunk in chunks {
                chunk.read().unwrap_or_else(PoisonError::into_inner).insert(&mut held);
            }
            drop(held);
            self.rendezvous.wait()?;
            while let Some(chunk) = chunks.get(self.gathered.fetch_add(1, Ordering::Relaxed)) {
                let mut chunk = chunk.write().unwrap_or_else(PoisonError::into_inner);
                chunk.gather(&level, expander);
            }
        }
        self.rendezvous.wait()?;
        Ok(true)
    }
}

/// The thread that plans batches and keeps the books.
struct Leader<'a, S> {
    space: &'a S,
    ask: Ask<'a>,
    next: Frontier,
    /// Where in the level the next batch begins.
    at: (usize, usize),
    /// Rows of the level that are done.
    done: usize,
    growth: f64,
    walk: Walk,
}

impl<'a, S: Space> Leader<'a, S> {
    fn new(space: &'a S, ask: Ask<'a>) -> Self {
        let walk = Walk {
            states: 0,
            transitions: 0,
            depth: 0,
            cut: None,
            first: [None; 64],
            log: Log::default(),
            peak_bytes: 0,
        };
        let next = Frontier::new(space.width());
        Self { space, ask, next, at: (0, 0), done: 0, growth: 1.0, walk }
    }

    /// The first level.
    fn start(&mut self, shared: &Shared, expander: &mut impl Expander) {
        let mut found = Found::default();
        expander.initial(&mut found);
        self.walk.log.begin_level();
        let mut fresh = Vec::new();
        shared.seen.hold(0, 1).insert(found.fingerprints(), |place| fresh.push(place));
        let mut rows = Segment::new();
        for (state, &place) in fresh.iter().enumerate() {
            let at = rows.len();
            rows.resize(at + self.space.width(), 0);
            found.apply(place, &mut rows[at..]);
            self.note(state, expander.inspect(&rows[at..]));
            self.walk.log.note_state(u32::try_from(place).expect("few initial states"));
        }
        self.walk.states = fresh.len();
        let mut level = Frontier::new(self.space.width());
        level.append(&mut rows);
        *shared.level.write().unwrap_or_else(PoisonError::into_inner) = level;
        self.walk.log.begin_level();
    }

    /// Hands out the next batch, from the next level if this one is done. Whether there is one.
    fn plan(&mut self, shared: &Shared) -> bool {
        let mut level = shared.level.write().unwrap_or_else(PoisonError::into_inner);
        self.account(shared, &level);
        if self.walk.cut.is_some() {
            return false;
        }
        if self.done == level.rows() {
            if self.next.rows() == 0 {
                return false;
            }
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            let growth = self.next.rows() as f64 / level.rows() as f64;
            self.growth = growth;
            *level = std::mem::replace(&mut self.next, Frontier::new(self.space.width()));
            (self.at, self.done) = ((0, 0), 0);
            self.walk.depth += 1;
            self.walk.log.begin_level();
        }
        level.let_go(self.at.0);
        let mut count = 0;
        while count < BATCH_CHUNKS
            && let Some(span) = level.span(self.at, CHUNK_ROWS)
        {
            let mut chunk = shared.chunks[count].write().unwrap_or_else(PoisonError::into_inner);
            chunk.begin(span);
            self.at = (span.segment, span.to);
            self.done += span.to - span.from;
            count += 1;
        }
        shared.batch.store(count, Ordering::Relaxed);
        shared.expanded.store(0, Ordering::Relaxed);
        shared.gathered.store(0, Ordering::Relaxed);
        true
    }

    /// Writes a batch into the books, in order.
    fn merge(&mut self, shared: &Shared) {
        for chunk in &shared.chunks[..shared.batch.load(Ordering::Relaxed)] {
            let mut chunk = chunk.write().unwrap_or_else(PoisonError::into_inner);
            self.walk.transitions += chunk.successors();
            for &(place, noted) in &chunk.noted {
                self.note(self.walk.states + place, noted);
            }
            self.walk.states += chunk.ordinals.len();
            chunk.ordinals.iter().for_each(|&ordinal| self.walk.log.note_state(ordinal));
            chunk.children.iter().for_each(|&count| self.walk.log.note_children(count));
            self.next.append(&mut chunk.rows);
        }
    }

    fn note(&mut self, state: usize, noted: u64) {
        for (thing, first) in self.walk.first.iter_mut().enumerate() {
            if noted >> thing & 1 == 1 && first.is_none() {
                *first = Some(state);
            }
        }
        if noted & self.ask.stop_at != 0 {
            self.walk.cut = Some(Cut::Found);
        }
    }

    /// Says how far it is, and whether a limit is reached.
    fn account(&mut self, shared: &Shared, level: &Frontier) {
        let own = shared.seen.bytes()
            + self.walk.log.bytes()
            + level.bytes()
            + self.next.bytes()
            + self.space.bytes();
        self.walk.peak_bytes = self.walk.peak_bytes.max(own);
        let memory = (own as u64).max(self.ask.progress.allocated());
        let states = self.walk.states as u64;
        self.ask.progress.stand(Standing {
            states,
            level: self.walk.depth as u64,
            frontier: (level.rows() - self.done + self.next.rows()) as u64,
            growth: self.growth,
            memory,
        });
        let limits = self.ask.limits;
        let cut = if limits.max_states.is_some_and(|most| states > most) {
            Some(Cut::States)
        } else if limits.max_memory.is_some_and(|most| memory > most) {
            Some(Cut::Memory)
        } else if limits.deadline.is_some_and(|end| Instant::now() >= end) {
            Some(Cut::Timeout)
        } else if self.ask.progress.is_stopped() {
            Some(Cut::Stopped)
        } else {
            None
        };
        // A search that has nothing left to expand is complete, whatever its limits say.
        let is_over = self.done == level.rows() && self.next.rows() == 0;
        if !is_over {
            self.walk.cut = self.walk.cut.or(cut);
        }
    }
}
