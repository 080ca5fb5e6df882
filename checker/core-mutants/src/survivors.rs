//! The list of the mutants that survive, each with the reason: `survivors.txt`.

use std::collections::BTreeMap;

/// The reasons by the mutants' ids.
///
/// A line without white space before it is an id; the lines below it are the reason.
///
/// # Errors
///
/// An id without a reason, or twice; a reason without an id.
pub fn read(text: &str) -> Result<BTreeMap<String, String>, String> {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut last: Option<String> = None;
    for (line, words) in (1..).zip(text.lines()) {
        if words.trim().is_empty() || words.starts_with('#') {
            continue;
        }
        if words.starts_with(char::is_whitespace) {
            let id =
                last.as_ref().ok_or_else(|| format!("line {line}: a reason without a mutant"))?;
            let reason = known.entry(id.clone()).or_default();
            if !reason.is_empty() {
                reason.push(' ');
            }
            reason.push_str(words.trim());
        } else {
            if known.insert(words.to_owned(), String::new()).is_some() {
                return Err(format!("line {line}: this mutant is listed twice"));
            }
            last = Some(words.to_owned());
        }
    }
    match known.iter().find(|(_, reason)| reason.is_empty()) {
        Some((id, _)) => Err(format!("`{id}` has no reason")),
        None => Ok(known),
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn each_mutant_has_a_reason() {
        let known = read("# all\na b: c\n  one\n  two\nd\n  three\n").expect("it is a list");
        assert_eq!(known["a b: c"], "one two");
        assert_eq!(known["d"], "three");
        assert!(read("a\nb\n  c\n").is_err());
        assert!(read("  a\n").is_err());
        assert!(read("a\n  b\na\n  b\n").is_err());
    }
}
