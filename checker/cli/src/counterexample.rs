//! Counterexamples as JSON Lines: `check --trace FILE` writes them, `replay FILE` follows them.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use turnstile_harness::options::Options;
use turnstile_harness::result::{ResultKind, ResultReport};
use turnstile_harness::retrace::RecordedStep;
use turnstile_search::judgement::Verdict;

use crate::library::{Library, NamedFile};

mod follow;

pub(crate) use follow::replay;

/// The version of the format.
const VERSION: u32 = 1;
/// How every such file begins.
const BEGINNING: &[u8] = b"{\"counterexample\":";
/// The file where nothing fails.
const NONE: &str = "{\"counterexample\":null}\n";

/// The first line of a counterexample. A line for each step follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    counterexample: u32,
    /// The name of a bundled system, or the path of its file; `None`: a table alone.
    system: Option<String>,
    world: Option<String>,
    /// Of a system: the path of a table that runs in place of a bundled one. Otherwise the name of
    /// a bundled table, or the path of its file.
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

/// The counterexamples among the results.
pub(crate) fn write(results: &[ResultReport], library: &Library, options: &Options<'_>) -> String {
    let mut text = String::new();
    for result in results {
        let Some(ran) = Head::of(result, library, options) else { continue };
        for property in result.properties.iter().filter(|one| one.verdict == Verdict::Fails) {
            let head = Head {
                property: property.name.clone(),
                loop_from: property.loop_from,
                steps: property.counterexample.len(),
                ..ran.clone()
            };
            let _ = writeln!(text, "{}", json(&head));
            for step in &property.counterexample {
                let _ = writeln!(text, "{}", json(&RecordedStep::from(step)));
            }
        }
    }
    if text.is_empty() { NONE.to_owned() } else { text }
}

impl Head {
    /// The head of a counterexample of this result, without its property; `None`: the result is
    /// that of all worlds of a system together.
    fn of(result: &ResultReport, library: &Library, options: &Options<'_>) -> Option<Self> {
        let file = result.notes.files.first()?;
        let ran = Self {
            counterexample: VERSION,
            system: None,
            world: result.world.clone(),
            table: None,
            as_written: result.as_written,
            set: options.set.clone(),
            property: String::new(),
            loop_from: None,
            steps: 0,
        };
        let is_among =
            |files: &[NamedFile], name: &str| files.iter().any(|one| one.file.source.name == name);
        let named = |texts| if is_among(texts, file) { &result.name } else { file };
        if result.kind == ResultKind::Table {
            return Some(Self { table: Some(named(&library.tables).clone()), ..ran });
        }
        result.world.as_ref()?;
        let mut tables = result.notes.files[1..].iter();
        let table = tables.find(|name| !is_among(&library.tables, name)).cloned();
        let is_bundled = is_among(&library.systems, file);
        let system = Some(named(&library.systems).clone());
        Some(Self { system, table: table.filter(|_| is_bundled), ..ran })
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("it has string keys")
}

/// A counterexample, and the line of its head, counted from 1.
struct Recorded {
    line: usize,
    head: Head,
    steps: Vec<RecordedStep>,
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
