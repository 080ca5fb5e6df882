//! A path that is forgotten: a branch or an arm does nothing, an early end does not come, and what
//! one branch gives is given by the other one.

use syn::spanned::Spanned as _;
use syn::{Block, Expr, ExprIf, ExprMatch, Pat, Stmt};

use super::scope::is_variable;
use super::{Finder, changes, insert};
use crate::site::Edit;

pub(super) fn branches(finder: &mut Finder<'_>, node: &ExprIf) {
    forgotten(finder, &node.then_branch);
    let Some((_, other)) = &node.else_branch else { return };
    if let Expr::Block(other) = &**other {
        forgotten(finder, &other.block);
    }
    let words = finder.words(node.cond.span());
    let range = node.cond.span().byte_range();
    let (open, close) = match changes::has_let(&node.cond) {
        true => ("", " && !crate::mutant::is({})"),
        false => ("(", ") && !crate::mutant::is({})"),
    };
    let edits = vec![insert(range.start, false, open), insert(range.end, true, close)];
    finder.add(node.cond.span(), format!("`{words}` is never so"), edits);
}

pub(super) fn arms(finder: &mut Finder<'_>, node: &ExprMatch) {
    for (nth, arm) in node.arms.iter().enumerate() {
        match &*arm.body {
            Expr::Block(body) => forgotten(finder, &body.block),
            Expr::MethodCall(_) | Expr::Call(_) if arm.comma.is_some() => {}
            Expr::Tuple(none) if none.elems.is_empty() => {}
            _ => {
                let words = finder.words(arm.body.span());
                let around = ("{ if !crate::mutant::is({}) { ", " } }");
                finder.wrap(arm.body.span(), around, format!("the path `{words}` is forgotten"));
            }
        }
        // Another arm takes what this one takes no longer.
        let is_caught = node.arms.iter().skip(nth + 1).any(|later| is_any(&later.pat));
        if is_caught && !matches!(arm.pat, Pat::Guard(_)) {
            let words = finder.words(arm.pat.span());
            let end = arm.pat.span().byte_range().end;
            let edits = vec![insert(end, true, " if !crate::mutant::is({})")];
            finder.add(arm.pat.span(), format!("`{words}` is as any other"), edits);
        }
    }
}

/// A block of a path that does nothing; a single effect is left out elsewhere.
fn forgotten(finder: &mut Finder<'_>, block: &Block) {
    match block.stmts.as_slice() {
        [] => return,
        [Stmt::Expr(Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_), Some(_))] => return,
        _ => {}
    }
    let (open, close) = (block.brace_token.span.open(), block.brace_token.span.close());
    let span = block.stmts[0].span();
    let words = finder.words(span);
    let range = open.byte_range().end..close.byte_range().start;
    let edits = Edit::around_statement(range, " if !crate::mutant::is({}) {", "} ");
    finder.add(span, format!("the path `{words}` is forgotten"), edits);
}

/// Whether a pattern takes whatever comes: a name, which is no variant.
fn is_any(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) => true,
        Pat::Ident(one) => is_variable(&one.ident),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::found_in;
    use crate::site::{Kind, switchable};

    const TEXT: &str = "
fn step(&mut self, one: u8) -> u8 {
    if self.is_done() { return 0; }
    if one > 2 { self.end(); }
    match one {
        0 => self.last = one,
        1 => { self.begin(); self.count(); }
        _ => {}
    }
    if one > 3 { 1 } else { 2 }
}
";

    #[test]
    fn a_path_is_forgotten() {
        let (found, changes) = found_in(TEXT, Kind::Path);
        let expected = [
            "the path `return 0;` is forgotten",
            "the path `self.last = one` is forgotten",
            "`0` is as any other",
            "the path `self.begin();` is forgotten",
            "`1` is as any other",
            "the path `1` is forgotten",
            "the path `2` is forgotten",
            "`one > 3` is never so",
        ];
        assert_eq!(changes, expected);
        let (text, _) = switchable(TEXT, &[(1, &found[0]), (8, &found[7])]);
        assert!(text.contains("{ if !crate::mutant::is(1) { return 0; } }"), "{text}");
        assert!(text.contains("if (one > 3) && !crate::mutant::is(8) { 1 }"), "{text}");
    }
}
