//! Patterns over payloads are sets of numbers.

use turnstile_spec::diagnostic::code;
use turnstile_spec::{Source, WrittenTable};

use crate::{diagnostics, one_state};

/// The codes of a table's diagnostics, but of those about cells without a row, and about the state,
/// which nothing leaves.
fn codes(text: &str) -> Vec<&'static str> {
    let codes = diagnostics(text).into_iter().map(|one| one.code);
    codes.filter(|code| ![code::UNHANDLED_EVENT, code::NO_EXIT].contains(code)).collect()
}

/// A table with one state, whose rows match these patterns.
fn table(domain: &str, patterns: &[&str]) -> String {
    one_state(domain, patterns.iter().map(|pattern| format!("\"e ({pattern})\"")))
}

#[test]
fn patterns_are_sets_of_numbers() {
    for (pattern, ranges) in [
        ("4xx except 404", &[400..=403, 405..=499][..]),
        ("5xx, 404", &[404..=404, 500..=599]),
        ("409", &[409..=409]),
        ("200 or 201 or 300..301", &[200..=201, 300..=301]),
        ("any except 2xx, 3xx", &[100..=199, 400..=599]),
    ] {
        let read = WrittenTable::read(Source::new("m.yaml", table("100..599", &[pattern])));
        assert_eq!(read.expect("it is a table").table.rows[0].pattern.0, ranges, "{pattern}");
    }
    for (pattern, code) in [
        ("404 except 4xx", code::EMPTY_PATTERN),
        ("6xx", code::PATTERN_RANGE),
        ("ok", code::INVALID_PATTERN),
        ("65536", code::INVALID_PATTERN),
    ] {
        let found = codes(&table("100..599", &[pattern]));
        assert_eq!(found, [code], "{pattern}");
    }
}

#[test]
fn the_ends_of_the_numbers_do_not_overflow() {
    let codes = |patterns: &[&str]| codes(&table("0..65535", patterns));
    assert_eq!(codes(&["any", "7..9"]), [code::CONFLICTING_ROWS]);
    assert_eq!(codes(&["0, 65535", "1..65534"]), [""; 0]);
    let unspecified = |patterns: &[&str]| -> Vec<String> {
        let diagnostics = diagnostics(&table("0..65535", patterns));
        let of = diagnostics.into_iter().filter(|one| one.code == code::UNHANDLED_EVENT);
        of.flat_map(|one| one.cells).map(|cell| cell.event).collect()
    };
    assert_eq!(unspecified(&["0, 65535"]), ["e (1..65534)"]);
    assert_eq!(unspecified(&["0, 65535", "1..65534"]), [""; 0]);
    assert_eq!(unspecified(&["any"]), [""; 0]);
}
