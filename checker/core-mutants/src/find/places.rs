//! The places that statements read and change: names, and fields of them.

use syn::visit::{self, Visit};
use syn::{Expr, Member, Pat, Stmt};

use super::types::Types;
use super::{changes, names};

/// A name and fields of it: `self`, `state`, `queues`.
type Chain = Vec<String>;

/// What a statement reads and changes.
#[derive(Debug)]
pub(super) struct Places<'t> {
    types: &'t Types,
    read: Vec<Chain>,
    changed: Vec<Chain>,
    /// Whether it may end the function or the turn of a loop.
    pub(super) leaves: bool,
    /// The names that it binds.
    pub(super) bound: Vec<String>,
}

impl<'t> Places<'t> {
    fn new(types: &'t Types) -> Self {
        let (read, changed, bound) = (Vec::new(), Vec::new(), Vec::new());
        Self { types, read, changed, leaves: false, bound }
    }

    pub(super) fn of_statement(statement: &Stmt, types: &'t Types) -> Self {
        let mut places = Self::new(types);
        places.visit_stmt(statement);
        places
    }

    pub(super) fn of_expression(of: &Expr, types: &'t Types) -> Self {
        let mut places = Self::new(types);
        places.visit_expr(of);
        places
    }

    /// Whether one of two statements changes what the other one reads or changes. Names of
    /// different places never mean the same one, as a change borrows its place alone.
    pub(super) fn meets(&self, other: &Places<'_>) -> bool {
        self.changes_what(other) || other.changes_what(self)
    }

    /// Whether it changes what another statement reads or changes.
    pub(super) fn changes_what(&self, other: &Places<'_>) -> bool {
        let mut all = other.read.iter().chain(&other.changed);
        all.any(|there| self.changed.iter().any(|here| is_within(here, there)))
    }

    /// The names that it needs, without those that it binds itself.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let all = self.read.iter().chain(&self.changed).filter_map(|chain| chain.first());
        all.map(String::as_str).filter(|name| !self.bound.iter().any(|own| own == name))
    }

    /// The whole chain that a place begins with.
    fn note(&mut self, of: &Expr, is_changed: bool) -> bool {
        let inner = match of {
            Expr::Index(index) => {
                self.visit_expr(&index.index);
                &index.expr
            }
            Expr::Paren(inner) => &inner.expr,
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => &unary.expr,
            _ if names::is_chain(of) => {
                let chain = chain(of);
                let to = if is_changed { &mut self.changed } else { &mut self.read };
                to.push(chain);
                return true;
            }
            _ => return false,
        };
        if !self.note(inner, is_changed) {
            self.visit_expr(inner);
        }
        true
    }
}

/// Whether one place is in the other one, or is it.
fn is_within(one: &Chain, other: &Chain) -> bool {
    one.iter().zip(other).all(|(one, other)| one == other)
}

fn chain(of: &Expr) -> Chain {
    match of {
        Expr::Field(field) => {
            let mut names = chain(&field.base);
            names.push(match &field.member {
                Member::Named(name) => name.to_string(),
                Member::Unnamed(nth) => nth.index.to_string(),
            });
            names
        }
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Methods of others that change nothing that they are called on.
const READS: &str = "all and_then any as_ref as_slice chain clone cloned contains contains_key \
    copied count filter filter_map find flat_map flatten first get into_iter is_empty is_none \
    is_none_or is_some is_some_and iter keys last last_key_value len map map_or map_or_else max \
    min ok or or_else partition_point position range rev skip take_while then_some unwrap_or \
    unwrap_or_default unwrap_or_else values zip";

impl<'ast> Visit<'ast> for Places<'_> {
    fn visit_expr_method_call(&mut self, node: &'ast syn::ExprMethodCall) {
        let method = node.method.to_string();
        let is_read = READS.split_whitespace().any(|one| one == method);
        let is_changed = !is_read && !self.types.only_reads(&method);
        if !self.note(&node.receiver, is_changed) {
            self.visit_expr(&node.receiver);
        }
        node.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    fn visit_expr_reference(&mut self, node: &'ast syn::ExprReference) {
        if !self.note(&node.expr, node.mutability.is_some()) {
            self.visit_expr(&node.expr);
        }
    }

    fn visit_expr_assign(&mut self, node: &'ast syn::ExprAssign) {
        match &*node.left {
            Expr::Tuple(several) => several.elems.iter().for_each(|one| {
                self.note(one, true);
            }),
            one => {
                self.note(one, true);
            }
        }
        self.visit_expr(&node.right);
    }

    fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
        if !changes::is_compound(node.op) {
            return visit::visit_expr_binary(self, node);
        }
        self.note(&node.left, true);
        self.visit_expr(&node.right);
    }

    fn visit_expr(&mut self, node: &'ast Expr) {
        match node {
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) | Expr::Try(_) => {
                self.leaves = true;
            }
            _ => {}
        }
        if !self.note(node, false) {
            visit::visit_expr(self, node);
        }
    }

    /// What a branch changes before it leaves, nothing here sees.
    fn visit_expr_if(&mut self, node: &'ast syn::ExprIf) {
        self.visit_expr(&node.cond);
        let changed = self.changed.len();
        self.visit_block(&node.then_branch);
        let last = node.then_branch.stmts.last();
        if matches!(last, Some(Stmt::Expr(Expr::Return(_), _))) {
            let unseen = self.changed.split_off(changed);
            self.read.extend(unseen);
        }
        if let Some((_, other)) = &node.else_branch {
            self.visit_expr(other);
        }
    }

    /// Its words are not parsed; it may name anything.
    fn visit_macro(&mut self, _: &'ast syn::Macro) {
        self.leaves = true;
    }

    fn visit_pat(&mut self, node: &'ast Pat) {
        if let Pat::Ident(one) = node {
            self.bound.push(one.ident.to_string());
        }
        visit::visit_pat(self, node);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {
        self.leaves = true;
    }
}
