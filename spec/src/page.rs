//! The language as a page: every key of table and system files with a sentence, and every fault.
//! Written from the very shapes that the reader checks.

use std::collections::VecDeque;
use std::fmt::Write as _;

use crate::explain;
use crate::language::TABLE;
use crate::shape::{Key, Kind, Shape};
use crate::system::shape::SYSTEM;

const PATTERNS: &str = "\
An event that carries something is named with a pattern over it: `response (200)`,
`response (4xx except 404)`, `\"response (5xx, 404)\"`. A comma inside braces or brackets wants
quotes. `from: any` is every state, `to: same` the state that the row leaves; a list, or the name of
a set, stands for a row each. A formula's leaf is `PREDICATE(THINGS)`, `RULE(THINGS)` or
`THING in STATE`.";

/// The page, in Markdown, below a line that says where it comes from.
#[must_use]
pub fn page(header: &str) -> String {
    let title = "# The language of tables and systems";
    let mut text = format!("<!-- {header} -->\n\n{title}\n\n{PATTERNS}\n");
    let mut told = Vec::new();
    put_file(&mut text, "A table's file", &TABLE, &mut told);
    put_file(&mut text, "A system's file", &SYSTEM, &mut told);
    text.push_str("\n## Faults\n\n| code | means |\n| --- | --- |\n");
    for code in explain::CODES {
        let title = explain::explain(code).and_then(|page| page.lines().next());
        let title = title.and_then(|line| line.split_once(": ")).map_or("", |(_, title)| title);
        let _ = writeln!(text, "| {code} | {title} |");
    }
    text
}

/// A file's mappings, the outermost first; those of an earlier file are not told again.
fn put_file(text: &mut String, title: &str, file: &'static Shape, told: &mut Vec<&'static str>) {
    let _ = writeln!(text, "\n## {title}");
    let mut open = VecDeque::from([file]);
    while let Some(shape) = open.pop_front() {
        if told.contains(&shape.name) {
            continue;
        }
        told.push(shape.name);
        let _ = writeln!(text, "\n### {}\n\n| key | value | |\n| --- | --- | --- |", shape.name);
        for Key { name, kind, required, about } in shape.keys {
            let must = if *required { "needed. " } else { "" };
            let value = value(*kind).replace('|', "\\|");
            let _ = writeln!(text, "| `{name}` | {value} | {must}{} |", about.replace('|', "\\|"));
            shapes(*kind, &mut open);
        }
    }
}

/// The mappings that a value is made of.
fn shapes(kind: Kind, open: &mut VecDeque<&'static Shape>) {
    match kind {
        Kind::Map(shape) => open.push_back(shape),
        Kind::Names(kind) | Kind::List(kind) => shapes(*kind, open),
        Kind::Either(kinds) => kinds.iter().for_each(|kind| shapes(*kind, open)),
        Kind::Text | Kind::Flag | Kind::Choice(_) | Kind::Number | Kind::Lines => {}
    }
}

/// A value in words.
fn value(kind: Kind) -> String {
    match kind {
        Kind::Text => "text".to_owned(),
        Kind::Flag => "`true`, `false`".to_owned(),
        Kind::Number => "a number".to_owned(),
        Kind::Choice(words) => {
            words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        }
        Kind::Lines => "lines: `36`, `36-41`, a list of them".to_owned(),
        Kind::Map(shape) => {
            format!("[{}](#{})", shape.name, shape.name.to_lowercase().replace(' ', "-"))
        }
        Kind::Names(kind) => format!("names, each with: {}", value(*kind)),
        Kind::List(kind) => format!("a list of: {}", value(*kind)),
        Kind::Either(kinds) => {
            kinds.iter().map(|kind| value(*kind)).collect::<Vec<_>>().join("; or ")
        }
    }
}
