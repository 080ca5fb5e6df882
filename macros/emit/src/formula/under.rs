//! Quantifiers that are shorter than a visit of each term.
//!
//! Nested ones: for every byte of a lock, for every lock over it. If the inner body does not
//! mention the outer variable, `Facts::every_under` visits each inner term once instead of once for
//! each outer term. And those about states alone: `Facts::none_in` may know by a count.

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::formula::{Domain, Formula, Var};

use super::code::{Code, variable};

impl Code<'_> {
    /// The nested quantifier as a call of `every_under`, of `part` or its negation (`is_not`);
    /// `None` if the body has another form. Parts without the variable are hoisted.
    pub(super) fn under(
        &self,
        outer: &Domain,
        bound: usize,
        part: &Formula,
        is_not: bool,
    ) -> Option<TokenStream> {
        match (part, is_not) {
            (Formula::Not(part), _) => self.under(outer, bound, part, !is_not),
            (Formula::All(parts), false) | (Formula::Any(parts), true) => {
                let parts = parts.iter().map(|part| self.under(outer, bound, part, is_not));
                let parts = parts.collect::<Option<Vec<_>>>().filter(|parts| !parts.is_empty())?;
                Some(quote!((#(#parts)&&*)))
            }
            (Formula::Any(parts), false) | (Formula::All(parts), true) => {
                let (asks, constant): (Vec<_>, Vec<_>) =
                    parts.iter().partition(|part| mentions(part, bound));
                let [asks] = *asks else { return None };
                let constant = constant.into_iter().map(|part| {
                    let part = self.formula(part, bound + 1);
                    if is_not { quote!(!(#part)) } else { part }
                });
                let asks = self.under(outer, bound, asks, is_not)?;
                Some(quote!((#(#constant||)* #asks)))
            }
            (Formula::Every(inner, part), false) | (Formula::Some(inner, part), true) => {
                let Domain::Collection { collection, args } = outer else { return None };
                let outer = self.list(*collection, args);
                let Domain::Collection { collection, args } = inner else { return None };
                if !is_among(args, bound) || mentions(part, bound) {
                    return None;
                }
                let inner = self.list(*collection, args);
                let part = self.formula(part, bound + 2);
                let part = if is_not { quote!(!(#part)) } else { part };
                let (of, each) = (variable(bound), variable(bound + 1));
                Some(quote! {
                    facts.every_under(#outer, &|#of: Term| #inner, &mut |#each: Term| #part)
                })
            }
            _ => None,
        }
    }

    /// The quantifier as a call of `none_in`, if its body says that a term is in none of some
    /// states; `None` if the body has another form.
    pub(super) fn none_in(
        &self,
        among: &Domain,
        bound: usize,
        part: &Formula,
        is_not: bool,
    ) -> Option<TokenStream> {
        match (part, is_not) {
            (Formula::Not(part), _) => self.none_in(among, bound, part, !is_not),
            (Formula::In { term, states }, true) if is_among(&[*term], bound) => {
                let Domain::Collection { collection, args } = among else { return None };
                let (list, states) = (self.list(*collection, args), self.state_list(states));
                Some(quote!(facts.none_in(#list, #states)))
            }
            _ => None,
        }
    }
}

fn mentions(formula: &Formula, variable: usize) -> bool {
    match formula {
        Formula::Is { args, .. } | Formula::Rule { args, .. } => is_among(args, variable),
        Formula::In { term, .. } => is_among(&[*term], variable),
        Formula::All(parts) | Formula::Any(parts) => {
            parts.iter().any(|part| mentions(part, variable))
        }
        Formula::Not(part) => mentions(part, variable),
        Formula::Iff(a, b) => mentions(a, variable) || mentions(b, variable),
        Formula::Every(among, part) | Formula::Some(among, part) => {
            among_mentions(among, variable) || mentions(part, variable)
        }
    }
}

fn among_mentions(among: &Domain, variable: usize) -> bool {
    match among {
        Domain::States(_) => false,
        Domain::Collection { args, .. } => is_among(args, variable),
    }
}

fn is_among(args: &[Var], variable: usize) -> bool {
    args.iter().any(|var| usize::from(var.0) == variable)
}
