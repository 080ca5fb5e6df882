//! What fair runs do in the end, beside the exploration: writing the graph down, and looking for
//! fair components in all of it.

use turnstile_search::bounds::{Limits, Reductions};
use turnstile_search::breadth::{Ask, Walk, search};
use turnstile_search::interned::Interned;
use turnstile_search::judged::Verdict;
use turnstile_search::live::{Graph, leads_to};

use crate::clock::Clock;
use crate::parts::Lock;

/// Processor seconds of each part.
#[derive(Clone, Copy, Debug)]
struct Spent {
    states: usize,
    /// The exploration by itself.
    plain: f64,
    /// The exploration that writes the graph down, and the end of it.
    recorded: f64,
    /// The verdict on all fair runs.
    judged: f64,
}

impl Spent {
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

/// Measures so many rounds of a size of the lock protocol and prints the least of each.
pub(crate) fn print(size: &str, clients: usize, rounds: u8, times: usize) {
    let clients = u8::try_from(clients).expect("few clients");
    let system = Lock::new(clients, rounds);
    let spent = (0..times).map(|_| measure(&system)).reduce(Spent::least).expect("some rounds");
    let Spent { states, plain, recorded, judged } = spent;
    println!(
        "\n{size}: what fair runs do, {states} states, 1 thread, processor seconds: \
         exploration {plain:.3}, with the graph {recorded:.3}, the verdict {judged:.3}; \
         verdict / exploration {:.2}",
        judged / plain
    );
}

fn measure(system: &Lock) -> Spent {
    let clock = Clock::default();
    let ends = (2, true);
    let space = Interned::new(system, vec![(0, false), (1, true), ends], Reductions::NONE);
    let ask = |records| Ask {
        threads: 1,
        limits: Limits::default(),
        stop_at: 1,
        records,
        progress: &clock,
    };
    let begun = clock.busiest();
    let states = search(&space, ask(false)).states;
    let plain = clock.busiest();
    let Walk { record, log, .. } = search(&space, ask(true));
    let graph = Graph::of(record.expect("asked for"), &log, space.labels());
    let recorded = clock.busiest();
    let judged = leads_to(&graph, None, 1 << 2);
    assert_eq!(judged.verdict, Verdict::FailsOnlyUnfairly, "retries end, where they are fair");
    assert_eq!(graph.len(), states, "with the graph or without");
    Spent {
        states,
        plain: plain - begun,
        recorded: recorded - plain,
        judged: clock.busiest() - recorded,
    }
}
