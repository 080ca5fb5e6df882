//! Lints of amendments: conflicting ones, ones without effect, unknown or cyclic `needs`.

use crate::diagnostic::similarity::nearest;
use crate::diagnostic::{Diagnostic, Span, code};
use crate::lint::context::LintContext;
use crate::raw::{self, Amendment, Declaration, Row, SECTIONS, Sections, keys};
use crate::read::amend::{self, RowIndex};
use crate::table::RowId;
use crate::vec_map::{VecMap, VecSet};
use crate::yaml::Word;

pub(super) fn check(cx: &LintContext<'_>, listed: &RowIndex, diagnostics: &mut Vec<Diagnostic>) {
    let raw = cx.raw;
    ids(&raw.amendments, diagnostics);
    needs(&raw.amendments, diagnostics);
    let mut last = VecMap::default();
    for (nth, amendment) in raw.amendments.iter().enumerate() {
        is_empty(amendment, diagnostics);
        if amend::is_astray(raw, nth) {
            continue;
        }
        let needed = amend::needed(raw, nth);
        let mut seen = Touched { last: &mut last, nth, needed, diagnostics };
        let base = amend::base(raw, listed, nth);
        rows(&base.rows, amendment, &mut seen);
        parts(&base.parts, amendment, &mut seen);
    }
}

/// The entries that amendments change, each with the last amendment that changed it.
struct Touched<'a> {
    last: &'a mut VecMap<(&'static str, String), (usize, Span)>,
    /// The position of the current amendment.
    nth: usize,
    /// The positions of those that it needs.
    needed: Vec<usize>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Touched<'_> {
    fn touch(&mut self, section: &'static str, name: String, span: Span) {
        let last = self.last.insert((section, name), (self.nth, span));
        if let Some((_, first)) = last.filter(|(other, _)| !self.needed.contains(other)) {
            let what = match section {
                "rows" => "row".to_owned(),
                _ => format!("entry of `{section}`"),
            };
            let message = format!("two amendments change the same {what}");
            let diagnostic = Diagnostic::finding(code::CONFLICTING_AMENDMENTS, message)
                .label(span, "the second")
                .label(first, "the first")
                .help("merge the two, or list the first under `needs` of the second");
            self.diagnostics.push(diagnostic);
        }
    }
}

fn ids(amendments: &[Amendment], diagnostics: &mut Vec<Diagnostic>) {
    let mut seen: VecMap<&str, Span> = VecMap::default();
    for amendment in amendments {
        if let Some(first) = seen.insert(&amendment.id.text, amendment.id.span) {
            let diagnostic = Diagnostic::finding(
                code::DUPLICATE_ID,
                format!("duplicate amendment id `{}`", amendment.id.text),
            )
            .label(amendment.id.span, "duplicate")
            .label(first, "first defined here")
            .help("rename one of them");
            diagnostics.push(diagnostic);
        }
    }
}

fn needs(amendments: &[Amendment], diagnostics: &mut Vec<Diagnostic>) {
    let mut known = VecMap::default();
    for amendment in amendments {
        known.insert(amendment.id.text.as_str(), amendment);
    }
    for amendment in amendments {
        for word in &amendment.needs {
            if !known.has(word.text.as_str()) {
                let others = known.iter().map(|(id, _)| *id).filter(|id| *id != amendment.id.text);
                let near = nearest(&word.text, others);
                let help = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "name another amendment of this file".to_owned(),
                };
                let message = format!("amendment `{}` does not exist", word.text);
                let diagnostic = Diagnostic::finding(code::INVALID_NEEDS, message)
                    .label(word.span, "no such amendment");
                diagnostics.push(diagnostic.help(help));
            } else if reaches(&known, &word.text, &amendment.id.text) {
                let message =
                    format!("cyclic `needs`: amendment `{}` depends on itself", amendment.id.text);
                let diagnostic = Diagnostic::finding(code::INVALID_NEEDS, message)
                    .label(
                        word.span,
                        format!("`{}` needs `{}` in turn", word.text, amendment.id.text),
                    )
                    .help("merge the amendments, or remove one of the `needs`");
                diagnostics.push(diagnostic);
            }
        }
    }
}

fn reaches(known: &VecMap<&str, &Amendment>, from: &str, to: &str) -> bool {
    let mut seen = VecSet::default();
    let mut next = vec![from];
    while let Some(id) = next.pop() {
        if id == to {
            return true;
        }
        if seen.add(id)
            && let Some(amendment) = known.get(id)
        {
            next.extend(amendment.needs.iter().map(|word| word.text.as_str()));
        }
    }
    false
}

fn is_empty(amendment: &Amendment, diagnostics: &mut Vec<Diagnostic>) {
    let mut put = |message: String, text: &str, help: &str| {
        let diagnostic =
            Diagnostic::finding(code::NO_EFFECT, message).label(amendment.id.span, text);
        diagnostics.push(diagnostic.help(help));
    };
    if amendment.is_empty() {
        let message = format!("{} `{}` changes nothing", amendment.noun(), amendment.id.text);
        let text = if amendment.is_reading {
            "it has a sentence, but no change"
        } else {
            "it has a reason, but no change"
        };
        put(message, text, "add `row` and `set`, `add`, `change` or `remove`");
    }
    if amendment.shown_by.is_empty() && !amendment.is_reading {
        let message =
            format!("amendment `{}` names no check that fails without it", amendment.id.text);
        put(
            message,
            "`shown-by` is empty",
            "name what fails without it: a code such as `T022`, or a property",
        );
    }
}

fn rows(rows: &[(RowId, Row)], amendment: &Amendment, seen: &mut Touched<'_>) {
    for change in &amendment.rows {
        if let Some((id, row)) = amend::only(rows, &change.row) {
            seen.touch("rows", id.index().to_string(), change.row.span);
            if amend::set(row, &change.set).is_like(row) {
                let diagnostic =
                    Diagnostic::finding(code::NO_EFFECT, "`set` leaves the row unchanged")
                        .label(change.set.span, "the row has these values already")
                        .label(row.span, "the row")
                        .help("set another value, or remove the amendment");
                seen.diagnostics.push(diagnostic);
            }
        }
    }
    for selector in &amendment.remove.rows {
        if let Some((id, _)) = amend::only(rows, selector) {
            seen.touch("rows", id.index().to_string(), selector.span);
        }
    }
}

/// The changes of an amendment to one section, and the names that the table has there.
struct Section<'a> {
    name: &'static str,
    known: Vec<&'a Word>,
    add: Vec<&'a Word>,
    change: Vec<&'a Word>,
    remove: &'a [Word],
}

fn parts(one: &Sections, amendment: &Amendment, seen: &mut Touched<'_>) {
    let removed = amendment.remove.names();
    let (known, add, change) =
        (one.declared(), amendment.add.declared(), amendment.change.declared());
    let sections = SECTIONS.map(|name| {
        let remove = removed.iter().find(|(section, _)| *section == name);
        let remove = remove.map_or(&[][..], |(_, words)| words);
        Section {
            name,
            known: heads(&known, name),
            add: heads(&add, name),
            change: heads(&change, name),
            remove,
        }
    });
    let undeclared = |word: &Word| {
        one.states.iter().any(|(known, state)| known.text == word.text && state.undeclared)
    };
    for section in &sections {
        touches(section, &undeclared, seen);
    }
    for (word, _) in &amendment.change.guard_formulas {
        let has = |list: Vec<&str>| list.contains(&word.text.as_str());
        let is_formula = has(keys(&one.guard_formulas)) || has(keys(&one.guard_comparisons));
        if has(keys(&one.guards)) && !is_formula {
            let message = format!("the guard `{}` has no formula to amend", word.text);
            let diagnostic = Diagnostic::finding(code::MATCHES_NOTHING, message)
                .label(word.span, "the core evaluates it")
                .help("add a guard under a new name, and use it in the rows");
            seen.diagnostics.push(diagnostic);
        }
    }
    cells(one, amendment, seen);
}

/// The names of one section.
fn heads<'p>(all: &[Declaration<'p>], section: &str) -> Vec<&'p Word> {
    all.iter().filter(|one| one.section == section).map(|one| one.word).collect()
}

/// Added names must be new, except for undeclared states; changed and removed names must exist.
fn touches(section: &Section<'_>, undeclared: &dyn Fn(&Word) -> bool, seen: &mut Touched<'_>) {
    let Section { name, known, add, change, remove } = section;
    for word in add {
        let first = known.iter().find(|known| known.text == word.text);
        if let Some(first) = first.filter(|word| *name != "states" || !undeclared(word)) {
            let message = format!("`{}` is already declared", word.text);
            let diagnostic = Diagnostic::finding(code::ADDS_EXISTING, message)
                .label(word.span, "added here")
                .label(first.span, "declared here")
                .help("use `change` instead of `add`, or choose another name");
            seen.diagnostics.push(diagnostic);
        } else {
            seen.touch(name, word.text.clone(), word.span);
        }
    }
    for word in change.iter().copied().chain(*remove) {
        if known.iter().any(|known| known.text == word.text) {
            seen.touch(name, word.text.clone(), word.span);
        } else {
            seen.diagnostics.push(nothing(name, word, known));
        }
    }
}

fn nothing(section: &str, word: &Word, known: &[&Word]) -> Diagnostic {
    let near = nearest(&word.text, known.iter().map(|word| word.text.as_str()));
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "name an entry of the table, or list under `needs` the amendment that adds it"
            .to_owned(),
    };
    let message = format!("`{section}` has no entry `{}` to amend", word.text);
    Diagnostic::finding(code::MATCHES_NOTHING, message).label(word.span, "no such entry").help(help)
}

/// A key for a cell: the positions of its states and events in the file.
fn place(cell: &raw::Cell) -> String {
    let states = cell.states.iter().chain(&cell.events).map(|word| word.span.start.to_string());
    states.collect::<Vec<_>>().join(" ")
}

fn cells(one: &Sections, amendment: &Amendment, seen: &mut Touched<'_>) {
    for (section, cells, selectors) in [
        ("ignore", &one.ignore, &amendment.remove.ignore),
        ("impossible", &one.impossible, &amendment.remove.impossible),
    ] {
        for selector in selectors {
            match cells.iter().find(|cell| amend::is_cell(selector, cell)) {
                Some(cell) => seen.touch(section, place(cell), selector.span),
                None => {
                    let message = format!("the amendment matches no entry of `{section}`");
                    let diagnostic = Diagnostic::finding(code::MATCHES_NOTHING, message)
                        .label(selector.span, "no such entry")
                        .help("copy `state` and `event` from the entry as they are written");
                    seen.diagnostics.push(diagnostic);
                }
            }
        }
    }
}
