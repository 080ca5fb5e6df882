//! A wrong node or field: a name or a field becomes another one of the same type. Where a type is
//! not written, the compiler decides.

use syn::spanned::Spanned as _;
use syn::{Expr, ExprField, ExprPath, Member};

use super::scope::is_variable;
use super::{Finder, insert, types};
use crate::site::{Edit, Kind};

/// An expression whose place becomes another place, if it has one. The whole is put twice,
/// since a place is no value. Whether it has one.
pub(super) fn within(finder: &mut Finder<'_>, whole: proc_macro2::Span, of: &Expr) -> bool {
    if place(of).is_none() {
        return false;
    }
    if finder.looks_for(Kind::Name) {
        of_place(finder, whole, of);
    }
    true
}

/// The names in the place of an expression.
pub(super) fn of_place(finder: &mut Finder<'_>, whole: proc_macro2::Span, of: &Expr) {
    if let Some(place) = place(of) {
        names(finder, whole, place, None);
    }
}

pub(super) fn of_field(finder: &mut Finder<'_>, node: &ExprField) {
    let of = Expr::Field(node.clone());
    if is_chain(&of) {
        names(finder, node.span(), &of, None);
    }
}

pub(super) fn of_local(finder: &mut Finder<'_>, node: &ExprPath) {
    names(finder, node.span(), &Expr::Path(node.clone()), None);
}

/// `Request { call, kind }`: a value that is named as its field.
pub(super) fn of_shorthand(finder: &mut Finder<'_>, node: &syn::FieldValue) {
    if let Member::Named(field) = &node.member {
        names(finder, node.expr.span(), &node.expr, Some(format!("{field}: ")));
    }
}

/// Puts each candidate in the place of a chain of fields, in the whole that it is part of.
fn names(finder: &mut Finder<'_>, whole: proc_macro2::Span, chain: &Expr, field: Option<String>) {
    let own = finder.words(chain.span());
    for other in candidates(finder, chain) {
        if other == own || finder.scope.are_one(&own, &other) {
            continue;
        }
        let copy = finder.copied(whole, chain.span().byte_range(), &other);
        let range = whole.byte_range();
        let mut edits = Vec::new();
        if let Some(field) = &field {
            edits.push(Edit { is_shared: true, ..insert(range.start, false, field) });
        }
        edits.push(insert(range.start, false, "(if !crate::mutant::is({}) { "));
        let close = format!(" }} else {{ {copy} }})");
        edits.push(insert(range.end, true, &close));
        finder.add(whole, format!("`{own}` is taken for `{other}`"), edits);
    }
}

/// What may stand in the place of a chain of fields: another field of the same structure,
/// another name, or a field of another name.
fn candidates(finder: &Finder<'_>, chain: &Expr) -> Vec<String> {
    let mut found = Vec::new();
    let wanted = type_of(finder, chain);
    if let Expr::Field(field) = chain
        && let Member::Named(member) = &field.member
    {
        let base = finder.words(field.base.span());
        let siblings = finder.types.siblings(&member.to_string());
        found.extend(siblings.into_iter().map(|other| format!("{base}.{other}")));
    }
    if let Expr::Path(_) = chain {
        let own = finder.words(chain.span());
        if !finder.scope.has(&own) || own == "self" {
            return Vec::new();
        }
    }
    for (name, of) in finder.scope.names().filter(|(name, _)| *name != "self") {
        let is_alike = match (&wanted, of) {
            (Some(wanted), Some(of)) => wanted == of,
            (None, None) => matches!(chain, Expr::Path(_)),
            (Some(_), None) | (None, Some(_)) => false,
        };
        found.extend(is_alike.then(|| name.to_owned()));
    }
    if let Some(wanted) = &wanted {
        found.extend(fields_of_type(finder, wanted));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The fields of names in scope that have a type, and the fields of these fields.
fn fields_of_type(finder: &Finder<'_>, wanted: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (name, of) in finder.scope.names() {
        let Some(of) = of else { continue };
        for (field, inner) in finder.types.fields(types::head(of), finder.file) {
            if inner == wanted {
                found.push(format!("{name}.{field}"));
            }
            let deeper = finder.types.fields(types::head(inner), finder.file);
            let deeper = deeper.filter(|(_, of)| *of == wanted);
            found.extend(deeper.map(|(last, _)| format!("{name}.{field}.{last}")));
        }
    }
    found
}

/// The type of a chain of fields, if the source writes it.
pub(super) fn type_of(finder: &Finder<'_>, chain: &Expr) -> Option<String> {
    match chain {
        Expr::Path(path) => {
            let name = path.path.get_ident()?.to_string();
            finder.scope.of(&name).map(str::to_owned)
        }
        Expr::Field(field) => {
            let Member::Named(member) = &field.member else { return None };
            let base = type_of(finder, &field.base)?;
            let base = types::head(&base);
            finder.types.field(base, &member.to_string(), finder.file).map(str::to_owned)
        }
        _ => None,
    }
}

/// Whether an expression is a name, or a field of one, or a field of that.
pub(super) fn is_chain(of: &Expr) -> bool {
    match of {
        Expr::Path(path) => path.path.get_ident().is_some_and(is_variable),
        Expr::Field(field) => is_chain(&field.base),
        _ => false,
    }
}

/// The chain of fields that a place begins with: `state.slots` of `state.slots[1]`.
pub(super) fn place(of: &Expr) -> Option<&Expr> {
    match of {
        Expr::Index(index) => place(&index.expr),
        Expr::Paren(inner) => place(&inner.expr),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => place(&unary.expr),
        _ if is_chain(of) => Some(of),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::found_in;
    use crate::site::{Kind, switchable};

    const TEXT: &str = "
struct Core { me: Node, other: Node, count: u8 }
impl Core {
    fn step(&mut self, from: Node, to: Node, n: u8) {
        self.send(from, 1);
        let sent = Sent { to };
        self.other = from;
    }
}
";

    #[test]
    fn a_name_becomes_one_of_the_same_type() {
        let (found, changes) = found_in(TEXT, Kind::Name);
        let expected = [
            "`from` is taken for `self.me`",
            "`from` is taken for `self.other`",
            "`from` is taken for `to`",
            "`to` is taken for `from`",
            "`to` is taken for `self.me`",
            "`to` is taken for `self.other`",
            "`self.other` is taken for `from`",
            "`self.other` is taken for `self.me`",
            "`self.other` is taken for `to`",
            "`from` is taken for `self.me`",
            "`from` is taken for `self.other`",
            "`from` is taken for `to`",
        ];
        assert_eq!(changes, expected);
        let of_last: Vec<_> = found.iter().enumerate().skip(3).take(2).collect();
        let (text, _) = switchable(TEXT, &of_last);
        let sent = "Sent { to: (if !crate::mutant::is(3) { \
                    (if !crate::mutant::is(4) { to } else { self.me }) } else { from }) };";
        assert!(text.contains(sent), "{text}");
    }
}
