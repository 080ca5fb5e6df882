//! What fair runs do in the end, beside the exploration: writing the graph down, and looking for
//! fair components in all of it.

use std::sync::Mutex;

use turnstile_checker::report::options::{Limits, Progress, Reductions, Standing};
use turnstile_checker::search::breadth::{Ask, search};
use turnstile_checker::search::engine::{Question, run};
use turnstile_checker::search::interned::Interned;

use crate::clock::Clock;
use crate::parts::Lock;

/// Processor seconds of each part.
#[derive(Clone, Copy, Debug)]
struct Spent {
    states: usize,
    /// The exploration by itself.
    plain: f64,
    /// The exploration that writes the graph down.
    recorded: f64,
    /// The verdicts on whole runs.
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

/// A clock that remembers what it showed when the exploration ended.
#[derive(Debug, Default)]
struct Lap(Clock, Mutex<f64>);

impl Progress for Lap {
    fn begin(&self, _title: &str) {}
    fn stand(&self, _standing: Standing) {
        *self.1.lock().expect("nobody panics with it") = self.0.busiest();
    }
    fn end(&self) {}
    fn is_stopped(&self) -> bool {
        false
    }
    fn allocated(&self) -> u64 {
        0
    }
    fn peak(&self) -> u64 {
        0
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
         exploration {plain:.3}, with the graph {recorded:.3}, verdicts {judged:.3}; \
         verdicts / exploration {:.2}",
        judged / plain
    );
}

fn measure(system: &Lock) -> Spent {
    let clock = Clock::default();
    let begun = clock.busiest();
    let space = Interned::new(system, vec![(0, false), (1, true)], Reductions::NONE);
    let limits = Limits::default();
    let ask = Ask { threads: 1, limits, stop_at: 1, records: false, progress: &clock };
    let plain = search(&space, ask).states;
    let middle = clock.busiest();
    let lap = Lap::default();
    let question = Question {
        threads: 1,
        limits,
        reduce: Reductions::NONE,
        stops_at_failure: false,
        progress: &lap,
    };
    let outcome = run(system, question);
    assert_eq!(outcome.states, plain, "with the graph or without");
    let explored = *lap.1.lock().expect("nobody panics with it");
    Spent {
        states: plain,
        plain: middle - begun,
        recorded: explored - middle,
        judged: clock.busiest() - explored,
    }
}
