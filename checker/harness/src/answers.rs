//! Whether the formulas of a table ask only what those can answer who evaluate them: the core its
//! rules, this checker its invariants. Anything else would be answered `false`, and the verdict
//! would be about another formula.

use turnstile_machine::{Answers, CollectionKind, Machine, Name as _};
use turnstile_spec::fault::Span;
use turnstile_spec::formula::{Among, Formula, RuleId, Stated};
use turnstile_spec::table::{Do, Table, Vocabulary};

use crate::fault::FaultReport;
use crate::options::{Refusal, Replacement};

/// Who evaluates some formulas of a machine, and what it answers.
#[derive(Clone, Debug)]
pub struct Evaluator {
    /// In words: `the coordinator that applies it`.
    who: &'static str,
    /// The rules that it evaluates.
    rules: Vec<&'static str>,
    /// Whether it evaluates the invariants.
    invariants: bool,
    predicates: Vec<&'static str>,
    collections: Vec<&'static str>,
    instances: bool,
    /// The collections that rows can go through; `None`: that is for another one to say.
    loops: Option<Vec<&'static str>>,
}

impl Evaluator {
    /// Who answers this, and with `invariants` evaluates them.
    #[must_use]
    pub fn of<M: Machine>(who: &'static str, answers: Answers<M>, invariants: bool) -> Self {
        let Answers { rules, predicates, collections, instances } = answers;
        Self {
            who,
            rules: rules.iter().map(|one| one.name()).collect(),
            invariants,
            predicates: predicates.iter().map(|one| one.name()).collect(),
            collections: collections.iter().map(|one| one.name()).collect(),
            instances,
            loops: None,
        }
    }

    /// The same, whose rows go through these collections and no others.
    #[must_use]
    pub fn with_loops<M: Machine>(self, loops: &[CollectionKind<M>]) -> Self {
        Self { loops: Some(loops.iter().map(|one| one.name()).collect()), ..self }
    }
}

/// Whether the formulas ask only what can be answered.
///
/// # Errors
///
/// What cannot.
pub(crate) fn answered(given: &Replacement, evaluators: &[Evaluator]) -> Result<(), Refusal> {
    let faults = faults(given, evaluators);
    if faults.is_empty() { Ok(()) } else { Err(Refusal::Faults(faults)) }
}

/// What a table asks that cannot be answered.
#[must_use]
pub fn faults(given: &Replacement, evaluators: &[Evaluator]) -> Vec<FaultReport> {
    let words = &given.vocabulary;
    let mut asks = Asks { given, faults: Vec::new() };
    for evaluator in evaluators {
        let rules = words.formulas.rules.iter().zip(&given.table.formulas.rules);
        for (rule, stated) in rules {
            let name = rule.name.name.as_str();
            if let Some(stated) = stated.as_ref().filter(|_| evaluator.rules.contains(&name)) {
                asks.all(evaluator, &format!("the rule `{name}`"), stated);
            }
        }
        let invariants = words.formulas.invariants.iter().zip(&given.table.formulas.invariants);
        for (invariant, stated) in invariants.filter(|_| evaluator.invariants) {
            if let Some(stated) = stated {
                let what = format!("the invariant `{}`", invariant.name.name);
                asks.all(evaluator, &what, stated);
            }
        }
    }
    for known in evaluators.iter().filter_map(|evaluator| evaluator.loops.as_ref()) {
        asks.loops(known);
    }
    asks.faults
}

struct Asks<'g> {
    given: &'g Replacement,
    faults: Vec<FaultReport>,
}

impl Asks<'_> {
    fn words(&self) -> &Vocabulary {
        &self.given.vocabulary
    }

    fn table(&self) -> &Table {
        &self.given.table
    }

    /// Notes what an evaluator of a formula cannot answer, each once.
    fn all(&mut self, by: &Evaluator, what: &str, stated: &Stated) {
        let mut asked = Asked::default();
        self.collect(&stated.formula, &mut asked);
        let formulas = &self.words().formulas;
        let predicates = asked.predicates.iter();
        let predicates = predicates.map(|id| formulas.predicates[*id].name.name.as_str());
        let predicates = predicates.filter(|name| !by.predicates.contains(name));
        let collections = asked.collections.iter();
        let collections = collections.map(|id| formulas.collections[*id].name.name.as_str());
        let collections = collections.filter(|name| !by.collections.contains(name));
        let mut names: Vec<String> =
            predicates.chain(collections).map(|name| format!("`{name}`")).collect();
        if asked.instances && !by.instances {
            names.push("the states of instances".to_owned());
        }
        for name in names {
            let known: Vec<&str> = by.predicates.iter().chain(&by.collections).copied().collect();
            let text = format!("{what} asks {name} of {}, which cannot answer that", by.who);
            self.put(stated.span, &text, &known);
        }
    }

    /// Notes the loops of rows over what a core does not go through.
    fn loops(&mut self, known: &[&str]) {
        let mut found: Vec<(Span, String)> = Vec::new();
        for row in &self.table().rows {
            for entry in &row.does {
                let Do::Act { each: Some(each), .. } = entry else { continue };
                let name = &self.words().formulas.collections[each.collection.index()].name;
                if !known.contains(&name.name.as_str()) {
                    let id = &self.words().rows[row.id.index()].id;
                    let text =
                        format!("the row `{id}` goes through `{}`, which no row can", name.name);
                    found.push((name.span, text));
                }
            }
        }
        found.dedup();
        for (span, text) in found {
            self.put(span, &text, known);
        }
    }

    fn put(&mut self, span: Span, text: &str, known: &[&str]) {
        let fault = FaultReport::no_such(&self.given.source, span, text, known);
        self.faults.push(fault);
    }

    /// Everything that a formula asks, by itself and by the rules that it names.
    fn collect(&self, formula: &Formula, asked: &mut Asked) {
        let among = |among: &Among, asked: &mut Asked| match among {
            Among::States(_) => asked.instances = true,
            Among::Collection { collection, of: _ } => {
                add(&mut asked.collections, collection.index());
            }
        };
        match formula {
            Formula::Is { predicate, of: _ } => add(&mut asked.predicates, predicate.index()),
            Formula::In { .. } => asked.instances = true,
            Formula::Rule { rule, of: _ } => self.rule(*rule, asked),
            Formula::All(parts) | Formula::Any(parts) => {
                parts.iter().for_each(|part| self.collect(part, asked));
            }
            Formula::Not(part) => self.collect(part, asked),
            Formula::Iff(a, b) => {
                self.collect(a, asked);
                self.collect(b, asked);
            }
            Formula::Every(over, part) | Formula::Some(over, part) => {
                among(over, asked);
                self.collect(part, asked);
            }
        }
    }

    fn rule(&self, rule: RuleId, asked: &mut Asked) {
        if asked.rules.contains(&rule.index()) {
            return;
        }
        asked.rules.push(rule.index());
        if let Some(Some(stated)) = self.table().formulas.rules.get(rule.index()) {
            self.collect(&stated.formula, asked);
        }
    }
}

/// What a formula asks, by place.
#[derive(Default)]
struct Asked {
    predicates: Vec<usize>,
    collections: Vec<usize>,
    rules: Vec<usize>,
    instances: bool,
}

fn add(list: &mut Vec<usize>, one: usize) {
    if !list.contains(&one) {
        list.push(one);
    }
}
