//! `replay FILE` follows recorded counterexamples on the tables and cores as they are now.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use turnstile_harness::options::{Options, Refusal};
use turnstile_harness::results::status::Status;
use turnstile_harness::retrace::{Divergence, RecordedStep, follow};
use turnstile_harness::{SourceFile, Systems, table};
use turnstile_search::bounds::NoProgress;
use turnstile_spec::Diagnostics;

use super::recorded::{Head, NONE, Recorded, parse};
use crate::files::Files;
use crate::library::{self, Library, NamedFile};
use crate::output::{usage_error, write_stdout};
use crate::{replacement, terminal};

/// Events that are listed in place of one that is not possible.
const SHOWN_MAX: usize = 8;

/// Follows each counterexample of a file and prints whether it is still one.
pub(crate) fn replay(name: &str, text: &str, (systems, files): (&Systems, &Arc<Files>)) -> Status {
    let library = match Library::load(systems, Arc::clone(files)) {
        Ok(library) => library,
        Err(error) => return usage_error(&error),
    };
    if text.trim() == NONE.trim() {
        return write_stdout(&format!("{name}: no counterexample was recorded\n"));
    }
    let recorded = match parse(name, text) {
        Ok(recorded) => recorded,
        Err(error) => return usage_error(&error),
    };
    let mut status = Status::Holds;
    for one in recorded {
        status = status.and(match one.follow(&library) {
            Ok(outcome) => write_stdout(&one.words(name, &outcome)).and(match outcome {
                Outcome::Violated => Status::Holds,
                Outcome::Holds | Outcome::Diverges(_) => Status::Fails,
            }),
            Err(error) => usage_error(&format!("{name}:{}: {error}", one.line)),
        });
    }
    status
}

enum Outcome {
    /// It is one still.
    Violated,
    /// Every step is as recorded, and the property is not violated.
    Holds,
    /// A step is not as recorded.
    Diverges(Divergence),
}

impl Recorded {
    fn follow(&self, library: &Library) -> Result<Outcome, String> {
        match (&self.head.system, &self.head.world, &self.head.table) {
            (Some(system), Some(world), _) => self.follow_system((system, world), library),
            (None, None, Some(table)) => self.follow_table(table, library),
            _ => Err("it names neither a system and its world nor a table".to_owned()),
        }
    }

    fn follow_table(&self, name: &str, library: &Library) -> Result<Outcome, String> {
        let file = file_of(name, &library.tables, "table", library)?;
        let literal = file.written().map_err(first)?;
        let table = if self.head.as_written {
            &literal.table
        } else {
            &file.amended().map_err(first)?.table
        };
        let property = &self.head.property;
        match table::retrace::follow((&literal.vocabulary, table), property, &self.steps) {
            Ok(Some(true)) => Ok(Outcome::Violated),
            Ok(Some(false)) => Ok(Outcome::Holds),
            Ok(None) => Err(format!("a table has no property `{property}`")),
            Err(divergence) => Ok(Outcome::Diverges(divergence)),
        }
    }

    fn follow_system(
        &self,
        (system, world): (&str, &str),
        library: &Library,
    ) -> Result<Outcome, String> {
        let Head { table, as_written, set, property, loop_from, .. } = &self.head;
        let file = file_of(system, &library.systems, "system", library)?;
        let of = file.system().map_err(first)?;
        let entry = library.entry(&file).map_err(|faults| rendered(&faults))?;
        let entry = entry.ok_or_else(|| library::no_cores(of))?;
        let named = of.world(world).ok_or_else(|| format!("`{system}` has no world `{world}`"))?;
        let table = table.as_ref().map(|path| library.files.read(Path::new(path))).transpose()?;
        let tables = replacement::tables(&entry, table.as_ref(), library, *as_written);
        let tables = tables.map_err(|faults| rendered(&faults))?;
        let options = Options {
            as_written: *as_written,
            set: set.clone(),
            tables,
            ..Options::new(&NoProgress)
        };
        let built = entry.world(of, named, &options).map_err(|refusal| match refusal {
            Refusal::Usage(what) => what,
            Refusal::Faults(faults) => rendered(&faults),
        })?;
        let all = built.named_properties();
        let claimed = all.iter().find(|one| one.name == *property);
        let claimed =
            claimed.ok_or_else(|| format!("`{system}/{world}` has no property `{property}`"))?;
        Ok(match follow(&built, claimed, &self.steps, *loop_from) {
            Ok(true) => Outcome::Violated,
            Ok(false) => Outcome::Holds,
            Err(divergence) => Outcome::Diverges(divergence),
        })
    }

    fn words(&self, name: &str, outcome: &Outcome) -> String {
        let paint = terminal::paint();
        let Head { system, world, table, property, .. } = &self.head;
        let ran = match (system, world) {
            (Some(system), Some(world)) => format!("{system}/{world}"),
            _ => table.clone().unwrap_or_default(),
        };
        let steps = match self.steps.len() {
            1 => "1 step".to_owned(),
            many => format!("{many} steps"),
        };
        let of = format!("{ran}: {property}");
        match outcome {
            Outcome::Violated => {
                format!("{} {name}: {of}: fails as recorded ({steps})\n", paint.good("✓"))
            }
            Outcome::Holds => format!(
                "{} {name}: {of}: every step is as recorded ({steps}), and the property is not \
                 violated\n",
                paint.bad("✗")
            ),
            Outcome::Diverges(divergence) => {
                let mut text = format!(
                    "{} {name}:{}: {of}: step {} is not as recorded\n",
                    paint.bad("✗"),
                    self.line + 1 + divergence.step,
                    divergence.step + 1
                );
                let _ = writeln!(text, "  recorded: {}", words(&self.steps[divergence.step]));
                if !divergence.is_possible {
                    let _ = writeln!(text, "  this is not possible now; possible is:");
                }
                let label = if divergence.is_possible { "now:      " } else { "- " };
                for step in divergence.instead.iter().take(SHOWN_MAX) {
                    let _ = writeln!(text, "  {label}{}", words(step));
                }
                match divergence.instead.len().saturating_sub(SHOWN_MAX) {
                    0 if divergence.instead.is_empty() => text.push_str("  - nothing\n"),
                    0 => {}
                    more => {
                        let _ = writeln!(text, "  … and {more} more");
                    }
                }
                text
            }
        }
    }
}

/// A file by its path, or by the name of a bundled one.
fn file_of(
    name: &str,
    bundled: &[NamedFile],
    what: &str,
    library: &Library,
) -> Result<Arc<SourceFile>, String> {
    if library.is_file(name) {
        return library.files.read(Path::new(name));
    }
    let known = bundled.iter().find(|one| one.file.name == *name);
    known.map(|one| Arc::clone(&one.file)).ok_or_else(|| library::unknown(what, name, &[bundled]))
}

/// `door: open please from car, row r1, sends opened to car`.
fn words(step: &RecordedStep) -> String {
    let RecordedStep { node, event, row, from, effects } = step;
    let mut text = format!("{node}: {event}");
    if let Some(from) = from {
        let _ = write!(text, " from {from}");
    }
    if !row.is_empty() {
        let _ = write!(text, ", row {row}");
    }
    effects.iter().for_each(|effect| {
        let _ = write!(text, ", {effect}");
    });
    text
}

fn first(faults: &Diagnostics) -> String {
    rendered(&turnstile_harness::results::fault::FaultReport::errors(faults))
}

fn rendered(faults: &[turnstile_harness::results::fault::FaultReport]) -> String {
    let all: Vec<&str> = faults.iter().map(|fault| fault.rendered.trim_end()).collect();
    format!("its files have errors\n{}", all.join("\n"))
}
