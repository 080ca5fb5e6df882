//! Breadth-first search, one level after the other, on any number of threads.
//!
//! A level is cut into chunks; the chunks of a batch are expanded side by side, their successors
//! inserted into the shards of `Seen` in the order of chunks, and the new ones gathered in that
//! order, each by whoever expanded it. So the order of the states, the log, the counts, and with
//! them the shortest counterexample, least by the order of successors, are the same on any number
//! of threads.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::bounds::{Limits, Progress, Standing};
use crate::frontier::{Frontier, Segment};
use crate::log::Log;
use crate::record::Record;
use crate::seen::owner_of;
use crate::space::{Expander, Found, Row, Space};
use crate::worker::{BATCH_CHUNKS, Shared, Worker};

/// Rows of a chunk at most.
const CHUNK_ROWS: usize = 256;
/// What a search is asked.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// Threads, at least 1.
    pub threads: usize,
    /// Where to stop although there is more.
    pub limits: Limits,
    /// Things of [`Expander::inspect`]; the first of them ends the search.
    pub stop_at: u64,
    /// Write down the whole graph.
    pub records: bool,
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
    /// The whole graph, if it was asked for and the search came to its end within its memory.
    pub record: Option<Record>,
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
    let shared = Shared::new(space.width(), ask.threads, ask.records);
    let mut workers: Vec<_> =
        (0..ask.threads).map(|thread| Worker::new(&shared, space, thread)).collect();
    let mut leader = Leader::new(space, ask);
    leader.start(&mut workers);
    std::thread::scope(|scope| {
        let (first, others) = workers.split_first_mut().expect("at least one");
        for worker in others {
            scope.spawn(move || worker.work());
        }
        let _guard = shared.rendezvous.guard();
        while leader.plan(&shared) {
            if first.turn().is_err() {
                return;
            }
            leader.merge(&shared);
        }
        // The others find an empty batch and end.
        shared.hand_out(0);
        let _ended = shared.rendezvous.wait();
    });
    leader.end()
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
            record: ask.records.then(Record::default),
            peak_bytes: 0,
        };
        let next = Frontier::new(space.width());
        Self { space, ask, next, at: (0, 0), done: 0, growth: 1.0, walk }
    }

    /// The first level.
    fn start(&mut self, workers: &mut [Worker<'_, impl Expander>]) {
        let mut found = Found::default();
        let owners = workers.len();
        workers[0].expander.initial(&mut found);
        self.walk.log.begin_level();
        let mut rows = Segment::new();
        for &Row { fingerprint, course, ordinal } in found.rows() {
            let mut is_new = false;
            let owner = &mut workers[owner_of(fingerprint, owners)];
            owner.seen.insert([(0, fingerprint)].into_iter(), |_| is_new = true);
            if is_new {
                let at = rows.len();
                rows.resize(at + self.space.width(), 0);
                let expander = &mut workers[0].expander;
                expander.follow(course, &mut rows[at..]);
                let noted = expander.inspect(&rows[at..]);
                self.note(self.walk.states, noted);
                if let Some(record) = &mut self.walk.record {
                    record.state(fingerprint);
                    record.note(self.walk.states, noted);
                }
                self.walk.log.note_state(ordinal);
                self.walk.states += 1;
            }
        }
        let mut level = Frontier::new(self.space.width());
        level.append(&mut rows);
        let shared = workers[0].shared;
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
        shared.hand_out(count);
        true
    }

    /// Writes a batch into the books, in order, and no more states than are allowed.
    fn merge(&mut self, shared: &Shared) {
        let most = self.ask.limits.max_states;
        let most = most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
        for chunk in shared.batch() {
            let mut chunk = chunk.write().unwrap_or_else(PoisonError::into_inner);
            let room = most.saturating_sub(self.walk.states);
            let count = chunk.ordinals.len().min(room);
            self.walk.transitions += chunk.successors();
            let noted = chunk.noted.iter().take_while(|(place, _)| *place < count);
            noted.for_each(|&(place, noted)| self.note(self.walk.states + place, noted));
            self.walk.states += count;
            self.walk.log.note(&chunk.ordinals[..count], &chunk.children);
            if count < chunk.ordinals.len() {
                self.walk.cut = self.walk.cut.or(Some(Cut::States));
                return;
            }
            if let Some(record) = &mut self.walk.record {
                chunk.record_states(record);
            }
            self.next.append(&mut chunk.rows);
        }
        if let Some(record) = &mut self.walk.record {
            for chunk in shared.batch() {
                chunk.read().unwrap_or_else(PoisonError::into_inner).record_transitions(record);
            }
        }
    }

    /// What was found.
    fn end(mut self) -> Walk {
        if self.walk.cut.is_some() {
            self.walk.record = None;
        }
        self.walk.record.iter_mut().for_each(Record::end);
        self.walk
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
        let of_threads = shared.bytes.iter().map(|bytes| bytes.load(Ordering::Relaxed));
        let own = of_threads.sum::<usize>()
            + self.walk.log.bytes()
            + level.bytes()
            + self.next.bytes()
            + self.space.bytes();
        let recorded = self.walk.record.as_ref().map_or(0, Record::bytes);
        self.walk.peak_bytes = self.walk.peak_bytes.max(own + recorded);
        let memory = ((own + recorded) as u64).max(self.ask.progress.allocated());
        let states = self.walk.states as u64;
        self.ask.progress.stand(Standing {
            states,
            level: self.walk.depth as u64,
            frontier: Some((level.rows() - self.done + self.next.rows()) as u64),
            growth: self.growth,
            memory,
        });
        let limits = self.ask.limits;
        let cut = if limits.max_memory.is_some_and(|most| memory > most) {
            // Without the graph the search may still come to its end.
            if self.walk.record.take().is_some() { None } else { Some(Cut::Memory) }
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
