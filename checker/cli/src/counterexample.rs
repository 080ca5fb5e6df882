//! Counterexamples as JSON Lines: `check --trace FILE` writes them, `replay FILE` follows them.

use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use turnstile_harness::options::{Options, Refusal};
use turnstile_harness::result::{ResultKind, ResultReport};
use turnstile_harness::retrace::{Divergence, RecordedStep, follow};
use turnstile_harness::status::Status;
use turnstile_harness::{SystemEntry, Systems, read};
use turnstile_search::bounds::NoProgress;
use turnstile_search::judgement::Verdict;
use turnstile_spec::Diagnostics;

use crate::library::{self, Library, SourceFile};
use crate::output::{usage_error, write_stdout};
use crate::{own_system, replacement, terminal};

/// The version of the format.
const VERSION: u32 = 1;
/// How every such file begins.
const BEGINNING: &[u8] = b"{\"counterexample\":";
/// The file where nothing fails.
const NONE: &str = "{\"counterexample\":null}\n";
/// Events that are listed in place of one that is not possible.
const SHOWN_MAX: usize = 8;

/// The first line of a counterexample. A line for each step follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    counterexample: u32,
    /// The name of a bundled system, or the path of its file.
    system: String,
    world: String,
    /// The path of a table that runs in place of a bundled one.
    table: Option<String>,
    as_written: bool,
    set: Vec<(String, String)>,
    property: String,
    loop_from: Option<usize>,
    /// How many lines of steps follow.
    steps: usize,
}

/// Whether a file that begins like this is one of these.
pub(crate) fn is_counterexample(beginning: &[u8]) -> bool {
    beginning.trim_ascii_start().starts_with(BEGINNING)
}

/// The counterexamples of the worlds among the results.
pub(crate) fn write(results: &[ResultReport], library: &Library, options: &Options<'_>) -> String {
    let mut text = String::new();
    let put = |text: &mut String, line: String| {
        let _ = writeln!(text, "{line}");
    };
    for result in results.iter().filter(|result| result.kind == ResultKind::System) {
        let (Some(world), Some(file)) = (&result.world, result.notes.files.first()) else {
            continue;
        };
        let is_bundled = |name: &str| library.systems.iter().any(|text| text.source.name == name);
        let is_table =
            |name: &&String| library.tables.iter().all(|text| text.source.name != **name);
        let table = result.notes.files[1..].iter().find(is_table);
        for property in result.properties.iter().filter(|one| one.verdict == Verdict::Fails) {
            let head = Head {
                counterexample: VERSION,
                system: if is_bundled(file) { result.name.clone() } else { file.clone() },
                world: world.clone(),
                table: table.filter(|_| is_bundled(file)).cloned(),
                as_written: result.as_written,
                set: options.set.clone(),
                property: property.name.clone(),
                loop_from: property.loop_from,
                steps: property.counterexample.len(),
            };
            put(&mut text, json(&head));
            for step in &property.counterexample {
                put(&mut text, json(&RecordedStep::from(step)));
            }
        }
    }
    if text.is_empty() { NONE.to_owned() } else { text }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("it has string keys")
}

/// Follows each counterexample of a file and prints whether it is still one.
pub(crate) fn replay(name: &str, text: &str, systems: Systems) -> Status {
    let library = match Library::load(systems) {
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

/// A counterexample, and the line of its head, counted from 1.
struct Recorded {
    line: usize,
    head: Head,
    steps: Vec<RecordedStep>,
}

enum Outcome {
    /// It is one still.
    Violated,
    /// Every step is as recorded, and the property is not violated.
    Holds,
    /// A step is not as recorded.
    Diverges(Divergence),
}

fn parse(name: &str, text: &str) -> Result<Vec<Recorded>, String> {
    let mut all: Vec<Recorded> = Vec::new();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let told = |error: serde_json::Error| {
            format!("{name}:{line}: not a line of a counterexample: {error}")
        };
        if is_counterexample(text.as_bytes()) {
            let head: Head = serde_json::from_str(text).map_err(told)?;
            if head.counterexample != VERSION {
                let version = head.counterexample;
                return Err(format!(
                    "{name}:{line}: version {version} of the format is not known; this program \
                     reads version {VERSION}"
                ));
            }
            all.push(Recorded { line, head, steps: Vec::new() });
        } else {
            let step = serde_json::from_str(text).map_err(told)?;
            let last =
                all.last_mut().ok_or_else(|| format!("{name}:{line}: a step before a head"))?;
            last.steps.push(step);
        }
    }
    for Recorded { line, head, steps } in &all {
        let (expected, found) = (head.steps, steps.len());
        if expected != found {
            return Err(format!(
                "{name}:{line}: this counterexample has {expected} steps, and {found} follow: the \
                 file is cut, or lines were added"
            ));
        }
        if head.loop_from.is_some_and(|first| first > found) {
            return Err(format!("{name}:{line}: its loop begins after its {found} steps"));
        }
    }
    Ok(all)
}

impl Recorded {
    fn follow(&self, library: &Library) -> Result<Outcome, String> {
        let Head { system, world, table, as_written, set, property, loop_from, .. } = &self.head;
        let text = self.system_file(library)?;
        let file = read::system(&text.source).map_err(|faults| first(&faults))?;
        let entry = entry(&file, library)?;
        let named =
            file.world(world).ok_or_else(|| format!("`{system}` has no world `{world}`"))?;
        let table = table.as_ref().map(|path| library::read(Path::new(path))).transpose()?;
        let tables = replacement::tables(entry, table.as_ref(), library, *as_written);
        let tables = tables.map_err(|faults| rendered(&faults))?;
        let options = Options {
            as_written: *as_written,
            set: set.clone(),
            tables,
            ..Options::new(&NoProgress)
        };
        let built = entry.world(&file, named, &options).map_err(|refusal| match refusal {
            Refusal::Usage(what) => what,
            Refusal::Faults(faults) => rendered(&faults),
        })?;
        let all = built.named_properties();
        let claimed = all.iter().find(|one| one.name == property);
        let claimed =
            claimed.ok_or_else(|| format!("`{system}/{world}` has no property `{property}`"))?;
        Ok(match follow(&built, claimed, &self.steps, *loop_from) {
            Ok(true) => Outcome::Violated,
            Ok(false) => Outcome::Holds,
            Err(divergence) => Outcome::Diverges(divergence),
        })
    }

    /// The file of its system.
    fn system_file(&self, library: &Library) -> Result<SourceFile, String> {
        let name = &self.head.system;
        if library.is_file(name) {
            return library::read(Path::new(name));
        }
        let known = library.systems.iter().find(|text| text.name == *name);
        known.cloned().ok_or_else(|| library::unknown("system", name, &[&library.systems]))
    }

    fn words(&self, name: &str, outcome: &Outcome) -> String {
        let paint = terminal::paint();
        let Head { system, world, property, .. } = &self.head;
        let steps = match self.steps.len() {
            1 => "1 step".to_owned(),
            many => format!("{many} steps"),
        };
        let of = format!("{system}/{world}: {property}");
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

fn entry(file: &turnstile_spec::System, library: &Library) -> Result<&'static SystemEntry, String> {
    match own_system::of_tables(file) {
        Some(Ok(entry)) => Ok(entry),
        Some(Err(faults)) => Err(rendered(&faults)),
        None => library
            .known
            .entry(&file.name)
            .ok_or_else(|| format!("this binary has no cores for the system `{}`", file.name)),
    }
}

fn first(faults: &Diagnostics) -> String {
    rendered(&turnstile_harness::fault::FaultReport::errors(faults))
}

fn rendered(faults: &[turnstile_harness::fault::FaultReport]) -> String {
    let all: Vec<&str> = faults.iter().map(|fault| fault.rendered.trim_end()).collect();
    format!("its files have errors\n{}", all.join("\n"))
}
