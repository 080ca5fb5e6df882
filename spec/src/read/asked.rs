//! Who can answer what formulas ask: the core, who sees the whole system, or nobody.

use crate::code;
use crate::fault::Fault;
use crate::formula::{Asker, Askers, Signature, Words};
use crate::raw::{self, Named, Parts, Rule};
use crate::read::formula::call;
use crate::yaml::Word;

/// Those whom some words name.
pub(crate) fn askers(words: Option<&[Word]>) -> Option<Askers> {
    let is_named = |word: &str| words.is_some_and(|all| all.iter().any(|it| it.text == word));
    let named = Asker::ALL.iter().filter(|(_, word)| is_named(word)).map(|(one, _)| *one);
    let named: Vec<Asker> = named.collect();
    (!named.is_empty()).then(|| Askers::of(&named))
}

/// Notes who can answer rules, invariants and guards, wherever in the file they are stated: a rule
/// that asks another one asks what that asks, so it is gone over until nothing changes.
pub(crate) fn note(sources: &[&Parts], words: &mut Words) {
    let places: Vec<&str> = sources.iter().flat_map(|parts| parts.places()).collect();
    let is_place = |name: &str| name == "any" || places.contains(&name);
    loop {
        let before: Vec<Askers> = words.rules.iter().map(|one| one.asked).collect();
        for parts in sources {
            narrow(words, &parts.rules, is_place, |words| &mut words.rules);
            narrow(words, &parts.invariants, is_place, |words| &mut words.invariants);
            narrow(words, &parts.guard_formulas, is_place, |words| &mut words.guards);
        }
        if before.iter().eq(words.rules.iter().map(|one| &one.asked)) {
            return;
        }
    }
}

/// Leaves of those that can answer each formula of a list whoever can answer all that it asks.
fn narrow(
    words: &mut Words,
    given: &Named<Rule>,
    is_place: impl Fn(&str) -> bool,
    list: fn(&mut Words) -> &mut Vec<Signature>,
) {
    for (name, rule) in given {
        let asks = asks(words, &rule.is, &is_place).into_iter().map(|(_, asked)| asked);
        let asked = asks.fold(Askers::OF_FORMULAS, Askers::and);
        let named = list(words).iter_mut().filter(|one| one.name.name == name.text);
        named.for_each(|one| one.asked = one.asked.and(asked));
    }
}

/// That nobody can answer all that a formula asks, where that is so; `is_place` knows states and
/// sets.
pub(crate) fn unanswered(
    words: &Words,
    (name, rule): (&Word, &Rule),
    is_place: impl Fn(&str) -> bool,
) -> Option<Fault> {
    let mut left = if rule.is_of_guard { Askers::CORE } else { Askers::OF_FORMULAS };
    let mut narrowed = rule.is_of_guard.then_some(name);
    for (word, asked) in asks(words, &rule.is, is_place) {
        if left.and(asked).is_empty() {
            let fault = Fault::finding(code::ASKED_OF, "nobody can answer all that this asks")
                .label(word.span, format!("asked of {}", who(asked)));
            let fault = match narrowed {
                Some(other) => fault.label(other.span, format!("asked of {}", who(left))),
                None => fault,
            };
            let help = "ask one alone, or say under `asked of` who else can answer";
            return Some(fault.help(help));
        }
        if left.and(asked) != left {
            (left, narrowed) = (left.and(asked), Some(word));
        }
    }
    let is_torn = |list: &[Signature]| {
        list.iter().any(|one| one.name.name == name.text && one.asked.is_empty())
    };
    let is_torn = match rule.is_of_guard {
        true => is_torn(&words.guards),
        false => is_torn(&words.rules) || is_torn(&words.invariants),
    };
    is_torn.then(|| {
        let message = format!("as written and as amended, `{}` is asked of two", name.text);
        Fault::finding(code::ASKED_OF, message)
            .label(rule.span, format!("here of {}", who(left)))
            .help("give the formula that asks another one a name of its own")
    })
}

/// What a formula asks: its leaves, then what its quantifiers go over, each with who can answer. Of
/// a name that nothing declares, and of a rule that nobody can answer, anyone: that is told
/// elsewhere.
fn asks<'f>(
    words: &Words,
    formula: &'f raw::Formula,
    is_place: impl Fn(&str) -> bool,
) -> Vec<(&'f Word, Askers)> {
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
    all.map(|(word, asked)| (word, asked.unwrap_or(Askers::OF_FORMULAS))).collect()
}

/// Who can answer the name of a call, if it is in a list.
fn asked(list: &[Signature], text: &str) -> Option<Askers> {
    let (head, _) = call(text);
    let found = list.iter().find(|one| one.name.name == head)?;
    Some(if found.asked.is_empty() { Askers::OF_FORMULAS } else { found.asked })
}

/// Those that can be asked, in words.
fn who(asked: Askers) -> &'static str {
    match [Asker::Core, Asker::Whole, Asker::Row].map(|one| asked.has(one)) {
        [true, true, _] => "the core, or who sees the whole system",
        [true, false, _] => "the core",
        [false, true, _] => "who sees the whole system",
        [false, false, true] => "the row that is taken, and of no formula",
        [false, false, false] => "nobody",
    }
}
