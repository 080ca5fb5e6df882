//! A table without an amendment, and the checks that fail in it and in the systems that run it. A
//! check that fails without the dependent amendments alone is no evidence.

use turnstile_search::bounds::StopCondition;
use turnstile_search::judgement::Verdict;
use turnstile_spec::diagnostic::Diagnostic;
use turnstile_spec::system::World;
use turnstile_spec::table::Vocabulary;
use turnstile_spec::versions::PartlyAmended;
use turnstile_spec::{Source, System, WrittenTable};

use super::evidence::{Evidence, EvidenceOutcome};
use crate::composed;
use crate::options::{Options, Refusal, Replacement};
use crate::registry::{SystemEntry, Systems};
use crate::results::fault::FaultReport;
use crate::results::result::ResultReport;
use crate::table;

/// The first bounds, in unique states, of the searches of each world without an amendment, one
/// after the other: such a world may be infinite, and another one may fail sooner.
const WITHOUT_FIRST: [u64; 4] = [100, 1_000, 5_000, 50_000];
/// The last one by default, which also bounds the search without the dependent amendments alone.
const WITHOUT_MOST: u64 = 400_000;

/// A table without some amendments.
struct Variant<'a> {
    vocabulary: &'a Vocabulary,
    partial: PartlyAmended,
    /// Whether systems run the table.
    options: Options<'a>,
}

impl<'a> Variant<'a> {
    fn new(literal: &'a WrittenTable, without: &[&str], options: &Options<'a>) -> Self {
        let partial = literal.without(without);
        let (vocabulary, source) = (literal.vocabulary.clone(), literal.source.clone());
        let replaced = Replacement::new(vocabulary, partial.table.clone(), source);
        let tables = std::iter::once(replaced).chain(options.tables.iter().cloned()).collect();
        let options = Options { tables, ..options.clone() };
        Self { vocabulary: &literal.vocabulary, partial, options }
    }

    fn has(&self, fault: &Diagnostic) -> bool {
        let mut findings = self.partial.findings.iter();
        findings.any(|other| (other.code, &other.message) == (fault.code, &fault.message))
    }

    fn check(&self) -> ResultReport {
        table::check(self.vocabulary, &self.partial.table, &self.options)
    }

    /// Searches a world until a property fails or the number of states reaches the bound.
    fn run(
        &self,
        (entry, file): (&SystemEntry, &System),
        world: &World,
        property: &str,
        max_states: Option<u64>,
    ) -> EvidenceOutcome {
        let until = StopCondition::FailureOf(property.to_owned());
        let mut options = Options { until, ..self.options.clone() };
        options.limits.max_states = max_states;
        options.progress.begin(&format!("{}/{}", file.name, world.name));
        let ran = entry.run(file, world, &options);
        options.progress.end();
        match ran {
            Ok(result) => judged(result, property),
            Err(refusal @ (Refusal::Usage(_) | Refusal::Faults(_))) => {
                EvidenceOutcome::Unknown(refusal.to_string())
            }
        }
    }
}

/// A table without an amendment.
pub(super) struct WithoutAmendment<'a> {
    source: &'a Source,
    systems: (&'a Systems, &'a [System]),
    /// Without it and those that depend on it.
    own: Variant<'a>,
    /// Without only those that depend on it, if there are any.
    others: Option<Variant<'a>>,
}

impl<'a> WithoutAmendment<'a> {
    /// The tables without an amendment: `without` is it, then those that depend on it.
    pub(super) fn new(
        literal: &'a WrittenTable,
        without: &[&str],
        systems: (&'a Systems, &'a [System]),
        options: &Options<'a>,
    ) -> Self {
        let others = without.get(1..).filter(|others| !others.is_empty());
        Self {
            source: &literal.source,
            systems,
            own: Variant::new(literal, without, options),
            others: others.map(|others| Variant::new(literal, others, options)),
        }
    }

    /// The outcomes of checks, each searched until it fails.
    pub(super) fn outcomes(&self, checks: &[String]) -> Vec<Evidence> {
        let checks = checks.iter();
        checks.map(|by| Evidence { by: by.clone(), outcome: self.outcome(by) }).collect()
    }

    /// The outcome of a check named in the amendment's `shown-by`.
    fn outcome(&self, by: &str) -> EvidenceOutcome {
        if let Some((system, property)) = by.split_once('/') {
            return self.in_worlds(system, property);
        }
        if turnstile_spec::diagnostic::code::ALL.contains(&by) {
            return self.in_file(by);
        }
        let result = self.own.check();
        if result.properties.iter().all(|property| property.name != by) {
            let why = "neither a diagnostic code nor a property of tables has this name; a \
                       property of a system is SYSTEM/PROPERTY";
            return EvidenceOutcome::Unknown(why.to_owned());
        }
        let shown = judged(result, by);
        let of_others = shown.place().and(self.others.as_ref());
        let of_others = of_others.map(|others| judged(others.check(), by));
        of_others
            .and_then(|others| others.place().map(EvidenceOutcome::NotSpecific))
            .unwrap_or(shown)
    }

    /// The first diagnostic of the reader that the dependent amendments alone do not cause.
    fn in_file(&self, code: &str) -> EvidenceOutcome {
        let is_others = |fault: &Diagnostic| self.others.as_ref().is_some_and(|one| one.has(fault));
        let of_code = self.own.partial.findings.iter().filter(|finding| finding.code == code);
        let mut outcome = EvidenceOutcome::NoFailure;
        for finding in of_code {
            if !is_others(finding) {
                return EvidenceOutcome::Fault(Box::new(FaultReport::at(finding, self.source)));
            }
            outcome = EvidenceOutcome::NotSpecific(self.source.name.clone());
        }
        outcome
    }

    /// The first default world of a system in which the property fails.
    fn in_worlds(&self, name: &str, property: &str) -> EvidenceOutcome {
        let unknown = |what: &str| EvidenceOutcome::Unknown(format!("{what} is called `{name}`"));
        let Some(entry) = self.systems.0.entry(name) else { return unknown("no system") };
        let Some(file) = self.systems.1.iter().find(|system| system.name == name) else {
            return unknown("no file of a system");
        };
        let is_inherent = file.is_of_tables() && composed::INHERENT.contains(&property);
        if !is_inherent && file.properties.iter().all(|one| one.name != property) {
            return EvidenceOutcome::Unknown(format!("{name} has no property `{property}`"));
        }
        let most = self.own.options.limits.max_states.unwrap_or(WITHOUT_MOST);
        let mut worlds: Vec<&World> = file.worlds.iter().filter(|world| world.default).collect();
        for bound in WITHOUT_FIRST.into_iter().filter(|bound| *bound < most) {
            let outcome = self.within(bound, (entry, file), &mut worlds, property);
            if !matches!(outcome, EvidenceOutcome::Truncated(_)) {
                return outcome;
            }
        }
        self.within(most, (entry, file), &mut worlds, property)
    }

    /// The first of these worlds in which it fails within a bound of states, and does not fail
    /// without the dependent amendments alone. Those that were searched to their end are removed.
    fn within(
        &self,
        max_states: u64,
        system: (&SystemEntry, &System),
        worlds: &mut Vec<&World>,
        property: &str,
    ) -> EvidenceOutcome {
        let (mut open, mut of_others) = (None, None);
        let mut left = Vec::new();
        for &world in &*worlds {
            match self.own.run(system, world, property, Some(max_states)) {
                EvidenceOutcome::NoFailure => continue,
                cut @ EvidenceOutcome::Truncated(_) => open = open.or(Some(cut)),
                unknown @ EvidenceOutcome::Unknown(_) => return unknown,
                shown @ (EvidenceOutcome::Counterexample { .. }
                | EvidenceOutcome::Fault(_)
                | EvidenceOutcome::NotSpecific(_)) => {
                    match self.of_others(system, world, property) {
                        Some(cut @ EvidenceOutcome::Truncated(_)) => open = open.or(Some(cut)),
                        Some(others) => of_others = of_others.or(Some(others)),
                        None => return shown,
                    }
                }
            }
            left.push(world);
        }
        *worlds = left;
        open.or(of_others).unwrap_or(EvidenceOutcome::NoFailure)
    }

    /// The objection of a world to the evidence: the property also fails, or may fail, without the
    /// dependent amendments alone.
    fn of_others(
        &self,
        system: (&SystemEntry, &System),
        world: &World,
        property: &str,
    ) -> Option<EvidenceOutcome> {
        let max_states = self.own.options.limits.max_states.max(Some(WITHOUT_MOST));
        match self.others.as_ref()?.run(system, world, property, max_states) {
            EvidenceOutcome::Counterexample { place, .. } => {
                Some(EvidenceOutcome::NotSpecific(place))
            }
            cut @ EvidenceOutcome::Truncated(_) => Some(cut),
            EvidenceOutcome::Fault(_)
            | EvidenceOutcome::NotSpecific(_)
            | EvidenceOutcome::NoFailure
            | EvidenceOutcome::Unknown(_) => None,
        }
    }
}

/// The outcome of a property in a result.
fn judged(result: ResultReport, name: &str) -> EvidenceOutcome {
    let (place, cut) = (result.title(), result.notes.cut);
    let property = result.properties.into_iter().find(|property| property.name == name);
    match property {
        Some(property) if property.verdict == Verdict::Fails => {
            EvidenceOutcome::Counterexample { place, property: Box::new(property) }
        }
        Some(property) if property.verdict == Verdict::Incomplete => EvidenceOutcome::Truncated(
            format!("{place}: {}", cut.unwrap_or_else(|| "truncated".to_owned())),
        ),
        Some(_) | None => EvidenceOutcome::NoFailure,
    }
}
