//! A stale copy: a value is used that was read before the statement that changes its place.

use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Stmt};

use super::places::Places;
use super::{Finder, changes, insert, names};
use crate::site::Edit;

pub(super) fn in_block(finder: &mut Finder<'_>, block: &Block) {
    let of_statement = |one: &Stmt| Places::of_statement(one, finder.types);
    let places: Vec<Places<'_>> = block.stmts.iter().map(of_statement).collect();
    for (nth, statement) in block.stmts.iter().enumerate() {
        let mut reads = Reads { found: Vec::new() };
        reads.visit_stmt(statement);
        for read in reads.found {
            let needs = Places::of_expression(read, finder.types);
            let changes = |before: &usize| places[*before].changes_what(&needs);
            let Some(changed) = (0..nth).rev().find(changes) else { continue };
            let outer = finder.scope.len();
            block.stmts[..changed].iter().for_each(|before| {
                if let Stmt::Local(local) = before {
                    finder.bind(&local.pat);
                }
            });
            let is_known = needs.names().all(|name| finder.scope.has(name));
            finder.scope.leave(outer);
            let is_bound = |name: &str| {
                places[changed..nth].iter().any(|one| one.bound.iter().any(|own| own == name))
            };
            if is_known && !needs.leaves && !needs.names().any(is_bound) {
                stale_read(finder, read, &block.stmts[changed]);
            }
        }
    }
}

fn stale_read(finder: &mut Finder<'_>, read: &Expr, changes: &Stmt) {
    let range = read.span().byte_range();
    let copy = finder.copied(read.span(), range.end..range.end, "");
    let text =
        format!("let stale_{{}} = if crate::mutant::is({{}}) {{ Some({copy}) }} else {{ None }}; ");
    let at = changes.span().byte_range().start;
    let open = "(if let Some(stale) = stale_{}.clone() { stale } else { ";
    let edits = vec![
        Edit { is_statement: true, ..insert(at, false, &text) },
        insert(range.start, false, open),
        insert(range.end, true, " })"),
    ];
    let words = (finder.words(read.span()), finder.words(changes.span()));
    finder.add(read.span(), format!("`{}` from before `{}`", words.0, words.1), edits);
}

/// The values that a statement reads: the longest expressions that begin with a place.
struct Reads<'ast> {
    found: Vec<&'ast Expr>,
}

impl<'ast> Reads<'ast> {
    /// The indices in a place, or all of what is none.
    fn within_place(&mut self, of: &'ast Expr) {
        match of {
            Expr::Index(index) => {
                self.within_place(&index.expr);
                self.visit_expr(&index.index);
            }
            _ if names::place(of).is_some() => {}
            _ => self.visit_expr(of),
        }
    }
}

impl<'ast> Visit<'ast> for Reads<'ast> {
    fn visit_expr(&mut self, node: &'ast Expr) {
        match node {
            _ if names::is_chain(node) => self.found.push(node),
            Expr::MethodCall(call) if root(&call.receiver).is_some() => {
                self.found.push(node);
                call.args.iter().for_each(|argument| self.visit_expr(argument));
            }
            // A place is no value: a copy of it would be changed in its stead.
            Expr::Reference(of) => self.within_place(&of.expr),
            Expr::Index(_) => self.within_place(node),
            Expr::Assign(of) => self.visit_expr(&of.right),
            Expr::Binary(of) if changes::is_compound(of.op) => self.visit_expr(&of.right),
            Expr::MethodCall(call) if names::place(&call.receiver).is_some() => {
                self.within_place(&call.receiver);
                call.args.iter().for_each(|argument| self.visit_expr(argument));
            }
            _ => visit::visit_expr(self, node),
        }
    }

    fn visit_stmt(&mut self, node: &'ast Stmt) {
        match node {
            // What it is there for is not read before.
            Stmt::Expr(Expr::MethodCall(effect), Some(_)) => {
                effect.args.iter().for_each(|argument| self.visit_expr(argument));
            }
            _ => visit::visit_stmt(self, node),
        }
    }

    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// The place that a chain of calls begins with.
fn root(of: &Expr) -> Option<&Expr> {
    match of {
        Expr::MethodCall(call) => root(&call.receiver),
        Expr::Field(field) if !names::is_chain(of) => root(&field.base),
        _ if names::is_chain(of) => Some(of),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::found_in;
    use crate::site::{Kind, switchable};

    const TEXT: &str = "
fn step(&mut self, one: u8) {
    let before = self.last;
    self.last = one;
    let new = self.last.next();
    self.send(self.last, before, new);
}
";

    #[test]
    fn a_value_from_before_a_change_is_used() {
        let (found, changes) = found_in(TEXT, Kind::Stale);
        let expected = [
            "`self.last.next()` from before `self.last = one;`",
            "`self.last` from before `let new = self.last.next();`",
        ];
        assert_eq!(changes, expected);
        let (text, _) = switchable(TEXT, &[(1, &found[0])]);
        let stale =
            "let new = (if let Some(stale) = stale_1.clone() { stale } else { self.last.next() });";
        assert!(text.contains(stale), "{text}");
    }
}
