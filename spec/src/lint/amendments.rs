//! Amendments among themselves: two of one thing, one without effect, one that needs what is not
//! there.

use crate::code;
use crate::fault::{Fault, Span};
use crate::likeness::nearest;
use crate::lint::Subject;
use crate::raw::{self, Amendment, Declared, Parts, Row, SECTIONS, keys};
use crate::read::amend::{self, Listed};
use crate::sorted::{Set, Sorted};
use crate::table::RowId;
use crate::yaml::Word;

pub(super) fn check(subject: &Subject<'_>, listed: &Listed, faults: &mut Vec<Fault>) {
    let raw = subject.raw;
    ids(&raw.amendments, faults);
    needs(&raw.amendments, faults);
    let mut last = Sorted::default();
    for (nth, amendment) in raw.amendments.iter().enumerate() {
        is_empty(amendment, faults);
        if amend::is_astray(raw, nth) {
            continue;
        }
        let needed = amend::needed(raw, nth);
        let mut seen = Touched { last: &mut last, nth, needed, faults };
        let base = amend::base(raw, listed, nth);
        rows(&base.rows, amendment, &mut seen);
        parts(&base.parts, amendment, &mut seen);
    }
}

/// What amendments touch, and where: by which of them, last.
struct Touched<'a> {
    last: &'a mut Sorted<(&'static str, String), (usize, Span)>,
    /// The place of the amendment that is looked at.
    nth: usize,
    /// The places of those that it needs.
    needed: Vec<usize>,
    faults: &'a mut Vec<Fault>,
}

impl Touched<'_> {
    fn touch(&mut self, section: &'static str, name: String, span: Span) {
        let last = self.last.insert((section, name), (self.nth, span));
        if let Some((_, first)) = last.filter(|(other, _)| !self.needed.contains(other)) {
            let fault = Fault::finding(code::AMENDED_TWICE, "two amendments are of one thing")
                .label(span, "the second")
                .label(first, "the first")
                .help("make one of them, or say by `needs` that the second builds on the first");
            self.faults.push(fault);
        }
    }
}

fn ids(amendments: &[Amendment], faults: &mut Vec<Fault>) {
    let mut seen: Sorted<&str, Span> = Sorted::default();
    for amendment in amendments {
        if let Some(first) = seen.insert(&amendment.id.text, amendment.id.span) {
            let fault = Fault::finding(
                code::ID_TWICE,
                format!("two amendments are called `{}`", amendment.id.text),
            )
            .label(amendment.id.span, "the second")
            .label(first, "the first")
            .help("rename one of them");
            faults.push(fault);
        }
    }
}

fn needs(amendments: &[Amendment], faults: &mut Vec<Fault>) {
    let mut known = Sorted::default();
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
                let message = format!("no amendment is called `{}`", word.text);
                let fault =
                    Fault::finding(code::NEEDS, message).label(word.span, "no such amendment");
                faults.push(fault.help(help));
            } else if reaches(&known, &word.text, &amendment.id.text) {
                let message = format!("`{}` needs itself", amendment.id.text);
                let fault = Fault::finding(code::NEEDS, message)
                    .label(
                        word.span,
                        format!("`{}` needs `{}` in turn", word.text, amendment.id.text),
                    )
                    .help("make one amendment of them");
                faults.push(fault);
            }
        }
    }
}

fn reaches(known: &Sorted<&str, &Amendment>, from: &str, to: &str) -> bool {
    let mut seen = Set::default();
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

fn is_empty(amendment: &Amendment, faults: &mut Vec<Fault>) {
    let mut put = |message: String, text: &str, help: &str| {
        let fault = Fault::finding(code::NO_EFFECT, message).label(amendment.id.span, text);
        faults.push(fault.help(help));
    };
    if amendment.is_empty() {
        let message = format!("`{}` changes nothing", amendment.id.text);
        put(
            message,
            "it says why, and not what",
            "add `row` and `set`, `add`, `change` or `remove`",
        );
    }
    if amendment.shown_by.is_empty() {
        let message = format!("nothing shows that `{}` is needed", amendment.id.text);
        put(
            message,
            "`shown-by` is empty",
            "name what fails without it: a fault's code, a property",
        );
    }
}

fn rows(rows: &[(RowId, Row)], amendment: &Amendment, seen: &mut Touched<'_>) {
    for change in &amendment.rows {
        if let Some((id, row)) = amend::only(rows, &change.row) {
            seen.touch("rows", id.index().to_string(), change.row.span);
            if amend::set(row, &change.set).is_like(row) {
                let fault = Fault::finding(code::NO_EFFECT, "the row is as it was")
                    .label(change.set.span, "this changes nothing")
                    .label(row.span, "the row")
                    .help("say what differs, or remove the amendment");
                seen.faults.push(fault);
            }
        }
    }
    for selector in &amendment.remove.rows {
        if let Some((id, _)) = amend::only(rows, selector) {
            seen.touch("rows", id.index().to_string(), selector.span);
        }
    }
}

/// What an amendment says of one section, beside the names that the literal table has there.
struct Section<'a> {
    name: &'static str,
    known: Vec<&'a Word>,
    add: Vec<&'a Word>,
    change: Vec<&'a Word>,
    remove: &'a [Word],
}

fn parts(one: &Parts, amendment: &Amendment, seen: &mut Touched<'_>) {
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
        if has(keys(&one.guards)) && !has(keys(&one.guard_formulas)) {
            let message = format!("the guard `{}` has no formula to amend", word.text);
            let fault = Fault::finding(code::SELECTS_NOTHING, message)
                .label(word.span, "the core answers it")
                .help("add a guard of another name, and have the rows ask that");
            seen.faults.push(fault);
        }
    }
    cells(one, amendment, seen);
}

/// The names of one section.
fn heads<'p>(all: &[Declared<'p>], section: &str) -> Vec<&'p Word> {
    all.iter().filter(|one| one.section == section).map(|one| one.word).collect()
}

/// What is added is new, but for a state that so far is only named; what is changed or removed is
/// there.
fn touches(section: &Section<'_>, undeclared: &dyn Fn(&Word) -> bool, seen: &mut Touched<'_>) {
    let Section { name, known, add, change, remove } = section;
    for word in add {
        let first = known.iter().find(|known| known.text == word.text);
        if let Some(first) = first.filter(|word| *name != "states" || !undeclared(word)) {
            let message = format!("`{}` is there already", word.text);
            let fault = Fault::finding(code::ADDS_KNOWN, message)
                .label(word.span, "added here")
                .label(first.span, "declared here")
                .help("put it under `change`, or give it another name");
            seen.faults.push(fault);
        } else {
            seen.touch(name, word.text.clone(), word.span);
        }
    }
    for word in change.iter().copied().chain(*remove) {
        if known.iter().any(|known| known.text == word.text) {
            seen.touch(name, word.text.clone(), word.span);
        } else {
            seen.faults.push(nothing(name, word, known));
        }
    }
}

fn nothing(section: &str, word: &Word, known: &[&Word]) -> Fault {
    let near = nearest(&word.text, known.iter().map(|word| word.text.as_str()));
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "name what the table has there, or an amendment under `needs` adds".to_owned(),
    };
    let message = format!("`{section}` has no `{}` to amend", word.text);
    Fault::finding(code::SELECTS_NOTHING, message).label(word.span, "hits nothing").help(help)
}

/// Where a cell is written, as a name.
fn place(cell: &raw::Cell) -> String {
    let states = cell.states.iter().chain(&cell.events).map(|word| word.span.start.to_string());
    states.collect::<Vec<_>>().join(" ")
}

fn cells(one: &Parts, amendment: &Amendment, seen: &mut Touched<'_>) {
    for (section, cells, selectors) in [
        ("ignore", &one.ignore, &amendment.remove.ignore),
        ("impossible", &one.impossible, &amendment.remove.impossible),
    ] {
        for selector in selectors {
            match cells.iter().find(|cell| amend::is_cell(selector, cell)) {
                Some(cell) => seen.touch(section, place(cell), selector.span),
                None => {
                    let message = format!("`{section}` has no such entry");
                    let fault = Fault::finding(code::SELECTS_NOTHING, message)
                        .label(selector.span, "hits nothing")
                        .help("write `state` and `event` as the entry has them");
                    seen.faults.push(fault);
                }
            }
        }
    }
}
