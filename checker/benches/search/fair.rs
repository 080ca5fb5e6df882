//! The cost of liveness under fairness beside that of the exploration: recording the state graph,
//! and the search for fair components in it.

use std::time::Instant;

use turnstile_models::parts::Lock;
use turnstile_search::bounds::{Limits, NoProgress, Reductions};
use turnstile_search::breadth_first::{SearchConfig, SearchOutcome, search};
use turnstile_search::interned::Interned;
use turnstile_search::judgement::Verdict;
use turnstile_search::liveness::{LabelledGraph, leads_to};

/// The time of each phase, in seconds; all run on this thread.
#[derive(Clone, Copy, Debug)]
struct Times {
    states: usize,
    /// The exploration alone.
    plain: f64,
    /// The exploration with the graph recorded.
    recorded: f64,
    /// The verdict.
    judged: f64,
}

impl Times {
    fn least(self, other: Self) -> Self {
        assert_eq!(self.states, other.states, "the same each time");
        Self {
            plain: self.plain.min(other.plain),
            recorded: self.recorded.min(other.recorded),
            judged: self.judged.min(other.judged),
            ..self
        }
    }
}

/// Measures a size of the lock protocol a number of times and prints the least of each.
pub(crate) fn print(size: &str, clients: usize, rounds: u8, times: usize) {
    let clients = u8::try_from(clients).expect("few clients");
    let system = Lock::new(clients, rounds);
    let times = (0..times).map(|_| measure(&system)).reduce(Times::least).expect("some rounds");
    let Times { states, plain, recorded, judged } = times;
    println!(
        "\n{size}: liveness, {states} states, 1 thread, seconds: \
         exploration {plain:.3}, with the graph {recorded:.3}, the verdict {judged:.3}; \
         verdict / exploration {:.2}",
        judged / plain
    );
}

fn measure(system: &Lock) -> Times {
    let ends = (2, true);
    let interned = Interned::new(system);
    let space = interned.space(vec![(0, false), (1, true), ends], Reductions::NONE);
    let config = |records_graph| SearchConfig {
        threads: 1,
        limits: Limits::default(),
        stop_at: 1,
        records_graph,
        progress: &NoProgress,
    };
    let begun = Instant::now();
    let states = search(&space, config(false)).states;
    let plain = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let SearchOutcome { graph, log, .. } = search(&space, config(true));
    let graph = LabelledGraph::of(graph.expect("requested"), &log, space.labels());
    let recorded = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let judgement = leads_to(&graph, None, 1 << 2);
    let judged = begun.elapsed().as_secs_f64();
    assert_eq!(judgement.verdict, Verdict::HoldsUnderFairness, "retries end, where they are fair");
    assert_eq!(graph.len(), states, "with the graph or without");
    Times { states, plain, recorded, judged }
}
