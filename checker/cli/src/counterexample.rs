//! Counterexamples as JSON Lines: `check --trace FILE` writes them, `replay FILE` follows them.

use std::fmt::Write as _;

use serde::Serialize;
use turnstile_harness::options::Options;
use turnstile_harness::results::result::{ResultKind, ResultReport};
use turnstile_harness::retrace::RecordedStep;
use turnstile_search::judgement::Verdict;

use crate::library::{Library, NamedFile};

mod follow;
mod recorded;

pub(crate) use follow::replay;
pub(crate) use recorded::is_counterexample;

use recorded::{Head, NONE, VERSION};

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
