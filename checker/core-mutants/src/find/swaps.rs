//! Two statements that follow each other are swapped, if one of them may tell the difference.

use syn::spanned::Spanned as _;
use syn::{Block, Expr, Stmt};

use super::places::Places;
use super::{Finder, insert};
use crate::site::Edit;

pub(super) fn in_block(finder: &mut Finder<'_>, block: &Block) {
    for both in block.stmts.windows(2) {
        let ([one, other], types) = (both, finder.types) else { continue };
        let (here, there) = (Places::of_statement(one, types), Places::of_statement(other, types));
        let may_tell = here.meets(&there) || here.leaves || there.leaves;
        if !is_effect(one) || !is_effect(other) || !may_tell {
            continue;
        }
        let (start, later) = (one.span().byte_range().start, other.span());
        let copy = finder.copied(later, later.byte_range().end..later.byte_range().end, "");
        let text = format!("if crate::mutant::is({{}}) {{ {copy} }} ");
        let mut edits = vec![Edit { is_statement: true, ..insert(start, false, &text) }];
        let around = ("if !crate::mutant::is({}) { ", " }");
        edits.extend(Edit::around_statement(later.byte_range(), around.0, around.1));
        let change = format!("`{}` after `{}`", finder.words(one.span()), finder.words(later));
        finder.add(later, change, edits);
    }
}

/// Whether a statement is there for what it does, and binds no name for what follows.
fn is_effect(of: &Stmt) -> bool {
    let Stmt::Expr(of, ends) = of else { return false };
    match of {
        Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_) => true,
        Expr::Binary(_) => ends.is_some(),
        Expr::If(_) | Expr::Match(_) | Expr::ForLoop(_) | Expr::While(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::found_in;
    use crate::site::{Kind, switchable};

    const TEXT: &str = "
fn step(&mut self, one: u8) {
    self.last = one;
    self.queue.insert(self.last);
    self.count += 1;
    if self.queue.is_empty() { return; }
    self.end();
    let none = self.end();
}
";

    #[test]
    fn statements_of_one_place_are_swapped() {
        let (found, changes) = found_in(TEXT, Kind::Swap);
        let expected = [
            "`self.last = one;` after `self.queue.insert(self.last);`",
            "`self.count += 1;` after `if self.queue.is_empty() { return; }`",
            "`if self.queue.is_empty() { return; }` after `self.end();`",
        ];
        assert_eq!(changes, expected);
        let (text, _) = switchable(TEXT, &[(1, &found[0])]);
        let swapped = "if crate::mutant::is(1) { self.queue.insert(self.last); } self.last = one;
    if !crate::mutant::is(1) { self.queue.insert(self.last); }";
        assert!(text.contains(swapped), "{text}");
    }
}
