//! The table level: a table alone, as one node of a world in a free environment.
//!
//! The node runs the plain core, as the nodes of a system of tables do, and the engine of the
//! systems searches its world. An armed timer may fire, an outstanding request may be answered, a
//! command or a message may arrive at any time ([`environment`]). [`findings`] reports every
//! distinct violation of a property, and not the first one only.

mod environment;
mod findings;
mod properties;
pub mod retrace;
mod words;

use std::time::Instant;

use turnstile_spec::table::{Table, Vocabulary};
use turnstile_world::World;

use crate::options::Options;
use crate::results::result::{ResultKind, ResultReport};

use environment::Environment;

/// Searches a table exhaustively, or up to a bound of the options, and judges it.
#[must_use]
pub fn check(vocabulary: &Vocabulary, table: &Table, options: &Options<'_>) -> ResultReport {
    let begun = Instant::now();
    options.progress.begin(&format!("{} (table)", vocabulary.machine));
    let mut result = match Environment::new(vocabulary, table) {
        Ok(Some(environment)) => environment.check(options),
        Ok(None) => findings::vacuous(vocabulary, table),
        Err(reason) => {
            let mut result = ResultReport::new(ResultKind::Table, &vocabulary.machine, None);
            result.notes.cut = Some(reason);
            result
        }
    };
    result.as_written = options.as_written;
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
    environment.map(|environment| (*environment.world).clone()).ok_or_else(none)
}
