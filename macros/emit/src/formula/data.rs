//! The formulas as plain data.

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::formula::{Among, Formula, Stated, Var};
use turnstile_spec::table::{StateId, Vocabulary};

use crate::Machine;
use crate::data::state;
use crate::document::{ident, number};

/// The formulas as data.
pub(crate) fn data(machine: &Machine<'_>) -> TokenStream {
    let plain = Plain { words: machine.vocabulary };
    let list = |list: &[Option<Stated>]| {
        let formulas = list.iter().map(|stated| match stated {
            None => quote!(::core::option::Option::None),
            Some(stated) => {
                let formula = plain.formula(&stated.formula);
                quote!(::core::option::Option::Some(#formula))
            }
        });
        quote!(&[#(#formulas),*])
    };
    let rules = list(&machine.table.formulas.rules);
    let invariants = list(&machine.table.formulas.invariants);
    quote!(Formulas { rules: #rules, invariants: #invariants })
}

struct Plain<'a> {
    words: &'a Vocabulary,
}

impl Plain<'_> {
    fn formula(&self, formula: &Formula) -> TokenStream {
        match formula {
            Formula::Is { predicate, of } => {
                let name = &self.words.formulas.predicates[predicate.index()].name;
                let (name, of) = (ident(&name.ident), vars(of));
                quote!(Formula::Is(PredicateKind::#name, #of))
            }
            Formula::In { thing, states } => {
                let (thing, states) = (number(thing.0), self.states(states));
                quote!(Formula::In(#thing, #states))
            }
            Formula::Rule { rule, of } => {
                let name = &self.words.formulas.rules[rule.index()].name;
                let (name, of) = (ident(&name.ident), vars(of));
                quote!(Formula::Rule(RuleKind::#name, #of))
            }
            Formula::All(parts) => {
                let parts = self.list(parts);
                quote!(Formula::All(#parts))
            }
            Formula::Any(parts) => {
                let parts = self.list(parts);
                quote!(Formula::Any(#parts))
            }
            Formula::Not(part) => {
                let part = self.formula(part);
                quote!(Formula::Not(&#part))
            }
            Formula::Iff(a, b) => {
                let (a, b) = (self.formula(a), self.formula(b));
                quote!(Formula::Iff(&#a, &#b))
            }
            Formula::Every(among, part) => {
                let (among, part) = (self.among(among), self.formula(part));
                quote!(Formula::Every(#among, &#part))
            }
            Formula::Some(among, part) => {
                let (among, part) = (self.among(among), self.formula(part));
                quote!(Formula::Some(#among, &#part))
            }
        }
    }

    fn among(&self, among: &Among) -> TokenStream {
        match among {
            Among::States(states) => {
                let states = self.states(states);
                quote!(Among::States(#states))
            }
            Among::Collection { collection, of } => {
                let name = &self.words.formulas.collections[collection.index()].name;
                let (name, of) = (ident(&name.ident), vars(of));
                quote!(Among::Listed(CollectionKind::#name, #of))
            }
        }
    }

    fn list(&self, parts: &[Formula]) -> TokenStream {
        let parts = parts.iter().map(|part| self.formula(part));
        quote!(&[#(#parts),*])
    }

    fn states(&self, states: &[StateId]) -> TokenStream {
        let states = states.iter().map(|id| state(self.words, id.index()));
        quote!(&[#(#states),*])
    }
}

fn vars(of: &[Var]) -> TokenStream {
    let of = of.iter().map(|var| number(var.0));
    quote!(&[#(#of),*])
}
