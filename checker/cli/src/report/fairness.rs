//! Fairness assumptions by kind, with counts: a search lists each action that it assumes fair,
//! often dozens that differ by a number only.

use std::collections::BTreeSet;

use turnstile_world::trace::counted;

/// `fair delivery of 31 kinds of messages and fair scheduling of 2 kinds of events`.
///
/// An assumption is `strongly fair: NODE to NODE: MESSAGE`, `strongly fair: NODE: EVENT` or
/// `weakly fair: NODE resumes`. Two that differ by numbers alone are of one kind.
#[must_use]
pub fn by_kind(assumptions: &[String]) -> String {
    let (mut messages, mut events) = (BTreeSet::new(), BTreeSet::new());
    let mut resumes = false;
    for assumption in assumptions {
        let strong = assumption.strip_prefix("strongly fair: ");
        let weak = assumption.strip_prefix("weakly fair: ");
        let action = strong.or(weak).unwrap_or(assumption);
        match action.split_once(": ") {
            Some((nodes, _)) if nodes.contains(" to ") => {
                messages.insert(without_numbers(action));
            }
            None if weak.is_some() => resumes = true,
            Some(_) | None => {
                events.insert(without_numbers(action));
            }
        }
    }
    let kinds = |set: BTreeSet<String>, one: &str, many: &str| {
        let noun = if set.len() == 1 { one } else { many };
        format!("{} of {noun}", counted(set.len() as u64, "kind"))
    };
    let mut parts = Vec::new();
    if !messages.is_empty() {
        parts.push(format!("fair delivery of {}", kinds(messages, "message", "messages")));
    }
    if !events.is_empty() {
        let kinds = kinds(events, "event", "events");
        parts.push(format!("fair scheduling of {kinds}"));
    }
    if resumes {
        parts.push("fair resumption of paused nodes".to_owned());
    }
    match parts.pop() {
        Some(last) if !parts.is_empty() => format!("{} and {last}", parts.join(", ")),
        Some(only) => only,
        None => String::new(),
    }
}

/// The words with `#` for each number.
fn without_numbers(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    for letter in words.chars() {
        match letter {
            '0'..='9' if text.ends_with('#') => {}
            '0'..='9' => text.push('#'),
            letter => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::by_kind;

    #[track_caller]
    fn check(assumptions: &[&str], expected: &str) {
        let assumptions: Vec<String> = assumptions.iter().map(|&one| one.to_owned()).collect();
        assert_eq!(by_kind(&assumptions), expected);
    }

    #[test]
    fn assumptions_are_counted_by_kind() {
        let grant = "strongly fair: server to client 1: call 0: 200 claim 1";
        let again = "strongly fair: server to client 2: call 11: 200 claim 2";
        let gone = "strongly fair: server to client 2: call 0: 404 expired";
        let timer = "strongly fair: client 1: timeout timer triggers";
        let pause = "weakly fair: client 1 goes on";
        check(&[grant], "fair delivery of 1 kind of message");
        check(&[grant, again, gone], "fair delivery of 2 kinds of messages");
        check(&[timer], "fair scheduling of 1 kind of event");
        check(
            &[grant, timer, pause],
            "fair delivery of 1 kind of message, fair scheduling of 1 kind of event and \
             fair resumption of paused nodes",
        );
    }
}
