//! A mutant of a core: one change of its Rust, which a number switches on at run time.

use std::collections::BTreeMap;
use std::ops::Range;

/// What a mutant changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A comparison, an operand, a statement, a whole body.
    Change,
    /// A name or a field is another one of the same type.
    Name,
    /// Two statements that follow each other are swapped.
    Swap,
    /// Of several items only the first one is meant, or the first one is not.
    First,
    /// A branch, an arm or an early end is forgotten.
    Path,
    /// A value was read before what changes it.
    Stale,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Change, Self::Name, Self::Swap, Self::First, Self::Path, Self::Stale];
}

/// A mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// What it changes.
    pub kind: Kind,
    /// The file, from the folder of the cores' sources: `claim/record/mod.rs`.
    pub file: String,
    /// The function that has it: `Records::answer`.
    pub function: String,
    /// The change: `a == b` becomes `!(a == b)`.
    pub change: String,
    /// Which of several equal changes of the function, from 1.
    pub occurrence: usize,
    /// The line of the change in the file, from 1.
    pub line: usize,
    /// What makes the change switchable.
    pub edits: Vec<Edit>,
}

impl Mutant {
    /// What identifies it, also after edits elsewhere in the file.
    #[must_use]
    pub fn id(&self) -> String {
        let Self { file, function, change, .. } = self;
        match self.occurrence {
            1 => format!("{file} {function}: {change}"),
            nth => format!("{file} {function}: {change} ({nth})"),
        }
    }
}

/// A text in place of a range of a file. `{}` stands for the mutant's number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that it replaces; empty: it is inserted.
    pub range: Range<usize>,
    /// Whether it closes what another edit of the mutant opens: of edits at one place, these come
    /// first, the inner ones before the outer ones.
    pub closes: bool,
    /// Whether it is a statement, or around one: at one place, outside of what is not.
    pub is_statement: bool,
    /// Whether mutants share it: it is made once, outside of all others.
    pub is_shared: bool,
    /// The new text.
    pub text: String,
}

impl Edit {
    /// What is put around a statement.
    pub fn around_statement(of: Range<usize>, open: &str, close: &str) -> Vec<Self> {
        let edits = [insert(of.start, false, open), insert(of.end, true, close)];
        edits.map(|edit| Self { is_statement: true, ..edit }).into()
    }

    /// The order of edits at one place, of mutants in this order.
    fn nesting(&self, order: usize) -> (usize, bool, bool, bool, usize) {
        let (start, closes) = (self.range.start, self.closes);
        let nesting = if closes { usize::MAX - order } else { order };
        (start, !closes, !self.is_shared, closes == self.is_statement, nesting)
    }
}

/// A text that is put between two others.
pub fn insert(at: usize, closes: bool, text: &str) -> Edit {
    let text = text.to_owned();
    Edit { range: at..at, closes, is_statement: false, is_shared: false, text }
}

/// Where a mutant is in the text that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The mutant's number.
    pub number: usize,
    /// From the first to the last of its edits.
    pub whole: Range<usize>,
    /// Each of its own texts.
    pub own: Vec<Range<usize>>,
}

/// The text of a file with its mutants, and where each of them is.
#[must_use]
pub fn switchable(text: &str, mutants: &[(usize, &Mutant)]) -> (String, Vec<Site>) {
    let mut edits: Vec<(usize, usize, &Edit)> = Vec::new();
    for (order, (number, mutant)) in mutants.iter().enumerate() {
        edits.extend(mutant.edits.iter().map(|edit| (order, *number, edit)));
    }
    edits.sort_by_key(|(order, _, edit)| edit.nesting(*order));
    edits.dedup_by(|(_, _, one), (_, _, other)| one.is_shared && one == other);
    let (mut new, mut from) = (String::new(), 0);
    let mut sites: BTreeMap<usize, Site> = BTreeMap::new();
    for (_, number, edit) in edits {
        new.push_str(&text[from..edit.range.start]);
        from = edit.range.end;
        let start = new.len();
        new.push_str(&edit.text.replace("{}", &number.to_string()));
        let whole = start..new.len();
        let site = Site { number, whole: whole.clone(), own: Vec::new() };
        let site = sites.entry(number).or_insert(site);
        site.whole.end = new.len();
        site.own.extend((!edit.is_shared).then_some(whole));
    }
    new.push_str(&text[from..]);
    (new, sites.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::{Kind, Mutant, insert, switchable};

    fn wraps(range: std::ops::Range<usize>, name: &str) -> Mutant {
        let open = format!("{name}({{}}, ");
        let edits = vec![insert(range.start, false, &open), insert(range.end, true, ")")];
        let (file, function, change) = (String::new(), String::new(), String::new());
        Mutant { kind: Kind::Change, file, function, change, occurrence: 1, line: 1, edits }
    }

    #[test]
    fn edits_of_several_mutants_nest() {
        let (outer, inner, last) = (wraps(0..10, "f"), wraps(0..5, "g"), wraps(9..10, "h"));
        let (text, sites) = switchable("aaaaa && b", &[(1, &outer), (2, &inner), (3, &last)]);
        assert_eq!(text, "f(1, g(2, aaaaa) && h(3, b))");
        let of = |number| sites.iter().find(|site| site.number == number).expect("it is there");
        assert_eq!(&text[of(2).whole.clone()], "g(2, aaaaa)");
    }
}
