//! The list of the mutants that survive, with the reasons: `survivors.txt`.

use std::collections::BTreeMap;

/// Why a mutant survives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No property can detect it.
    Equivalent,
    /// A world or a property could, which the reason names.
    Open,
}

/// The reasons by the mutants' ids.
///
/// A line without white space before it is an id; the lines below one or several of them are their
/// reason, which begins with `equivalent:` or `open:`.
///
/// # Errors
///
/// An id without a reason, or twice; a reason without an id, or of another kind.
pub fn read(text: &str) -> Result<BTreeMap<String, Reason>, String> {
    let mut known = BTreeMap::new();
    let mut ids: Vec<(usize, String)> = Vec::new();
    let mut is_in_reason = false;
    for (line, words) in (1..).zip(text.lines()) {
        if words.trim().is_empty() || words.starts_with('#') {
            continue;
        }
        if !words.starts_with(char::is_whitespace) {
            is_in_reason = false;
            ids.push((line, words.to_owned()));
            continue;
        }
        if is_in_reason {
            continue;
        }
        is_in_reason = true;
        let reason = match words.trim_start() {
            words if words.starts_with("equivalent: ") => Reason::Equivalent,
            words if words.starts_with("open: ") => Reason::Open,
            _ => return Err(format!("line {line}: neither `equivalent: ` nor `open: `")),
        };
        if ids.is_empty() {
            return Err(format!("line {line}: a reason without a mutant"));
        }
        for (line, id) in ids.drain(..) {
            if known.insert(id, reason.clone()).is_some() {
                return Err(format!("line {line}: this mutant is listed twice"));
            }
        }
    }
    match ids.first() {
        Some((line, _)) => Err(format!("line {line}: this mutant has no reason")),
        None => Ok(known),
    }
}

#[cfg(test)]
mod tests {
    use super::{Reason, read};

    #[test]
    fn mutants_have_a_reason_of_a_kind() {
        let known = read("# all\na: b\nc\n  equivalent: one\n  two\nd\n  open: three\n");
        let known = known.expect("it is a list");
        assert_eq!(known["a: b"], Reason::Equivalent);
        assert_eq!(known["c"], Reason::Equivalent);
        assert_eq!(known["d"], Reason::Open);
        assert!(read("a\n  equivalent: b\nc\n").is_err(), "c has none");
        assert!(read("  open: a\n").is_err(), "of no mutant");
        assert!(read("a\n  because\n").is_err(), "of no kind");
        assert!(read("a\n  open: b\na\n  open: b\n").is_err(), "twice");
    }
}
