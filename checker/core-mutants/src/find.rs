//! The mutants of a file: what the visitor of its syntax can change.

use std::collections::BTreeMap;
use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ImplItemFn, ItemFn, ItemImpl, ItemMod, Lit, ReturnType, Stmt, Type, UnOp};

use crate::site::{Edit, Mutant};

/// Traits whose methods no step of a core runs: texts, and what a search does with states.
const NO_STEP: [&str; 10] = [
    "Debug",
    "Deserialize",
    "Display",
    "Error",
    "FromStr",
    "Hash",
    "PartialEq",
    "Serialize",
    "Symbolic",
    "TryFrom",
];

/// The mutants of a file.
///
/// # Errors
///
/// The file is no Rust.
pub fn mutants(file: &str, text: &str) -> Result<Vec<Mutant>, String> {
    let tree = syn::parse_file(text).map_err(|error| format!("{file}: {error}"))?;
    let mut finder =
        Finder { file, text, path: Vec::new(), found: Vec::new(), seen: BTreeMap::new() };
    finder.visit_file(&tree);
    Ok(finder.found)
}

struct Finder<'t> {
    file: &'t str,
    text: &'t str,
    /// The type and the function that are open.
    path: Vec<String>,
    found: Vec<Mutant>,
    /// How often each change of a function was met.
    seen: BTreeMap<(String, String), usize>,
}

impl Finder<'_> {
    fn of(&self, span: Span) -> &str {
        &self.text[span.byte_range()]
    }

    /// The text of a place in one short line.
    fn words(&self, span: Span) -> String {
        let words: Vec<&str> = self.of(span).split_whitespace().collect();
        let words = words.join(" ");
        match words.char_indices().nth(60) {
            Some((at, _)) => format!("{}…", &words[..at]),
            None => words,
        }
    }

    fn add(&mut self, span: Span, change: String, edits: Vec<Edit>) {
        let function = self.path.join("::");
        let seen = self.seen.entry((function.clone(), change.clone())).or_default();
        *seen += 1;
        let (occurrence, line) = (*seen, span.start().line);
        let file = self.file.to_owned();
        self.found.push(Mutant { file, function, change, occurrence, line, edits });
    }

    /// A change that wraps an expression.
    fn wrap(&mut self, span: Span, (open, close): (&str, &str), change: String) {
        let Range { start, end } = span.byte_range();
        let edits = vec![insert(start, false, open), insert(end, true, close)];
        self.add(span, change, edits);
    }

    /// A boolean that becomes its opposite.
    fn flip(&mut self, span: Span) {
        let words = self.words(span);
        self.wrap(span, ("(crate::mutant::is({}) ^ (", "))"), format!("`{words}` is negated"));
    }

    /// An operand of `and` or `or` that has no influence any more.
    fn drop_operand(&mut self, operand: &Expr, is_and: bool) {
        if has_let(operand) {
            return;
        }
        let words = self.words(operand.span());
        if is_and {
            let around = ("(crate::mutant::is({}) || ", ")");
            self.wrap(operand.span(), around, format!("`{words}` becomes `true`"));
        } else {
            let around = ("(!crate::mutant::is({}) && ", ")");
            self.wrap(operand.span(), around, format!("`{words}` becomes `false`"));
        }
    }

    /// The whole body of a function, left at once.
    fn body(&mut self, output: &ReturnType, block: &syn::Block) {
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
            let edit = Edit { range: at..at, closes: false, text };
            self.add(
                block.brace_token.span.open(),
                format!("the body becomes `{value}`"),
                vec![edit],
            );
        }
    }

    fn function(
        &mut self,
        signature: &syn::Signature,
        block: &syn::Block,
        visit: impl FnOnce(&mut Self),
    ) {
        if signature.constness.is_some() {
            return;
        }
        self.path.push(signature.ident.to_string());
        self.body(&signature.output, block);
        visit(self);
        self.path.pop();
    }

    fn binary(&mut self, node: &syn::ExprBinary) {
        let Range { start, end } = node.span().byte_range();
        match node.op {
            BinOp::Eq(_) | BinOp::Ne(_) => self.flip(node.span()),
            BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => {
                self.flip(node.span());
                let (name, other) = match node.op {
                    BinOp::Lt(_) => ("lt", "<="),
                    BinOp::Le(_) => ("le", "<"),
                    BinOp::Gt(_) => ("gt", ">="),
                    _ => ("ge", ">"),
                };
                let edits = vec![
                    insert(start, false, &format!("crate::mutant::{name}({{}}, &(")),
                    Edit {
                        range: node.op.span().byte_range(),
                        closes: true,
                        text: "), &(".to_owned(),
                    },
                    insert(end, true, "))"),
                ];
                let words = self.words(node.span());
                self.add(node.span(), format!("`{words}` becomes `{other}`"), edits);
            }
            BinOp::And(_) | BinOp::Or(_) if !has_let(&node.left) && !has_let(&node.right) => {
                let is_and = matches!(node.op, BinOp::And(_));
                self.drop_operand(&node.left, is_and);
                self.drop_operand(&node.right, is_and);
            }
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::AddAssign(_) | BinOp::SubAssign(_) => {
                let is_number =
                    |of: &Expr| matches!(of, Expr::Lit(one) if matches!(one.lit, Lit::Int(_)));
                if is_number(&node.right) {
                    let words = self.words(node.span());
                    let around = ("(if crate::mutant::is({}) { 0 } else { ", " })");
                    self.wrap(node.right.span(), around, format!("`{words}` adds nothing"));
                }
            }
            _ => {}
        }
    }

    /// A condition that is a call, a field or a macro: the others are changed where they stand.
    fn condition(&mut self, condition: &Expr) {
        let is_plain = matches!(
            condition,
            Expr::Call(_) | Expr::Field(_) | Expr::Macro(_) | Expr::MethodCall(_) | Expr::Path(_)
        );
        if is_plain {
            self.flip(condition.span());
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

fn has_let(of: &Expr) -> bool {
    match of {
        Expr::Let(_) => true,
        Expr::Binary(both) => has_let(&both.left) || has_let(&both.right),
        Expr::Paren(inner) => has_let(&inner.expr),
        _ => false,
    }
}

fn insert(at: usize, closes: bool, text: &str) -> Edit {
    Edit { range: at..at, closes, text: text.to_owned() }
}

fn is_of_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|name| name == "test")
    })
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, node: &'ast ItemMod) {
        if !is_of_tests(&node.attrs) {
            visit::visit_item_mod(self, node);
        }
    }

    fn visit_item_impl(&mut self, node: &'ast ItemImpl) {
        let of = node.trait_.as_ref().and_then(|(path, _)| path.segments.last());
        if of.is_some_and(|one| NO_STEP.contains(&one.ident.to_string().as_str())) {
            return;
        }
        let name = match &*node.self_ty {
            Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        self.path.push(name.unwrap_or_default());
        visit::visit_item_impl(self, node);
        self.path.pop();
    }

    fn visit_impl_item_fn(&mut self, node: &'ast ImplItemFn) {
        self.function(&node.sig, &node.block, |finder| visit::visit_impl_item_fn(finder, node));
    }

    fn visit_item_fn(&mut self, node: &'ast ItemFn) {
        self.function(&node.sig, &node.block, |finder| visit::visit_item_fn(finder, node));
    }

    // Their values are constants of the compiler.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}

    /// Of a pattern, only its guard is evaluated.
    fn visit_pat(&mut self, node: &'ast syn::Pat) {
        if let syn::Pat::Guard(guarded) = node {
            self.condition(&guarded.guard);
            self.visit_expr(&guarded.guard);
        }
    }

    fn visit_type(&mut self, _: &'ast Type) {}

    fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
        self.binary(node);
        visit::visit_expr_binary(self, node);
    }

    fn visit_expr_unary(&mut self, node: &'ast syn::ExprUnary) {
        if matches!(node.op, UnOp::Not(_)) {
            self.flip(node.span());
        }
        visit::visit_expr_unary(self, node);
    }

    fn visit_expr_if(&mut self, node: &'ast syn::ExprIf) {
        self.condition(&node.cond);
        visit::visit_expr_if(self, node);
    }

    fn visit_expr_lit(&mut self, node: &'ast syn::ExprLit) {
        if matches!(node.lit, Lit::Bool(_)) {
            self.flip(node.span());
        }
    }

    fn visit_arm(&mut self, node: &'ast syn::Arm) {
        if matches!(&*node.body, Expr::MethodCall(_) | Expr::Call(_)) && node.comma.is_some() {
            let words = self.words(node.body.span());
            let around = ("{ if !crate::mutant::is({}) { ", " } }");
            self.wrap(node.body.span(), around, format!("`{words}` is left out"));
        }
        visit::visit_arm(self, node);
    }

    fn visit_stmt(&mut self, node: &'ast Stmt) {
        if let Stmt::Expr(of, Some(semicolon)) = node {
            let is_effect = match of {
                Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_) => true,
                Expr::Binary(both) => is_compound(both.op),
                _ => false,
            };
            if is_effect {
                let words = self.words(of.span());
                let (start, end) =
                    (of.span().byte_range().start, semicolon.span().byte_range().end);
                let edits = vec![
                    insert(start, false, "if !crate::mutant::is({}) { "),
                    insert(end, true, " }"),
                ];
                self.add(of.span(), format!("`{words}` is left out"), edits);
            }
        }
        visit::visit_stmt(self, node);
    }
}

const fn is_compound(of: BinOp) -> bool {
    matches!(
        of,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitXorAssign(_)
    )
}

#[cfg(test)]
mod tests {
    use super::mutants;

    const TEXT: &str = "
const LIMIT: bool = 1 < 2;
const fn fixed(a: u8) -> bool { a < 3 }
struct Core;
impl core::fmt::Display for Core {
    fn fmt(&self) -> bool { true }
}
impl Core {
    fn step(&mut self, one: u8) -> bool {
        if self.is_done() && one + 1 != 4 {
            self.end();
        }
        match one {
            0 => self.begin(),
            2 if self.is_late() => {}
            _ => self.count += 1,
        }
        let Some(known) = self.known else { return false };
        if let Some(one) = known && one > 2 {}
        true
    }
}
#[cfg(test)]
mod tests {
    fn is_left_out() -> bool { true }
}
";

    #[test]
    fn what_a_step_runs_is_mutated() {
        let found = mutants("core.rs", TEXT).expect("it is Rust");
        let found: Vec<String> = found.iter().map(|mutant| mutant.id()).collect();
        let expected = [
            "the body becomes `true`",
            "the body becomes `false`",
            "`self.is_done()` becomes `true`",
            "`one + 1 != 4` becomes `true`",
            "`one + 1 != 4` is negated",
            "`one + 1` adds nothing",
            "`self.end()` is left out",
            "`self.begin()` is left out",
            "`self.is_late()` is negated",
            "`self.count += 1` adds nothing",
            "`false` is negated",
            "`one > 2` is negated",
            "`one > 2` becomes `>=`",
            "`true` is negated",
        ];
        let expected = expected.map(|change| format!("core.rs Core::step: {change}"));
        assert_eq!(found, expected);
    }
}
