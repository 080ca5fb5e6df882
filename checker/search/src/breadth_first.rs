//! Breadth-first search, one level after the other, on any number of threads.
//!
//! A level is divided into chunks. The chunks of a batch are expanded in parallel, their successors
//! are inserted into the shards of the [fingerprint set](crate::storage::fingerprint_set) in the
//! order of chunks, and the new ones are gathered in that order, each chunk by the thread that
//! expanded it. So the order of the states, the log, the counts and the shortest counterexample do
//! not depend on the number of threads.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::bounds::{Limits, Progress, ProgressSnapshot};
use crate::interned::StateSpace;
use crate::storage::discovery_log::DiscoveryLog;
use crate::storage::fingerprint_set::owner_of;
use crate::storage::frontier::{Frontier, Segment};
use crate::storage::state_graph::StateGraph;
use crate::successors::{Successor, Successors};
use crate::worker::{BATCH_CHUNKS, SharedSearch, Worker};

/// The most states in a chunk.
const CHUNK_VECTORS: usize = 256;

/// The configuration of a search.
#[derive(Clone, Copy)]
pub struct SearchConfig<'a> {
    /// Threads, at least 1.
    pub threads: usize,
    /// The limits at which the search is truncated.
    pub limits: Limits,
    /// Propositions of the space, as bits; the search stops at a state with one of
    /// them.
    pub stop_at: u64,
    /// Whether to record the state graph.
    pub records_graph: bool,
    /// The observer of the search, which may stop it.
    pub progress: &'a dyn Progress,
}

/// The outcome of a search.
#[derive(Debug)]
pub struct SearchOutcome {
    /// Unique states.
    pub states: usize,
    /// Transitions, self-loops excluded.
    pub transitions: usize,
    /// The greatest distance of a state from an initial one, in steps.
    pub depth: usize,
    /// Why the search was truncated; `None`: it is exhaustive.
    pub truncation: Option<Truncation>,
    /// By proposition: the first state where it holds, as its number in the log.
    pub first: [Option<usize>; 64],
    /// How each state was found.
    pub log: DiscoveryLog,
    /// The state graph, if requested, the search is exhaustive and the memory was sufficient.
    pub graph: Option<StateGraph>,
    /// The peak of the bytes allocated, as the search estimates it.
    pub peak_bytes: usize,
}

/// Why a search was truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truncation {
    /// [`Limits::max_states`] is reached.
    States,
    /// [`Limits::max_memory`] is reached.
    Memory,
    /// [`Limits::deadline`] is reached.
    Timeout,
    /// [`Progress::is_stopped`] returned true.
    Stopped,
    /// A proposition of [`SearchConfig::stop_at`] holds in a state.
    Found,
    /// Random walks, which are no search.
    Walks,
}

/// Searches a state space.
#[must_use]
pub fn search(space: &StateSpace<'_>, config: SearchConfig<'_>) -> SearchOutcome {
    assert!(config.threads > 0, "a search needs a thread");
    let shared = SharedSearch::new(space.width(), config.threads, config.records_graph);
    let mut workers: Vec<_> =
        (0..config.threads).map(|thread| Worker::new(&shared, space, thread)).collect();
    let mut leader = Leader::new(space, config);
    leader.start(&mut workers);
    std::thread::scope(|scope| {
        let (first, others) = workers.split_first_mut().expect("at least one");
        for worker in others {
            scope.spawn(move || worker.work());
        }
        let _guard = shared.barrier.guard();
        while leader.plan(&shared) {
            if first.run_batch().is_err() {
                return;
            }
            leader.merge(&shared);
        }
        // An empty batch ends the other threads.
        shared.hand_out(0);
        let _ended = shared.barrier.wait();
    });
    leader.finish()
}

/// The thread that plans the batches and merges their results.
struct Leader<'a> {
    space: &'a StateSpace<'a>,
    config: SearchConfig<'a>,
    /// The next level.
    next: Frontier,
    /// Where the next batch begins in the current level: segment and state.
    at: (usize, usize),
    /// States of the current level handed out.
    done: usize,
    /// See [`ProgressSnapshot::growth`].
    growth: f64,
    outcome: SearchOutcome,
}

impl<'a> Leader<'a> {
    fn new(space: &'a StateSpace<'_>, config: SearchConfig<'a>) -> Self {
        let outcome = SearchOutcome {
            states: 0,
            transitions: 0,
            depth: 0,
            truncation: None,
            first: [None; 64],
            log: DiscoveryLog::default(),
            graph: config.records_graph.then(StateGraph::default),
            peak_bytes: 0,
        };
        let next = Frontier::new(space.width());
        Self { space, config, next, at: (0, 0), done: 0, growth: 1.0, outcome }
    }

    /// Finds the initial states.
    fn start(&mut self, workers: &mut [Worker<'_>]) {
        let mut found = Successors::default();
        let owners = workers.len();
        workers[0].expander.initial(&mut found);
        self.outcome.log.begin_level();
        let mut vectors = Segment::new();
        for &Successor { fingerprint, delta, ordinal } in found.kept() {
            let mut is_new = false;
            let owner = &mut workers[owner_of(fingerprint, owners)];
            owner.fingerprints.insert([(0, fingerprint)].into_iter(), |_| is_new = true);
            if is_new {
                let at = vectors.len();
                vectors.resize(at + self.space.width(), 0);
                let expander = &mut workers[0].expander;
                expander.apply(delta, &mut vectors[at..]);
                let holding = expander.evaluate(&vectors[at..]);
                self.note(self.outcome.states, holding);
                if let Some(graph) = &mut self.outcome.graph {
                    graph.add_state(fingerprint);
                    graph.set_propositions(self.outcome.states, holding);
                }
                self.outcome.log.add_state(ordinal);
                self.outcome.states += 1;
            }
        }
        let mut level = Frontier::new(self.space.width());
        level.append(&mut vectors);
        let shared = workers[0].shared;
        *shared.level.write().unwrap_or_else(PoisonError::into_inner) = level;
        self.outcome.log.begin_level();
    }

    /// Hands out the next batch, from the next level if this one is done; false at the end.
    fn plan(&mut self, shared: &SharedSearch) -> bool {
        let mut level = shared.level.write().unwrap_or_else(PoisonError::into_inner);
        self.check_limits(shared, &level);
        if self.outcome.truncation.is_some() {
            return false;
        }
        if self.done == level.vectors() {
            if self.next.vectors() == 0 {
                return false;
            }
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            let growth = self.next.vectors() as f64 / level.vectors() as f64;
            self.growth = growth;
            *level = std::mem::replace(&mut self.next, Frontier::new(self.space.width()));
            (self.at, self.done) = ((0, 0), 0);
            self.outcome.depth += 1;
            self.outcome.log.begin_level();
        }
        level.release(self.at.0);
        let mut count = 0;
        while count < BATCH_CHUNKS
            && let Some(span) = level.span(self.at, CHUNK_VECTORS)
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

    /// Merges the results of a batch in order, up to [`Limits::max_states`].
    fn merge(&mut self, shared: &SharedSearch) {
        let most = self.config.limits.max_states;
        let most = most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
        for chunk in shared.batch() {
            let mut chunk = chunk.write().unwrap_or_else(PoisonError::into_inner);
            let room = most.saturating_sub(self.outcome.states);
            let count = chunk.ordinals.len().min(room);
            self.outcome.transitions += chunk.successors();
            let holding = chunk.holding.iter().take_while(|(index, _)| *index < count);
            holding.for_each(|&(index, holding)| self.note(self.outcome.states + index, holding));
            self.outcome.states += count;
            self.outcome.log.add_states(&chunk.ordinals[..count], &chunk.children);
            if count < chunk.ordinals.len() {
                self.outcome.truncation = self.outcome.truncation.or(Some(Truncation::States));
                return;
            }
            if let Some(graph) = &mut self.outcome.graph {
                chunk.record_states(graph);
            }
            self.next.append(&mut chunk.vectors);
        }
        if let Some(graph) = &mut self.outcome.graph {
            for chunk in shared.batch() {
                chunk.read().unwrap_or_else(PoisonError::into_inner).record_transitions(graph);
            }
        }
    }

    /// The outcome.
    fn finish(mut self) -> SearchOutcome {
        if self.outcome.truncation.is_some() {
            self.outcome.graph = None;
        }
        self.outcome.graph.iter_mut().for_each(StateGraph::finish);
        self.outcome
    }

    /// Records the propositions that hold in a new state.
    fn note(&mut self, state: usize, holding: u64) {
        for (proposition, first) in self.outcome.first.iter_mut().enumerate() {
            if holding >> proposition & 1 == 1 && first.is_none() {
                *first = Some(state);
            }
        }
        if holding & self.config.stop_at != 0 {
            self.outcome.truncation = Some(Truncation::Found);
        }
    }

    /// Reports progress and checks the limits.
    fn check_limits(&mut self, shared: &SharedSearch, level: &Frontier) {
        let of_threads = shared.bytes.iter().map(|bytes| bytes.load(Ordering::Relaxed));
        let own = of_threads.sum::<usize>()
            + self.outcome.log.bytes()
            + level.bytes()
            + self.next.bytes()
            + self.space.bytes();
        let recorded = self.outcome.graph.as_ref().map_or(0, StateGraph::bytes);
        self.outcome.peak_bytes = self.outcome.peak_bytes.max(own + recorded);
        let memory = ((own + recorded) as u64).max(self.config.progress.allocated());
        let states = self.outcome.states as u64;
        self.config.progress.update(ProgressSnapshot {
            states,
            level: self.outcome.depth as u64,
            frontier: Some((level.vectors() - self.done + self.next.vectors()) as u64),
            growth: self.growth,
            memory,
        });
        let limits = self.config.limits;
        let is_full = self.outcome.graph.as_ref().is_some_and(StateGraph::is_full);
        let truncation = if is_full || limits.max_memory.is_some_and(|most| memory > most) {
            // Without the graph the search may still be exhaustive.
            if self.outcome.graph.take().is_some() { None } else { Some(Truncation::Memory) }
        } else if limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(Truncation::Timeout)
        } else if self.config.progress.is_stopped() {
            Some(Truncation::Stopped)
        } else {
            None
        };
        // A search with nothing left to expand is exhaustive, whatever its limits.
        let is_over = self.done == level.vectors() && self.next.vectors() == 0;
        if !is_over {
            self.outcome.truncation = self.outcome.truncation.or(truncation);
        }
    }
}
