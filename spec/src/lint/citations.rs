//! Lines that are cited and excused at once: one of the two is not true.

use std::collections::BTreeMap;

use crate::code;
use crate::fault::{Fault, Span};
use crate::lint::Subject;
use crate::raw::{Declared, Parts};
use crate::table::Lines;

pub(super) fn check(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let cited = cited(&subject.raw.parts);
    let mut excused: Vec<(Lines, Span)> = Vec::new();
    for entry in &subject.raw.uncited {
        for lines in &entry.lines {
            let twin = excused.iter().find(|(other, _)| meet(other, lines)).map(|(_, span)| *span);
            let place = cited.iter().find(|(_, (other, _))| meet(other, lines));
            let first = match (place, twin) {
                (Some((_, (_, span))), _) => (*span, "and cited here"),
                (None, Some(span)) => (span, "and excused here"),
                (None, None) => {
                    excused.push((lines.clone(), entry.span));
                    continue;
                }
            };
            let text = match (lines.start(), lines.end()) {
                (first, last) if first == last => format!("line {first} is"),
                (first, last) => format!("lines {first}-{last} are"),
            };
            let fault =
                Fault::finding(code::CITED, format!("{text} excused and accounted for elsewhere"))
                    .label(entry.span, "excused here")
                    .label(first.0, first.1)
                    .help("take the lines out of one of the two");
            faults.push(fault);
        }
    }
}

/// What each declaration, row and cell cites, by its place. Nothing bounds how much that is.
fn cited(parts: &Parts) -> BTreeMap<(u32, u32), (Lines, Span)> {
    let mut cited = BTreeMap::new();
    let mut put = |lines: &[Lines], span: Span| {
        for lines in lines {
            cited.insert((*lines.start(), span.start), (lines.clone(), span));
        }
    };
    for Declared { word, about, .. } in parts.declared() {
        put(&about.cite, word.span);
    }
    for row in &parts.rows {
        put(&row.cite, row.span);
    }
    for cell in parts.cells() {
        put(&cell.cite, cell.span);
    }
    cited
}

fn meet(a: &Lines, b: &Lines) -> bool {
    a.start() <= b.end() && b.start() <= a.end()
}
