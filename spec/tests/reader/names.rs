//! The names of a table: what Rust calls them, which are allowed, and which one a misspelt one is.

use std::cell::Cell;

use proptest::prelude::*;
use turnstile_random::cases;
use turnstile_spec::diagnostic::code;
use turnstile_spec::{Source, WrittenTable, camel, nearest};

use crate::{diagnostics, one_state};

/// Whether a table with this text after its head is without errors in names.
fn is_named_well(text: &str) -> bool {
    let table = format!("language: 1\n{text}\nevents: {{ go: {{ kind: command }} }}\n");
    let diagnostics = diagnostics(&format!("{table}transitions: []\n"));
    assert!(diagnostics.iter().all(|one| one.code != code::NOT_YAML), "{diagnostics:?}");
    diagnostics.iter().all(|one| one.code != code::INVALID_NAME)
}

#[test]
fn names_become_variants() {
    for (name, ident) in [
        ("retrying abort", "RetryingAbort"),
        ("send PATCH (ttl=...)", "SendPatchTtl"),
        ("WAITLOCK", "Waitlock"),
        ("BecomeCoord", "BecomeCoord"),
        ("LOCK-INFO-REQ", "LockInfoReq"),
        ("4xx", "N4xx"),
        ("…", ""),
    ] {
        assert_eq!(camel(name), ident);
        let states = format!("machine: m\nstates: {{ \"{name}\": {{ initial: true }} }}");
        assert_eq!(is_named_well(&states), !ident.is_empty(), "{ident}");
    }
    for (ident, can_be) in [("Lower", true), ("Self", false), ("lower", false), ("A b", false)] {
        let state = format!("states: {{ s: {{ initial: true, ident: \"{ident}\" }} }}");
        assert_eq!(is_named_well(&format!("machine: m\n{state}")), can_be, "{ident}");
    }
}

#[test]
fn a_machine_has_the_name_of_a_file() {
    for (name, can_be) in [
        ("claim-record", true),
        ("GetLock 2", true),
        ("", false),
        ("../door", false),
        ("a/b", false),
        ("2nd door", false),
        ("door.yaml", false),
    ] {
        let table = format!("machine: \"{name}\"\nstates: {{ s: {{ initial: true }} }}");
        assert_eq!(is_named_well(&table), can_be, "{name}");
    }
}

#[test]
fn rows_of_the_same_lines_have_letters_that_count_on() {
    let text = one_state("0..99", (0..28).map(|n| format!("e ({n}), cite: 7")));
    let table = WrittenTable::read(Source::new("m.yaml", text)).expect("it is a table");
    let ids = [0, 25, 26, 27].map(|nth: usize| table.vocabulary.rows[nth].id.as_str());
    assert_eq!(ids, ["7a", "7z", "7aa", "7ab"]);
}

#[test]
fn the_nearest_name_is_meant() {
    let known = ["waiting", "waited", "Waiting", "shut"];
    assert_eq!(nearest("waitnig", known.into_iter()), Some("waiting"));
    assert_eq!(nearest("WAITING", known.into_iter()), Some("Waiting"));
    assert_eq!(nearest("open", known.into_iter()), None);
}

/// The likeness of two names by another implementation: whatever their case, and then with it.
fn like(a: &str, b: &str) -> (f64, f64) {
    let like = strsim::normalized_damerau_levenshtein;
    (like(&a.to_lowercase(), &b.to_lowercase()), like(a, b))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// A likeness that is wrong would make another one the nearest.
    #[test]
    fn likeness_is_that_of_another_implementation(
        name in "[abcAé]{0,9}",
        known in prop::collection::vec("[abcAé]{0,9}", 2..8),
    ) {
        // The last one of equally similar ones.
        let by_likeness = |a: &&String, b: &&String| {
            like(&name, a).partial_cmp(&like(&name, b)).expect("numbers")
        };
        let best = known.iter().max_by(by_likeness).filter(|best| like(&name, best).0 >= 0.6);
        let found = nearest(&name, known.iter().map(String::as_str));
        prop_assert_eq!(found, best.map(String::as_str));
    }
}

/// A table where an event has no row in a state; with these entries below `ignore`.
fn with_a_gap(state: &str, event: &str, ignored: &str) -> String {
    let quote = |name: &str| format!("\"{}\"", name.replace('\\', r"\\").replace('"', r#"\""#));
    let (state, event) = (quote(state), quote(event));
    format!(
        "language: 1
machine: m
states: {{ {state}: {{ initial: true, ident: One }}, elsewhere: {{}} }}
events:
  {event}: {{ kind: command, ident: Other, payload: {{ n: 0..2 }} }}
  back: {{ kind: command }}
transitions:
  - {{ from: {state}, to: elsewhere, event: back }}
  - {{ from: elsewhere, to: {state}, event: {event} }}
  - {{ from: elsewhere, to: {state}, event: back }}
ignore:
{ignored}"
    )
}

/// What the help of the event that is not handled says to copy, with a reason.
fn to_copy(table: &str) -> Option<String> {
    let found = diagnostics(table).into_iter().find(|one| one.code == code::UNHANDLED_EVENT)?;
    let help = found.help.expect("it says what to do");
    let lines = help.lines().filter(|line| line.starts_with("  - {"));
    Some(lines.map(|line| line.replace('…', "why") + "\n").collect())
}

#[test]
fn an_entry_to_copy_names_what_it_is_for() {
    let odd = r#"[-a-zé:,#\[\]{}'"&*!|>%@`?~\\ .=0-9]{1,9}"#;
    let names = || odd.prop_map(|name| name.trim().to_owned());
    let (gaps, repeat) = (Cell::new(0), "-p turnstile-spec --test reader an_entry_to_copy");
    cases(2_000, repeat, &(names(), names()), |(state, event)| {
        // Where there is no such gap, a name is refused for another reason.
        let Some(entries) = to_copy(&with_a_gap(&state, &event, "  []\n")) else { return Ok(()) };
        let whole = with_a_gap(&state, &event, &entries);
        let left = diagnostics(&whole);
        prop_assert!(left.is_empty(), "{}\n{:?}", whole, left);
        gaps.set(gaps.get() + 1);
        Ok(())
    });
    assert!(gaps.get() > 1_000, "only {} names leave a gap", gaps.get());
}
