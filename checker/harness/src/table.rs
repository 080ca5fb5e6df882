//! The table level: a table alone, without Rust, in the environment derived from its resources.
//!
//! An armed timer may fire, an outstanding request may be answered, a command or a message may
//! arrive at any time ([`environment`]). [`graph`] is the state graph, [`verdict`] judges the five
//! properties on it. No core runs here.

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
