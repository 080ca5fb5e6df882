//! Only the first occurrence: of several items only the first one is meant, or the first one is
//! not.

use syn::spanned::Spanned as _;
use syn::{Expr, ExprForLoop, ExprMethodCall};

use super::{Finder, insert};
use crate::site::Edit;

/// What goes over all items of an iterator.
const OVER_ALL: [&str; 12] = [
    "all",
    "any",
    "collect",
    "count",
    "fold",
    "for_each",
    "last",
    "max",
    "max_by_key",
    "min",
    "min_by_key",
    "sum",
];

/// What takes the first item that fits.
const OF_FIRST: [&str; 4] = ["find", "find_map", "next", "position"];

const FIRST: &str = "only the first of";
const LATER: &str = "all but the first of";

pub(super) fn of_loop(finder: &mut Finder<'_>, node: &ExprForLoop) {
    taken(finder, &node.expr, ("crate::mutant::first({}, ", FIRST));
    taken(finder, &node.expr, ("crate::mutant::later({}, ", LATER));
}

pub(super) fn of_call(finder: &mut Finder<'_>, node: &ExprMethodCall) {
    let method = node.method.to_string();
    let is_over_all = OVER_ALL.contains(&method.as_str());
    // An option is no iterator, so that it does not compile: it has no further item.
    if is_over_all {
        taken(finder, &node.receiver, ("crate::mutant::first_of({}, ", FIRST));
    }
    if is_over_all || OF_FIRST.contains(&method.as_str()) {
        taken(finder, &node.receiver, ("crate::mutant::later_of({}, ", LATER));
    }
    match (method.as_str(), node.args.first()) {
        ("extend", Some(items)) => {
            taken(finder, items, ("crate::mutant::first_of({}, ", FIRST));
            taken(finder, items, ("crate::mutant::later_of({}, ", LATER));
        }
        ("retain", Some(Expr::Closure(closure))) => {
            retained(finder, &closure.body, "first", FIRST);
            retained(finder, &closure.body, "later", LATER);
        }
        _ => {}
    }
}

/// Items that pass through a function.
fn taken(finder: &mut Finder<'_>, items: &Expr, (open, which): (&str, &str)) {
    let words = finder.words(items.span());
    finder.wrap(items.span(), (open, ")"), format!("{which} `{words}`"));
}

/// What a collection does not keep.
fn retained(finder: &mut Finder<'_>, keeps: &Expr, of: &str, which: &str) {
    let Some(statement) = finder.statements.last() else { return };
    let words = finder.words(keeps.span());
    let range = keeps.span().byte_range();
    let new = "let mut gone_{} = crate::mutant::Gone::OF({}); ".replace("OF", of);
    let edits = vec![
        Edit { is_statement: true, ..insert(*statement, false, &new) },
        insert(range.start, false, "gone_{}.keeps("),
        insert(range.end, true, ")"),
    ];
    finder.add(keeps.span(), format!("{which} what is not kept by `{words}`"), edits);
}

#[cfg(test)]
mod tests {
    use super::super::found_in;
    use crate::site::{Kind, switchable};

    const TEXT: &str = "
fn step(&mut self) {
    for one in &self.all {}
    self.all.retain(|one| one.is_new());
    let found = self.all.iter().find(|one| one.is_old());
}
";

    #[test]
    fn only_the_first_of_several_is_meant() {
        let (found, changes) = found_in(TEXT, Kind::First);
        let expected = [
            "only the first of `&self.all`",
            "all but the first of `&self.all`",
            "only the first of what is not kept by `one.is_new()`",
            "all but the first of what is not kept by `one.is_new()`",
            "all but the first of `self.all.iter()`",
        ];
        assert_eq!(changes, expected);
        let (text, _) = switchable(TEXT, &[(3, &found[2])]);
        let retained = "let mut gone_3 = crate::mutant::Gone::first(3); \
                        self.all.retain(|one| gone_3.keeps(one.is_new()));";
        assert!(text.contains(retained), "{text}");
    }
}
