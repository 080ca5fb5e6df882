//! Quantifiers under quantifiers: of every byte of a lock, every lock over it. Where what is asked
//! of the inner thing has nothing to do with the outer one, a core may list the inner things of all
//! the outer ones at once, and each is asked of once instead of once for each outer thing.

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::formula::{Among, Formula, Var};

use super::code::{Code, variable};

impl Code<'_> {
    /// Whether it is so of each thing of a list (or the opposite, `is_not`), as questions about
    /// the lists of these things; `None` where it asks something else of them. Constant parts are
    /// pulled out: they are the same of each thing.
    pub(super) fn under(
        &self,
        outer: &Among,
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
                let Among::Collection { collection, of } = outer else { return None };
                let outer = self.list(*collection, of);
                let Among::Collection { collection, of } = inner else { return None };
                if !is_among(of, bound) || mentions(part, bound) {
                    return None;
                }
                let inner = self.list(*collection, of);
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
}

fn mentions(formula: &Formula, variable: usize) -> bool {
    match formula {
        Formula::Is { of, .. } | Formula::Rule { of, .. } => is_among(of, variable),
        Formula::In { thing, .. } => is_among(&[*thing], variable),
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

fn among_mentions(among: &Among, variable: usize) -> bool {
    match among {
        Among::States(_) => false,
        Among::Collection { of, .. } => is_among(of, variable),
    }
}

fn is_among(of: &[Var], variable: usize) -> bool {
    of.iter().any(|var| usize::from(var.0) == variable)
}
