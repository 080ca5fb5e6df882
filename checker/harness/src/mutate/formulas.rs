//! Mutants of rules, invariants and guards: a leaf negated, a part removed, `all` for `any`,
//! `every` for `some`, a state removed.

use turnstile_spec::formula::{Definition, Domain, Formula, Signature};
use turnstile_spec::table::{Table, Vocabulary};

use super::change::{Edit, Mutant};
use super::phrase::Phrase;

/// The effect of a change on a formula's truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strength {
    /// It is stronger: true only where it was true before.
    Stronger,
    /// It is weaker: true wherever it was true before.
    Weaker,
    /// Neither.
    Other,
}

impl Strength {
    fn negated_strength(self) -> Self {
        match self {
            Self::Stronger => Self::Weaker,
            Self::Weaker => Self::Stronger,
            Self::Other => Self::Other,
        }
    }
}

/// A formula with one change.
struct FormulaEdit {
    words: String,
    formula: Formula,
    strength: Strength,
}

/// Every mutant of every rule, invariant and guard that is a formula. A weakened invariant is none:
/// it holds wherever the original holds.
pub(super) fn mutants(vocabulary: &Vocabulary, table: &Table) -> Vec<Mutant> {
    let (words, formulas) = (&vocabulary.formulas, &table.formulas);
    let lists = [
        ("rule", &words.rules, &formulas.rules, Edit::Rule as fn(usize, Formula) -> Edit),
        ("guard", &words.guards, &formulas.guards, Edit::Guard),
        ("invariant", &words.invariants, &formulas.invariants, Edit::Invariant),
    ];
    let mut list = Vec::new();
    for (what, signatures, all, edit) in lists {
        for (place, one) in stated(all) {
            let signature = &signatures[place];
            let changes = changes(vocabulary, signature, &one.formula).into_iter();
            let fails = |one: &FormulaEdit| what != "invariant" || one.strength != Strength::Weaker;
            list.extend(
                changes
                    .filter(fails)
                    .map(|changed| mutant(what, signature, changed, |it| edit(place, it))),
            );
        }
    }
    list
}

fn stated(all: &[Option<Definition>]) -> impl Iterator<Item = (usize, &Definition)> {
    all.iter().enumerate().filter_map(|(place, one)| Some((place, one.as_ref()?)))
}

fn mutant(
    what: &str,
    signature: &Signature,
    changed: FormulaEdit,
    edit: impl FnOnce(Formula) -> Edit,
) -> Mutant {
    Mutant {
        row: format!("{what} {}", signature.name.name),
        change: changed.words,
        id: None,
        takers: Vec::new(),
        edit: edit(changed.formula),
    }
}

/// Every change of a formula, without duplicates; a number distinguishes changes with the same
/// text.
fn changes(vocabulary: &Vocabulary, signature: &Signature, formula: &Formula) -> Vec<FormulaEdit> {
    let phrase = Phrase::new(vocabulary, signature);
    let mut list: Vec<FormulaEdit> = Vec::new();
    for mut changed in edits(&phrase, formula) {
        let is_new = list.iter().all(|other| other.formula != changed.formula);
        if changed.formula == *formula || !is_new {
            continue;
        }
        let like = |other: &&FormulaEdit| other.words.starts_with(&changed.words);
        let before = list.iter().filter(like).count();
        if before > 0 {
            changed.words = format!("{} ({})", changed.words, before + 1);
        }
        list.push(changed);
    }
    list
}

fn edits(phrase: &Phrase<'_>, formula: &Formula) -> Vec<FormulaEdit> {
    let mut list = Vec::new();
    let negated = |list: &mut Vec<FormulaEdit>| {
        let words = format!("not `{}`", phrase.of(formula));
        let formula = Formula::Not(Box::new(formula.clone()));
        list.push(FormulaEdit { words, formula, strength: Strength::Other });
    };
    match formula {
        Formula::Is { .. } | Formula::Rule { .. } => negated(&mut list),
        Formula::In { term, states } => {
            negated(&mut list);
            for (less, words) in phrase.fewer(states) {
                let words = format!("without {words} in `{}`", phrase.of(formula));
                let formula = Formula::In { term: *term, states: less };
                list.push(FormulaEdit { words, formula, strength: Strength::Stronger });
            }
        }
        Formula::All(parts) | Formula::Any(parts) => many(phrase, formula, parts, &mut list),
        Formula::Not(part) => {
            let inner = edits(phrase, part).into_iter().map(|changed| FormulaEdit {
                formula: Formula::Not(Box::new(changed.formula)),
                strength: changed.strength.negated_strength(),
                ..changed
            });
            list.extend(inner);
        }
        Formula::Iff(one, other) => {
            let both = |one, other| Formula::Iff(Box::new(one), Box::new(other));
            for changed in edits(phrase, one) {
                let formula = both(changed.formula, Formula::clone(other));
                list.push(FormulaEdit { formula, strength: Strength::Other, ..changed });
            }
            for changed in edits(phrase, other) {
                let formula = both(Formula::clone(one), changed.formula);
                list.push(FormulaEdit { formula, strength: Strength::Other, ..changed });
            }
        }
        Formula::Every(over, part) => quantified(phrase, (true, over, part), &mut list),
        Formula::Some(over, part) => quantified(phrase, (false, over, part), &mut list),
    }
    list
}

/// `all` and `any`: each part removed or changed, and one operator replaced by the other.
fn many(phrase: &Phrase<'_>, whole: &Formula, parts: &[Formula], list: &mut Vec<FormulaEdit>) {
    let is_all = matches!(whole, Formula::All(_));
    let make = |parts| if is_all { Formula::All(parts) } else { Formula::Any(parts) };
    for (at, part) in parts.iter().enumerate() {
        let mut less = parts.to_vec();
        less.remove(at);
        let strength = if is_all { Strength::Weaker } else { Strength::Stronger };
        let words = format!("without `{}`", phrase.of(part));
        list.push(FormulaEdit { words, formula: make(less), strength });
        for changed in edits(phrase, part) {
            let mut other = parts.to_vec();
            other[at] = changed.formula;
            list.push(FormulaEdit { formula: make(other), ..changed });
        }
    }
    if parts.len() > 1 {
        let parts = parts.to_vec();
        let (formula, strength, word) = if is_all {
            (Formula::Any(parts), Strength::Weaker, "any")
        } else {
            (Formula::All(parts), Strength::Stronger, "all")
        };
        list.push(FormulaEdit {
            words: format!("{word} of `{}`", phrase.of(whole)),
            formula,
            strength,
        });
    }
}

/// `every` and `some`: one replaced by the other, a state removed, and each change of the body.
fn quantified(
    phrase: &Phrase<'_>,
    (is_every, over, part): (bool, &Domain, &Formula),
    list: &mut Vec<FormulaEdit>,
) {
    let make = |over: Domain, part: Formula, is_every| {
        let part = Box::new(part);
        if is_every { Formula::Every(over, part) } else { Formula::Some(over, part) }
    };
    let inner = phrase.within();
    for changed in edits(&inner, part) {
        list.push(FormulaEdit {
            formula: make(over.clone(), changed.formula, is_every),
            ..changed
        });
    }
    let word = if is_every { "some" } else { "every" };
    let words = format!("{word} of `{}`", phrase.among(over));
    // Over an empty domain `every` is true and `some` is false: neither implies the other.
    let formula = make(over.clone(), part.clone(), !is_every);
    list.push(FormulaEdit { words, formula, strength: Strength::Other });
    if let Domain::States(states) = over {
        for (less, words) in phrase.fewer(states) {
            let words = format!("without {words} in `{}`", phrase.among(over));
            let strength = if is_every { Strength::Weaker } else { Strength::Stronger };
            let formula = make(Domain::States(less), part.clone(), is_every);
            list.push(FormulaEdit { words, formula, strength });
        }
    }
}
