//! The small grammar inside cells: lists of actions, `event [guard] / action`, conditions, names of
//! states with `(initial)`.

use crate::draft::Formula;
use crate::grid::{Word, lower, name, words};
use crate::message::is_of_message;

/// Splits at separators that stand outside of parentheses.
pub(crate) fn split(text: &str, is_separator: impl Fn(char) -> bool) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0usize);
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && is_separator(c) {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// The actions of a cell: separated by semicolons, line breaks, "then" or commas; where the column
/// has semicolons, by a comma before white space alone: `SYN,ACK` is one thing.
pub(crate) fn actions(cell: &Word, has_semicolons: bool) -> Vec<Word> {
    if cell.is_nothing() {
        return Vec::new();
    }
    // What stands for a comma that separates nothing.
    const JOINED: char = '\u{1}';
    let mut text = cell.text.clone();
    if has_semicolons {
        let follows = |at: usize| cell.text[at + 1..].starts_with(|c: char| !c.is_whitespace());
        let commas = cell.text.match_indices(',').filter(|(at, _)| follows(*at));
        for (at, _) in commas {
            text.replace_range(at..=at, &JOINED.to_string());
        }
    }
    let parts = split(&text, |c| ",;\n".contains(c));
    let parts: Vec<String> = parts.iter().map(|part| part.replace(JOINED, ",")).collect();
    let parts = parts.iter().flat_map(|part| part.split(" then "));
    let plain = |part: &str| {
        let part = part.trim().strip_prefix("and ").unwrap_or(part.trim());
        let part = part.strip_prefix("then ").unwrap_or(part);
        // An entry of a list: "1. send", "- send".
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        let rest = rest.strip_prefix(['.', ')']).filter(|rest| rest.starts_with(' '));
        name(rest.unwrap_or(part).trim_start_matches(['-', '•', '*', ' ']))
    };
    let names = parts.map(plain).filter(|part| !part.is_empty());
    names.map(|part| cell.with(part)).collect()
}

/// An event's cell: the event, a guard behind it, and actions after a slash where the column has
/// them, too.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) event: String,
    pub(crate) guard: String,
    pub(crate) actions: String,
}

/// `event [guard] / actions`, `event if guard`.
pub(crate) fn label(text: &str, has_actions: bool) -> Label {
    let mut label = Label::default();
    let mut rest = text.trim();
    if has_actions && let Some((left, right)) = rest.split_once('/') {
        right.trim().clone_into(&mut label.actions);
        rest = left.trim();
    }
    if let Some((left, right)) = rest.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
        right.trim().clone_into(&mut label.guard);
        rest = left.trim();
    }
    for word in ["On ", "on ", "When ", "when ", "Upon ", "upon ", "If ", "if "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    if label.guard.is_empty() {
        for word in [" if ", " when ", " provided that ", " provided "] {
            if let Some((left, right)) = rest.split_once(word) {
                right.trim().clone_into(&mut label.guard);
                rest = left.trim().trim_end_matches([',', ';']);
                break;
            }
        }
    }
    if label.guard.is_empty() {
        for word in [" otherwise", " else"] {
            if let Some(left) = rest.strip_suffix(word) {
                word.trim().clone_into(&mut label.guard);
                rest = left.trim().trim_end_matches([',', ';']);
                break;
            }
        }
    }
    label.event = name(rest);
    label
}

/// Words of what happens; a condition without one speaks of what is so.
const HAPPENS: [&str; 14] = [
    "expires", "expired", "timeout", "fires", "elapses", "elapsed", "called", "calls", "fails",
    "failed", "lost", "sent", "arrives", "received",
];

/// The guard of `if ready` or `otherwise`, in a cell that has no event; `None`: it may have one.
pub(crate) fn condition(text: &str) -> Option<String> {
    let text = name(text);
    if is_else(&text) {
        return Some(text);
    }
    let (first, rest) = text.split_once(' ')?;
    let happens = |word: &String| HAPPENS.contains(&&**word) || is_of_message(word);
    let is_guard = lower(first) == "if" && !words(rest).iter().any(happens);
    is_guard.then(|| rest.trim().to_owned())
}

/// Whether a condition is "in every other case".
pub(crate) fn is_else(text: &str) -> bool {
    ["else", "otherwise"].contains(&&*lower(&bare(text)))
}

/// A condition without what introduces it and stands around it: `if x,` and `[x]` are `x`, and
/// `unless x` is `not (x)`.
pub(crate) fn bare(text: &str) -> String {
    let text = name(text);
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let text = inner.filter(|inner| !inner.contains(['[', ']'])).unwrap_or(&text).trim();
    let said = lower(text);
    for word in ["provided that ", "only if ", "provided ", "if ", "when "] {
        if said.starts_with(word) && text.is_char_boundary(word.len()) {
            return bare(&text[word.len()..]);
        }
    }
    match said.strip_prefix("unless ") {
        Some(_) => format!("not ({})", bare(&text["unless ".len()..])),
        None => text.to_owned(),
    }
}

/// A condition of names with "and", "or" and "not"; `None`: none.
pub(crate) fn formula(text: &str) -> Option<Formula> {
    let text = name(text);
    if Word::new(&*text, Default::default()).is_nothing()
        || ["true", "always"].contains(&&*lower(&text))
    {
        return None;
    }
    let depth = text.matches("not ").count() + text.matches(['!', '¬', '(']).count();
    Some(if depth > DEPTH { Formula::Is(text) } else { disjunction(&text) })
}

/// How many negations and parentheses a condition may have; one with more is a name.
const DEPTH: usize = 64;

/// "or" joins what "and" has joined; parentheses come first.
fn disjunction(text: &str) -> Formula {
    let both = |text: &String| {
        let all = parts(text, &[" and ", " && ", " AND ", " ∧ "]);
        one(all.iter().map(|text| atom(text)).collect(), Formula::All)
    };
    let either = parts(text, &[" or ", " || ", " OR ", " ∨ "]);
    one(either.iter().map(both).collect(), Formula::Any)
}

fn one(mut list: Vec<Formula>, of: fn(Vec<Formula>) -> Formula) -> Formula {
    match list.pop() {
        Some(only) if list.is_empty() => only,
        last => {
            list.extend(last);
            of(list)
        }
    }
}

/// The parts between separators that stand outside of parentheses.
fn parts(text: &str, separators: &[&str]) -> Vec<String> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0usize);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let rest = &text[at..];
        let found = separators.iter().find(|separator| rest.starts_with(**separator));
        if let Some(separator) = found.filter(|_| depth == 0 && at >= from) {
            parts.push(text[from..at].to_owned());
            from = at + separator.len();
        }
    }
    parts.push(text[from..].to_owned());
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn atom(text: &str) -> Formula {
    let text = text.trim();
    for prefix in ["not ", "NOT ", "!", "¬"] {
        if let Some(rest) = text.strip_prefix(prefix)
            && !rest.starts_with('=')
            && !rest.trim().is_empty()
            && !rest.trim_start().starts_with(['!', '¬'])
        {
            return Formula::Not(Box::new(atom(rest)));
        }
    }
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    match inner {
        Some(inner) if is_balanced(inner) && !inner.trim().is_empty() => disjunction(inner),
        Some(_) | None => Formula::Is(text.to_owned()),
    }
}

/// Whether each parenthesis is closed, and none before it is opened.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0i64;
    for c in text.chars() {
        depth += i64::from(c == '(') - i64::from(c == ')');
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// The comparisons that are true exactly if this one is false: of `n < 3`, `n >= 3`.
pub(crate) fn complements(text: &str) -> Vec<String> {
    const PAIRS: [(&str, &str); 7] = [
        (" >= ", " < "),
        (" <= ", " > "),
        (" ≥ ", " < "),
        (" ≤ ", " > "),
        (" = ", " != "),
        (" == ", " != "),
        (" = ", " ≠ "),
    ];
    let replaced = |from: &str, to: &str| {
        let (left, right) = text.split_once(from)?;
        Some(format!("{left}{to}{right}"))
    };
    PAIRS.iter().flat_map(|(a, b)| [replaced(a, b), replaced(b, a)]).flatten().collect()
}

/// A state's name, and what stands in parentheses after it: `idle (initial)`.
pub(crate) fn state(text: &str) -> (String, String) {
    let text = name(text);
    let known = ["initial", "final", "start", "end", "not declared", "initial, final"];
    let round = text.strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    let square = || text.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    let of = |mark: &str| lower(mark.trim()).trim_end_matches(" state").to_owned();
    match round.or_else(square) {
        Some((left, mark)) if known.contains(&&*of(mark)) && !left.trim().is_empty() => {
            (left.trim().to_owned(), of(mark))
        }
        Some(_) | None => (text, String::new()),
    }
}

/// Whether a source means every state.
pub(crate) fn is_any(text: &str) -> bool {
    let text = lower(text);
    ["any", "*", "all", "any state", "all states", "every state", "each state"].contains(&&*text)
}

/// Whether a destination is the state that the row leaves.
pub(crate) fn is_same(cell: &Word) -> bool {
    let text = lower(&cell.text);
    let same = [
        "same",
        "(same)",
        "same state",
        "no change",
        "unchanged",
        "self",
        "=",
        "stay",
        "(no change)",
    ];
    cell.is_blank() || same.contains(&text.trim())
}

#[cfg(test)]
mod tests {
    use super::{Label, actions, complements, formula, label, state};
    use crate::draft::Formula::{All, Any, Is, Not};
    use crate::grid::Word;

    fn list(text: &str) -> Vec<String> {
        let words = actions(&Word::new(text, Default::default()), false);
        words.into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn actions_are_split_outside_of_parentheses() {
        assert_eq!(
            list("send PATCH (a, b), stop timer;notify\nlog"),
            ["send PATCH (a, b)", "stop timer", "notify", "log"]
        );
        assert_eq!(list("1. send X then 2. wait"), ["send X", "wait"]);
        assert_eq!(list(" – "), [""; 0]);
    }

    #[test]
    fn a_label_has_event_guard_and_actions() {
        let of = |event: &str, guard: &str, actions: &str| Label {
            event: event.into(),
            guard: guard.into(),
            actions: actions.into(),
        };
        assert_eq!(label("coin [n > 2] / unlock, log", true), of("coin", "n > 2", "unlock, log"));
        assert_eq!(label("up/down", false), of("up/down", "", ""));
        let answer = label("response (200) if it is live", false);
        assert_eq!(answer, of("response (200)", "it is live", ""));
        assert_eq!(label("When the door opens.", false), of("the door opens", "", ""));
    }

    #[test]
    fn conditions_have_connectives() {
        let is = |name: &str| Is(name.into());
        assert_eq!(formula("-"), None);
        assert_eq!(formula("a and not b"), Some(All(vec![is("a"), Not(Box::new(is("b")))])));
        assert_eq!(formula("a or b && c"), Some(Any(vec![is("a"), All(vec![is("b"), is("c")])])));
        assert_eq!(formula("f(a or b)"), Some(is("f(a or b)")));
        assert_eq!(
            formula("not (a and b) or c"),
            Some(Any(vec![Not(Box::new(All(vec![is("a"), is("b")]))), is("c")]))
        );
        assert_eq!(formula("(a) and (b"), Some(All(vec![is("a"), is("(b")])));
        assert_eq!(formula("n != 3"), Some(is("n != 3")));
        assert_eq!(complements("n >= 3"), ["n < 3"]);
        assert_eq!(complements("n < 3"), ["n >= 3", "n ≥ 3"]);
        assert_eq!(complements("full"), [""; 0]);
    }

    #[test]
    fn marks_of_states_are_no_part_of_their_names() {
        assert_eq!(state("idle (initial)"), ("idle".into(), "initial".into()));
        assert_eq!(state("LOCK(X)"), ("LOCK(X)".into(), String::new()));
    }
}
