//! The visitor of a file: what is looked at, in which scope, and by which kinds of mutants.

use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Expr, ImplItemFn, ItemFn, ItemImpl, ItemMod, Lit, Stmt, Type, UnOp};

use super::{Finder, changes, firsts, names, paths, stale, swaps};
use crate::site::Kind;

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

fn is_of_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|name| name == "test")
    })
}

/// Visits the body of a function, with the names that it has.
fn function(finder: &mut Finder<'_>, signature: &syn::Signature, block: &syn::Block) {
    if signature.constness.is_some() {
        return;
    }
    finder.path.push(signature.ident.to_string());
    if finder.looks_for(Kind::Change) {
        changes::body(finder, &signature.output, block);
    }
    let outer = std::mem::take(&mut finder.scope);
    let own = (finder.path.len() > 1).then(|| finder.path[finder.path.len() - 2].clone());
    finder.scope.enter(signature, own.as_deref(), finder.types, finder.file);
    finder.visit_block(block);
    finder.scope = outer;
    finder.path.pop();
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
        function(self, &node.sig, &node.block);
    }

    fn visit_item_fn(&mut self, node: &'ast ItemFn) {
        function(self, &node.sig, &node.block);
    }

    // Their values are constants of the compiler.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}

    /// Of a pattern, only its guard is evaluated.
    fn visit_pat(&mut self, node: &'ast syn::Pat) {
        if let syn::Pat::Guard(guarded) = node {
            if self.looks_for(Kind::Change) {
                changes::condition(self, &guarded.guard);
            }
            self.visit_expr(&guarded.guard);
        }
    }

    fn visit_type(&mut self, _: &'ast Type) {}

    fn visit_block(&mut self, node: &'ast syn::Block) {
        if self.looks_for(Kind::Stale) {
            stale::in_block(self, node);
        }
        if self.looks_for(Kind::Swap) {
            swaps::in_block(self, node);
        }
        self.within(|finder| visit::visit_block(finder, node));
    }

    fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
        if self.looks_for(Kind::Change) {
            changes::binary(self, node);
        }
        if changes::is_compound(node.op) {
            if self.looks_for(Kind::Name) {
                names::of_place(self, node.span(), &node.left);
            }
            return self.visit_expr(&node.right);
        }
        visit::visit_expr_binary(self, node);
    }

    fn visit_expr_unary(&mut self, node: &'ast syn::ExprUnary) {
        if matches!(node.op, UnOp::Not(_)) && self.looks_for(Kind::Change) {
            changes::flip(self, node.span());
        }
        if !matches!(node.op, UnOp::Deref(_)) || !names::within(self, node.span(), &node.expr) {
            visit::visit_expr_unary(self, node);
        }
    }

    fn visit_expr_reference(&mut self, node: &'ast syn::ExprReference) {
        if !names::within(self, node.span(), &node.expr) {
            visit::visit_expr_reference(self, node);
        }
    }

    fn visit_expr_assign(&mut self, node: &'ast syn::ExprAssign) {
        if !names::within(self, node.span(), &node.left) {
            self.visit_expr(&node.left);
        }
        self.visit_expr(&node.right);
    }

    fn visit_expr_field(&mut self, node: &'ast syn::ExprField) {
        if self.looks_for(Kind::Name) {
            names::of_field(self, node);
        }
        if !names::is_chain(&node.base) {
            visit::visit_expr_field(self, node);
        }
    }

    fn visit_expr_path(&mut self, node: &'ast syn::ExprPath) {
        if self.looks_for(Kind::Name) {
            names::of_local(self, node);
        }
    }

    fn visit_field_value(&mut self, node: &'ast syn::FieldValue) {
        if node.colon_token.is_some() {
            return visit::visit_field_value(self, node);
        }
        if self.looks_for(Kind::Name) {
            names::of_shorthand(self, node);
        }
    }

    fn visit_expr_call(&mut self, node: &'ast syn::ExprCall) {
        if !matches!(*node.func, Expr::Path(_)) {
            self.visit_expr(&node.func);
        }
        node.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    fn visit_expr_method_call(&mut self, node: &'ast syn::ExprMethodCall) {
        let is_named = names::within(self, node.span(), &node.receiver);
        if self.looks_for(Kind::First) {
            firsts::of_call(self, node);
        }
        if !is_named {
            self.visit_expr(&node.receiver);
        }
        node.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    fn visit_expr_closure(&mut self, node: &'ast syn::ExprClosure) {
        self.within(|finder| {
            node.inputs.iter().for_each(|input| finder.bind(input));
            finder.visit_expr(&node.body);
        });
    }

    fn visit_expr_for_loop(&mut self, node: &'ast syn::ExprForLoop) {
        if self.looks_for(Kind::First) {
            firsts::of_loop(self, node);
        }
        self.visit_expr(&node.expr);
        self.within(|finder| {
            finder.bind(&node.pat);
            finder.visit_block(&node.body);
        });
    }

    fn visit_expr_let(&mut self, node: &'ast syn::ExprLet) {
        self.visit_expr(&node.expr);
        self.bind(&node.pat);
    }

    fn visit_expr_while(&mut self, node: &'ast syn::ExprWhile) {
        self.within(|finder| visit::visit_expr_while(finder, node));
    }

    fn visit_expr_if(&mut self, node: &'ast syn::ExprIf) {
        if self.looks_for(Kind::Change) {
            changes::condition(self, &node.cond);
        }
        if self.looks_for(Kind::Path) {
            paths::branches(self, node);
        }
        self.within(|finder| {
            finder.visit_expr(&node.cond);
            finder.visit_block(&node.then_branch);
        });
        if let Some((_, other)) = &node.else_branch {
            self.visit_expr(other);
        }
    }

    fn visit_expr_match(&mut self, node: &'ast syn::ExprMatch) {
        if self.looks_for(Kind::Path) {
            paths::arms(self, node);
        }
        visit::visit_expr_match(self, node);
    }

    fn visit_expr_lit(&mut self, node: &'ast syn::ExprLit) {
        if matches!(node.lit, Lit::Bool(_)) && self.looks_for(Kind::Change) {
            changes::flip(self, node.span());
        }
    }

    fn visit_arm(&mut self, node: &'ast syn::Arm) {
        if self.looks_for(Kind::Change) {
            changes::arm(self, node);
        }
        self.within(|finder| {
            finder.bind(&node.pat);
            visit::visit_arm(finder, node);
        });
    }

    fn visit_local(&mut self, node: &'ast syn::Local) {
        visit::visit_local(self, node);
        let of = node.init.as_ref().and_then(|init| names::type_of(self, &init.expr));
        self.scope.bind(&node.pat, of.as_deref(), self.types, self.file);
        if let Some(init) = node.init.as_ref().filter(|init| names::is_chain(&init.expr)) {
            let place = self.words(init.expr.span());
            self.scope.copy(&node.pat, &place);
        }
    }

    fn visit_stmt(&mut self, node: &'ast Stmt) {
        if self.looks_for(Kind::Change) {
            changes::statement(self, node);
        }
        self.statements.push(node.span().byte_range().start);
        visit::visit_stmt(self, node);
        self.statements.pop();
    }
}
