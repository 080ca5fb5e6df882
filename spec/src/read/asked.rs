//! The evaluators of formulas: the core, the checker, both or none.

use crate::diagnostic::{Diagnostic, code};
use crate::formula::{Evaluator, Evaluators, Signature, Symbols};
use crate::raw::{self, Named, Rule, Sections, call};
use crate::yaml::Word;

/// The evaluators that the words of `asked of` name.
pub(crate) fn evaluators(words: Option<&[Word]>) -> Option<Evaluators> {
    let is_named = |word: &str| words.is_some_and(|all| all.iter().any(|it| it.text == word));
    let named = Evaluator::ALL.iter().filter(|(_, word)| is_named(word)).map(|(one, _)| *one);
    let named: Vec<Evaluator> = named.collect();
    (!named.is_empty()).then(|| Evaluators::of(&named))
}

/// Computes the evaluators of rules, invariants and guards, as a fixed point: a rule needs an
/// evaluator of every rule that it uses.
pub(crate) fn note(sources: &[&Sections], words: &mut Symbols) {
    let places: Vec<&str> = sources.iter().flat_map(|parts| parts.places()).collect();
    let is_place = |name: &str| name == "any" || places.contains(&name);
    loop {
        let before: Vec<Evaluators> = words.rules.iter().map(|one| one.evaluators).collect();
        for parts in sources {
            narrow(words, &parts.rules, is_place, |words| &mut words.rules);
            narrow(words, &parts.invariants, is_place, |words| &mut words.invariants);
            narrow(words, &parts.guard_formulas, is_place, |words| &mut words.guards);
        }
        if before.iter().eq(words.rules.iter().map(|one| &one.evaluators)) {
            return;
        }
    }
}

/// Restricts the evaluators of each formula of a list to those of everything that it uses.
fn narrow(
    words: &mut Symbols,
    given: &Named<Rule>,
    is_place: impl Fn(&str) -> bool,
    list: fn(&mut Symbols) -> &mut Vec<Signature>,
) {
    for (name, rule) in given {
        let asks = asks(words, &rule.is, &is_place).into_iter().map(|(_, asked)| asked);
        let asked = asks.fold(Evaluators::OF_FORMULAS, Evaluators::and);
        let named = list(words).iter_mut().filter(|one| one.name.name == name.text);
        named.for_each(|one| one.evaluators = one.evaluators.and(asked));
    }
}

/// Reports a formula without an evaluator; `is_place` recognises states and sets.
pub(crate) fn unanswered(
    words: &Symbols,
    (name, rule): (&Word, &Rule),
    is_place: impl Fn(&str) -> bool,
) -> Option<Diagnostic> {
    let mut left = if rule.is_of_guard { Evaluators::CORE } else { Evaluators::OF_FORMULAS };
    let mut narrowed = rule.is_of_guard.then_some(name);
    for (word, asked) in asks(words, &rule.is, is_place) {
        if left.and(asked).is_empty() {
            let diagnostic = Diagnostic::finding(
                code::NO_EVALUATOR,
                "no single evaluator can answer this formula",
            )
            .label(word.span, format!("answered by {}", who(asked)));
            let diagnostic = match narrowed {
                Some(other) => diagnostic.label(other.span, format!("answered by {}", who(left))),
                None => diagnostic,
            };
            let help =
                "use names that one evaluator answers, or extend `asked of` in their declarations";
            return Some(diagnostic.help(help));
        }
        if left.and(asked) != left {
            (left, narrowed) = (left.and(asked), Some(word));
        }
    }
    let is_torn = |list: &[Signature]| {
        list.iter().any(|one| one.name.name == name.text && one.evaluators.is_empty())
    };
    let is_torn = match rule.is_of_guard {
        true => is_torn(&words.guards),
        false => is_torn(&words.rules) || is_torn(&words.invariants),
    };
    is_torn.then(|| {
        let message =
            format!("`{}` needs one evaluator as written and another as amended", name.text);
        Diagnostic::finding(code::NO_EVALUATOR, message)
            .label(rule.span, format!("answered by {} here", who(left)))
            .help("give one of the two formulas another name")
    })
}

/// The leaves of a formula, then the ranges of its quantifiers, each with its evaluators.
/// Undeclared names, and rules without an evaluator, count as computable by all: they are reported
/// elsewhere.
fn asks<'f>(
    words: &Symbols,
    formula: &'f raw::Formula,
    is_place: impl Fn(&str) -> bool,
) -> Vec<(&'f Word, Evaluators)> {
    let place = |among: &str| is_place(among.trim()).then_some(words.instances);
    // `covers(lock)`, `lock in ACTIVE`.
    let leaf = |text: &str| {
        let known = asked(&words.predicates, text).or_else(|| asked(&words.rules, text));
        known.or_else(|| text.split_once(" in ").and_then(|(_, among)| place(among)))
    };
    // `lock in ACTIVE`, `lock in locks over(byte)`.
    let list = |text: &str| {
        let (_, among) = text.split_once(" in ")?;
        asked(&words.collections, among).or_else(|| place(among))
    };
    let [leaves, lists] = formula.leaves_and_lists();
    let leaves = leaves.into_iter().map(|word| (word, leaf(&word.text)));
    let lists = lists.into_iter().map(|word| (word, list(&word.text)));
    let all = leaves.chain(lists);
    all.map(|(word, asked)| (word, asked.unwrap_or(Evaluators::OF_FORMULAS))).collect()
}

/// The evaluators of a call, if a list declares its name.
fn asked(list: &[Signature], text: &str) -> Option<Evaluators> {
    let (head, _) = call(text);
    let found = list.iter().find(|one| one.name.name == head)?;
    Some(if found.evaluators.is_empty() { Evaluators::OF_FORMULAS } else { found.evaluators })
}

/// Evaluators in words.
fn who(asked: Evaluators) -> &'static str {
    match [Evaluator::Core, Evaluator::Whole, Evaluator::Row].map(|one| asked.has(one)) {
        [true, true, _] => "the core or the checker",
        [true, false, _] => "the core",
        [false, true, _] => "the checker, which sees the whole system",
        [false, false, true] => "rows alone, not in formulas",
        [false, false, false] => "no evaluator",
    }
}
