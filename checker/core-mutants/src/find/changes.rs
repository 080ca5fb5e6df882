//! Small changes: a comparison, an operand, a statement, a whole body.

use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::{BinOp, Expr, Lit, ReturnType, Stmt, Type};

use super::{Finder, insert};
use crate::site::Edit;

/// A boolean that becomes its opposite.
pub(super) fn flip(finder: &mut Finder<'_>, span: Span) {
    let words = finder.words(span);
    finder.wrap(span, ("(crate::mutant::is({}) ^ (", "))"), format!("`{words}` is negated"));
}

/// An operand of `and` or `or` that has no influence any more.
fn drop_operand(finder: &mut Finder<'_>, operand: &Expr, is_and: bool) {
    if has_let(operand) {
        return;
    }
    let words = finder.words(operand.span());
    if is_and {
        let around = ("(crate::mutant::is({}) || ", ")");
        finder.wrap(operand.span(), around, format!("`{words}` becomes `true`"));
    } else {
        let around = ("(!crate::mutant::is({}) && ", ")");
        finder.wrap(operand.span(), around, format!("`{words}` becomes `false`"));
    }
}

/// The whole body of a function, left at once.
pub(super) fn body(finder: &mut Finder<'_>, output: &ReturnType, block: &syn::Block) {
    let values: &[&str] = match output {
        ReturnType::Default => &["()"],
        ReturnType::Type(_, of) => returned(of),
    };
    if block.stmts.is_empty() {
        return;
    }
    let at = block.brace_token.span.open().byte_range().end;
    for value in values {
        let text = format!(" if crate::mutant::is({{}}) {{ return {value}; }}");
        let edit = Edit { is_statement: true, ..insert(at, false, &text) };
        finder.add(
            block.brace_token.span.open(),
            format!("the body becomes `{value}`"),
            vec![edit],
        );
    }
}

pub(super) fn binary(finder: &mut Finder<'_>, node: &syn::ExprBinary) {
    let Range { start, end } = node.span().byte_range();
    match node.op {
        BinOp::Eq(_) | BinOp::Ne(_) => flip(finder, node.span()),
        BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => {
            flip(finder, node.span());
            let (name, other) = match node.op {
                BinOp::Lt(_) => ("lt", "<="),
                BinOp::Le(_) => ("le", "<"),
                BinOp::Gt(_) => ("gt", ">="),
                _ => ("ge", ">"),
            };
            let edits = vec![
                insert(start, false, &format!("crate::mutant::{name}({{}}, &(")),
                Edit { range: node.op.span().byte_range(), ..insert(start, true, "), &(") },
                insert(end, true, "))"),
            ];
            let words = finder.words(node.span());
            finder.add(node.span(), format!("`{words}` becomes `{other}`"), edits);
        }
        BinOp::And(_) | BinOp::Or(_) if !has_let(&node.left) && !has_let(&node.right) => {
            let is_and = matches!(node.op, BinOp::And(_));
            drop_operand(finder, &node.left, is_and);
            drop_operand(finder, &node.right, is_and);
        }
        BinOp::Add(_) | BinOp::Sub(_) | BinOp::AddAssign(_) | BinOp::SubAssign(_) => {
            let is_number =
                |of: &Expr| matches!(of, Expr::Lit(one) if matches!(one.lit, Lit::Int(_)));
            if is_number(&node.right) {
                let words = finder.words(node.span());
                let around = ("(if crate::mutant::is({}) { 0 } else { ", " })");
                finder.wrap(node.right.span(), around, format!("`{words}` adds nothing"));
            }
        }
        _ => {}
    }
}

/// A condition that is a call, a field or a macro: the others are changed where they stand.
pub(super) fn condition(finder: &mut Finder<'_>, condition: &Expr) {
    let is_plain = matches!(
        condition,
        Expr::Call(_) | Expr::Field(_) | Expr::Macro(_) | Expr::MethodCall(_) | Expr::Path(_)
    );
    if is_plain {
        flip(finder, condition.span());
    }
}

/// An arm that calls something, and no longer does.
pub(super) fn arm(finder: &mut Finder<'_>, node: &syn::Arm) {
    if matches!(&*node.body, Expr::MethodCall(_) | Expr::Call(_)) && node.comma.is_some() {
        let words = finder.words(node.body.span());
        let around = ("{ if !crate::mutant::is({}) { ", " } }");
        finder.wrap(node.body.span(), around, format!("`{words}` is left out"));
    }
}

/// A statement with an effect, left out.
pub(super) fn statement(finder: &mut Finder<'_>, node: &Stmt) {
    if let Stmt::Expr(of, Some(semicolon)) = node {
        let is_effect = match of {
            Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_) => true,
            Expr::Binary(both) => is_compound(both.op),
            _ => false,
        };
        if is_effect {
            let words = finder.words(of.span());
            let range = of.span().byte_range().start..semicolon.span().byte_range().end;
            let edits = Edit::around_statement(range, "if !crate::mutant::is({}) { ", " }");
            finder.add(of.span(), format!("`{words}` is left out"), edits);
        }
    }
}

/// The values that a function of a type may return at once.
fn returned(of: &Type) -> &'static [&'static str] {
    let Type::Path(path) = of else { return &[] };
    let Some(last) = path.path.segments.last() else { return &[] };
    match last.ident.to_string().as_str() {
        "bool" => &["true", "false"],
        "Option" => &["None"],
        "Vec" | "VecDeque" | "BTreeMap" | "BTreeSet" => &["Default::default()"],
        "usize" | "u8" | "u16" | "u32" | "u64" => &["0", "1"],
        _ => &[],
    }
}

pub(super) fn has_let(of: &Expr) -> bool {
    match of {
        Expr::Let(_) => true,
        Expr::Binary(both) => has_let(&both.left) || has_let(&both.right),
        Expr::Paren(inner) => has_let(&inner.expr),
        _ => false,
    }
}

pub(super) const fn is_compound(of: BinOp) -> bool {
    matches!(
        of,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitXorAssign(_)
    )
}
