//! A mutant of a core: one change of its Rust, which a number switches on at run time.

use std::ops::Range;

/// A mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
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
    /// The new text.
    pub text: String,
}

/// The text of a file with its mutants, and for each of them the bytes that its edits span there.
#[must_use]
pub fn switchable(
    text: &str,
    mutants: &[(usize, &Mutant)],
) -> (String, Vec<(usize, Range<usize>)>) {
    let mut edits: Vec<(usize, usize, &Edit)> = Vec::new();
    for (order, (number, mutant)) in mutants.iter().enumerate() {
        edits.extend(mutant.edits.iter().map(|edit| (order, *number, edit)));
    }
    edits.sort_by_key(|(order, _, edit)| {
        let nesting = if edit.closes { usize::MAX - order } else { *order };
        (edit.range.start, !edit.closes, nesting)
    });
    let (mut new, mut from) = (String::new(), 0);
    let mut spans: Vec<(usize, Range<usize>)> = Vec::new();
    for (_, number, edit) in edits {
        new.push_str(&text[from..edit.range.start]);
        from = edit.range.end;
        let start = new.len();
        new.push_str(&edit.text.replace("{}", &number.to_string()));
        match spans.iter_mut().find(|(known, _)| *known == number) {
            Some((_, span)) => span.end = new.len(),
            None => spans.push((number, start..new.len())),
        }
    }
    new.push_str(&text[from..]);
    (new, spans)
}

#[cfg(test)]
mod tests {
    use super::{Edit, Mutant, switchable};

    fn wraps(range: std::ops::Range<usize>, name: &str) -> Mutant {
        let edit = |at: usize, closes, text: String| Edit { range: at..at, closes, text };
        let edits = vec![
            edit(range.start, false, format!("{name}({{}}, ")),
            edit(range.end, true, ")".to_owned()),
        ];
        let (file, function, change) = (String::new(), String::new(), String::new());
        Mutant { file, function, change, occurrence: 1, line: 1, edits }
    }

    #[test]
    fn edits_of_several_mutants_nest() {
        let (outer, inner, last) = (wraps(0..10, "f"), wraps(0..5, "g"), wraps(9..10, "h"));
        let (text, spans) = switchable("aaaaa && b", &[(1, &outer), (2, &inner), (3, &last)]);
        assert_eq!(text, "f(1, g(2, aaaaa) && h(3, b))");
        let of = |number| spans.iter().find(|(known, _)| *known == number).expect("it is there");
        assert_eq!(&text[of(2).1.clone()], "g(2, aaaaa)");
    }
}
