//! The table level: any table, no Rust, in the environment that its resources give it.
//!
//! A timer may fire while it is armed, an answer may come while its request is outstanding, a
//! command or a message may come at any time. [`environment`] is that,
//! [`graph`] its whole graph, [`verdict`] what the graph says of the five properties. No core
//! runs here and no protocol is known.

pub mod cell;
pub mod environment;
pub mod graph;
pub mod verdict;
pub mod words;

use std::time::Instant;

use turnstile_spec::table::{Table, Vocabulary};

use crate::options::Options;
use crate::result::{ResultKind, ResultReport};

use environment::Environment;
use graph::Graph;

/// Searches a table exhaustively, or up to a bound of the options, and judges it.
#[must_use]
pub fn check(vocabulary: &Vocabulary, table: &Table, options: &Options<'_>) -> ResultReport {
    let begun = Instant::now();
    let mut result = ResultReport::new(ResultKind::Table, &vocabulary.machine, None);
    options.progress.begin(&format!("{} (table)", vocabulary.machine));
    let environment = Environment::new(vocabulary, table);
    let graph = Graph::explore(&environment, options);
    result.as_written = options.as_written;
    result.complete = graph.cut.is_none();
    result.engine = "graph".to_owned();
    result.states = graph.states;
    result.transitions = graph.transitions;
    result.depth = graph.depth;
    verdict::judge(&environment, &graph, &mut result);
    result.notes.cut.clone_from(&graph.cut);
    result.seconds = begun.elapsed().as_secs_f64();
    result.peak_memory_bytes = options.progress.peak();
    options.progress.end();
    result
}
