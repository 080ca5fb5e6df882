//! Whether amendments bear load: each is left out, with those that need it, and one of the things
//! that are said to show it must fail then. Nothing here changes a file or knows a protocol.

use std::collections::BTreeSet;

use turnstile_spec::literal::{Amendment, Partial};
use turnstile_spec::{Literal, System};

use crate::report::fault::FaultReport;
use crate::report::options::{Options, Refusal, Replacement, Until};
use crate::report::result::{PropertyReport, ResultReport, Verdict};
use crate::{systems, table};

/// How far each world is followed without an amendment, first and then, where nobody says how far:
/// that may lead to ever more messages, and another world may show the same sooner.
const WITHOUT_MAX: [u64; 2] = [50_000, 400_000];

/// What is said of one amendment.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Its name.
    pub id: String,
    /// Its reason.
    pub because: String,
    /// What was left out: this one first, then those that need it.
    pub without: Vec<String>,
    /// What is said to show it, in the order of the file.
    pub shown_by: Vec<Shown>,
}

/// One thing that is said to show an amendment.
#[derive(Clone, Debug)]
pub struct Shown {
    /// A fault's code, a property of the table, or `system/property`.
    pub by: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of leaving an amendment out.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The reader finds fault.
    Fault(Box<FaultReport>),
    /// The property fails.
    Run {
        /// Where: `claim` for the table, `claim/loss` for a world.
        place: String,
        /// The property, with the run.
        property: Box<PropertyReport>,
    },
    /// Nothing fails: a search came to its end everywhere.
    Nothing,
    /// Nothing failed, and a search was cut.
    Open(String),
    /// There is nothing of this name, or it cannot be searched.
    Unknown(String),
}

impl Verified {
    /// What really fails without it.
    pub fn shown(&self) -> impl Iterator<Item = &Shown> {
        self.shown_by
            .iter()
            .filter(|shown| matches!(shown.outcome, Outcome::Fault(_) | Outcome::Run { .. }))
    }

    /// Whether something fails without it.
    #[must_use]
    pub fn is_needed(&self) -> bool {
        self.shown().next().is_some()
    }

    /// Whether nothing failed and a search was cut.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let mut shown = self.shown_by.iter();
        !self.is_needed() && shown.any(|shown| matches!(shown.outcome, Outcome::Open(_)))
    }
}

/// Leaves an amendment out and looks at what is said to show it. The systems are those that may be
/// named; their other machines run what the options say.
#[must_use]
pub fn verify(
    literal: &Literal,
    amendment: &Amendment,
    systems: &[System],
    options: &Options<'_>,
) -> Verified {
    let without = left_out(&amendment.id, &literal.amendments);
    let partial = literal.without(&without);
    let replaced = Replacement {
        vocabulary: literal.vocabulary.clone(),
        table: partial.table.clone(),
        source: literal.source.clone(),
    };
    let tables = std::iter::once(replaced).chain(options.tables.iter().cloned()).collect();
    let options = Options { tables, ..options.clone() };
    let left = Left { literal, partial, systems, options };
    let shown_by = amendment.shown_by.iter();
    Verified {
        id: amendment.id.clone(),
        because: amendment.because.clone(),
        shown_by: shown_by.map(|by| Shown { by: by.clone(), outcome: left.outcome(by) }).collect(),
        without: without.into_iter().map(str::to_owned).collect(),
    }
}

/// The amendment and those that need it, directly or through others.
fn left_out<'a>(id: &'a str, all: &'a [Amendment]) -> Vec<&'a str> {
    let mut ids = vec![id];
    let mut nth = 0;
    while nth < ids.len() {
        let needs = |other: &&Amendment| other.needs.iter().any(|need| need == ids[nth]);
        let more: Vec<&str> = all.iter().filter(needs).map(|other| other.id.as_str()).collect();
        ids.extend(more);
        nth += 1;
        let mut seen = BTreeSet::new();
        ids.retain(|id| seen.insert(*id));
    }
    ids
}

/// A table without an amendment.
struct Left<'a> {
    literal: &'a Literal,
    partial: Partial,
    systems: &'a [System],
    options: Options<'a>,
}

impl Left<'_> {
    fn outcome(&self, by: &str) -> Outcome {
        if let Some((system, property)) = by.split_once('/') {
            return self.in_worlds(system, property);
        }
        let finding = self.partial.findings.iter().find(|finding| finding.code == by);
        if let Some(finding) = finding {
            let source = &self.literal.source;
            return Outcome::Fault(Box::new(FaultReport::at(finding, source)));
        }
        if turnstile_spec::code::ALL.contains(&by) {
            return Outcome::Nothing;
        }
        let result = table::check(&self.literal.vocabulary, &self.partial.table, &self.options);
        if result.properties.iter().all(|property| property.name != by) {
            return Outcome::Unknown(format!("no code and no property of tables is called `{by}`"));
        }
        judged(result, by)
    }

    /// The first default world of a system that shows the property to fail.
    fn in_worlds(&self, name: &str, property: &str) -> Outcome {
        let unknown = |what: &str| Outcome::Unknown(format!("{what} is called `{name}`"));
        let Some(entry) = systems::entry(name) else { return unknown("no system") };
        let Some(file) = self.systems.iter().find(|system| system.name == name) else {
            return unknown("no file of a system");
        };
        if file.properties.iter().all(|one| one.name != property) {
            return Outcome::Unknown(format!("{name} has no property `{property}`"));
        }
        if self.options.limits.max_states.is_some() {
            return self.within(self.options.limits.max_states, (entry, file), property);
        }
        let [first, then] = WITHOUT_MAX.map(Some);
        let near = self.within(first, (entry, file), property);
        if matches!(near, Outcome::Open(_)) {
            return self.within(then, (entry, file), property);
        }
        near
    }

    /// The first default world that shows it within so many states.
    fn within(
        &self,
        max_states: Option<u64>,
        (entry, file): (&systems::Entry, &System),
        property: &str,
    ) -> Outcome {
        let until = Until::FailureOf(property.to_owned());
        let mut options = Options { until, ..self.options.clone() };
        options.limits.max_states = max_states;
        let name = &file.name;
        let mut open = None;
        for world in file.worlds.iter().filter(|world| world.default) {
            options.progress.begin(&format!("{name}/{}", world.name));
            let ran = (entry.run)(file, world, &options);
            options.progress.end();
            match ran {
                Ok(result) => match judged(result, property) {
                    Outcome::Nothing => {}
                    Outcome::Open(cut) => open = open.or(Some(Outcome::Open(cut))),
                    shown @ (Outcome::Fault(_) | Outcome::Run { .. } | Outcome::Unknown(_)) => {
                        return shown;
                    }
                },
                Err(refusal @ (Refusal::Usage(_) | Refusal::Faults(_))) => {
                    return Outcome::Unknown(refusal.to_string());
                }
            }
        }
        open.unwrap_or(Outcome::Nothing)
    }
}

/// What one result says of a property.
fn judged(result: ResultReport, name: &str) -> Outcome {
    let (place, cut) = (result.title(), result.notes.cut);
    let property = result.properties.into_iter().find(|property| property.name == name);
    match property {
        Some(property) if property.verdict == Verdict::Fails => {
            Outcome::Run { place, property: Box::new(property) }
        }
        Some(property) if property.verdict == Verdict::Incomplete => {
            Outcome::Open(format!("{place}: {}", cut.unwrap_or_else(|| "cut".to_owned())))
        }
        Some(_) | None => Outcome::Nothing,
    }
}
