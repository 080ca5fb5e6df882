//! Lines that are both cited and listed as uncited.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Span, code};
use crate::lint::context::LintContext;
use crate::raw::{Declaration, Sections};
use crate::table::Lines;

pub(super) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let cited = cited(&cx.raw.parts);
    let mut excused: Vec<(Lines, Span)> = Vec::new();
    for entry in &cx.raw.uncited {
        for lines in &entry.lines {
            let twin = excused.iter().find(|(other, _)| meet(other, lines)).map(|(_, span)| *span);
            let place = cited.iter().find(|(_, (other, _))| meet(other, lines));
            let first = match (place, twin) {
                (Some((_, (_, span))), _) => (*span, "cited here"),
                (None, Some(span)) => (span, "first listed here"),
                (None, None) => {
                    excused.push((lines.clone(), entry.span));
                    continue;
                }
            };
            let text = match (lines.start(), lines.end()) {
                (first, last) if first == last => format!("line {first} is"),
                (first, last) => format!("lines {first}-{last} are"),
            };
            let message = match place {
                Some(_) => format!("{text} both cited and listed as uncited"),
                None => format!("{text} listed as uncited twice"),
            };
            let diagnostic = Diagnostic::finding(code::CITED_AND_UNCITED, message)
                .label(entry.span, "listed as uncited here")
                .label(first.0, first.1)
                .help("remove the lines from one of the two");
            diagnostics.push(diagnostic);
        }
    }
}

/// The lines that each declaration, row and cell cites, by position. A B-tree: the number of
/// entries is unbounded.
fn cited(parts: &Sections) -> BTreeMap<(u32, u32), (Lines, Span)> {
    let mut cited = BTreeMap::new();
    let mut put = |lines: &[Lines], span: Span| {
        for lines in lines {
            cited.insert((*lines.start(), span.start), (lines.clone(), span));
        }
    };
    for Declaration { word, about, .. } in parts.declared() {
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
