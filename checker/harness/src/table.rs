//! The table level: a table alone, as one node of a world in a free environment.
//!
//! The node runs the plain core, as the nodes of a system of tables do. An armed timer may fire, an
//! outstanding request may be answered, a command or a message may arrive at any time
//! ([`environment`]). [`graph`] is the state graph, [`verdict`] judges the five properties on it:
//! every distinct finding, and not the first one only.

pub mod environment;
mod graph;
mod properties;
pub mod retrace;
mod verdict;
mod words;

use std::time::Instant;

use turnstile_spec::table::{Table, Vocabulary};
use turnstile_world::World;

use crate::options::Options;
use crate::results::result::{ResultKind, ResultReport};

use environment::Environment;
use graph::Graph;

/// Searches a table exhaustively, or up to a bound of the options, and judges it.
#[must_use]
pub fn check(vocabulary: &Vocabulary, table: &Table, options: &Options<'_>) -> ResultReport {
    let begun = Instant::now();
    let mut result = ResultReport::new(ResultKind::Table, &vocabulary.machine, None);
    options.progress.begin(&format!("{} (table)", vocabulary.machine));
    result.as_written = options.as_written;
    result.engine = "graph".to_owned();
    match Environment::new(vocabulary, table) {
        Ok(environment) => {
            let graph = Graph::explore(&environment, options);
            result.complete = graph.cut.is_none();
            result.states = graph.states;
            result.transitions = graph.transitions;
            result.depth = graph.depth;
            verdict::judge(&environment, &graph, &mut result);
            result.notes.cut = graph.cut;
        }
        Err(reason) => {
            result.complete = false;
            result.notes.cut = Some(reason);
        }
    }
    result.seconds = begun.elapsed().as_secs_f64();
    result.peak_memory_bytes = options.progress.peak();
    options.progress.end();
    result
}

/// The world of a table that runs alone, for the Explorer and for the engines that search any
/// world. A state in which more resources are active than this level follows has no step.
///
/// # Errors
///
/// Why the table cannot run, in one clause.
pub fn world(vocabulary: &Vocabulary, table: &Table) -> Result<World, String> {
    let environment = Environment::new(vocabulary, table)?;
    let none = || format!("`{}` has no initial state", vocabulary.machine);
    environment.world().cloned().ok_or_else(none)
}
