//! Rules and invariants: their names, what a core answers for them, and their formulas, as code and
//! as data. Emitted only where a table has any of these names.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use turnstile_spec::formula::{Among, Formula, Signature, Stated, Var, Words};
use turnstile_spec::table::{StateId, Vocabulary};

use crate::data::state;
use crate::document::{self, doc, ident, number, snake};
use crate::names::{Variant, named};
use crate::{Extras, Machine};

mod shapes;

use shapes::shapes;

/// Everything about formulas; nothing where the table has none.
pub(crate) fn formulas(machine: &Machine<'_>, extras: Extras) -> Option<TokenStream> {
    any(machine.vocabulary).then(|| {
        let names = names(machine.vocabulary, extras);
        let shapes = shapes();
        let compiled = compiled(machine);
        quote!(#names #shapes #compiled)
    })
}

/// Whether a table has rules, invariants, or anything that they or its loops ask.
pub(crate) fn any(words: &Vocabulary) -> bool {
    let Words { predicates, collections, rules, invariants } = &words.formulas;
    [predicates, collections, rules, invariants].iter().any(|list| !list.is_empty())
}

/// The names: `Predicate`, `Collection`, `Rule` with the things they speak of, and `Invariant`.
fn names(words: &Vocabulary, extras: Extras) -> TokenStream {
    let Words { predicates, collections, rules, invariants } = &words.formulas;
    let predicates = signatures("Predicate", "What the core answers.", predicates, extras);
    let collections = signatures("Collection", "What the core lists.", collections, extras);
    let rules = signatures("Rule", "A formula of some things, by its name.", rules, extras);
    let variants = invariants.iter().map(|one| Variant::new(&one.name)).collect();
    let invariant = named("Invariant", "What must always be so.", variants, extras);
    quote!(#predicates #collections #rules #invariant)
}

fn signatures(what: &str, about: &str, list: &[Signature], extras: Extras) -> TokenStream {
    let kind = format!("{what}Kind");
    let variants = list.iter().map(|one| Variant::new(&one.name)).collect();
    let kinds = named(&kind, &format!("{about} Without its things."), variants, extras);
    let is_rule = what == "Rule";
    let (what, kind) = (ident(what), ident(&kind));
    let about = doc(&[about.to_owned()]);
    let idents: Vec<Ident> = list.iter().map(|one| ident(&one.name.ident)).collect();
    let variants = list.iter().zip(&idents).map(|(one, name)| {
        let about = doc(&document::name(&one.name));
        if one.of.is_empty() {
            return quote!(#about #name);
        }
        let fields = fields(one);
        let docs = one.of.iter().map(|of| doc(&[document::prose(of)]));
        quote!(#about #name { #(#docs #fields: Thing),* })
    });
    let patterns = list.iter().zip(&idents).map(|(one, name)| {
        let rest = (!one.of.is_empty()).then(|| quote!({ .. }));
        quote!(Self::#name #rest => #kind::#name)
    });
    let made = list.iter().zip(&idents).map(|(one, name)| {
        if one.of.is_empty() {
            return quote!(Self::#name => #what::#name);
        }
        let given = fields(one).into_iter().enumerate().map(|(at, field)| {
            let at = number(at as u64);
            quote!(#field: thing(things, #at))
        });
        quote!(Self::#name => #what::#name { #(#given),* })
    });
    let things_of = is_rule.then(|| {
        let lists = list.iter().zip(&idents).map(|(one, name)| match fields(one) {
            fields if fields.is_empty() => quote!(Self::#name => Scope::of(&[])),
            fields => quote!(Self::#name { #(#fields),* } => Scope::of(&[#(#fields),*])),
        });
        quote! {
            fn things(self) -> Scope {
                match self { #(#lists,)* }
            }
        }
    });
    let things =
        ident(if list.iter().any(|one| !one.of.is_empty()) { "things" } else { "_things" });
    quote! {
        #kinds

        #about
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum #what { #(#variants,)* }

        impl #what {
            #things_of

            /// It without the things that it speaks of.
            #[must_use]
            pub const fn kind(self) -> #kind {
                match self { #(#patterns,)* }
            }
        }

        impl #kind {
            /// It of these things, in order; of one that is missing, thing 0.
            #[must_use]
            pub fn of(self, #things: &[Thing]) -> #what {
                match self { #(#made,)* }
            }
        }
    }
}

fn fields(one: &Signature) -> Vec<Ident> {
    one.of.iter().map(|word| snake(word)).collect()
}

/// The methods of `Compiled`, and the functions behind them: the formulas as code.
fn compiled(machine: &Machine<'_>) -> TokenStream {
    let words = machine.vocabulary;
    let Words { rules, invariants, .. } = &words.formulas;
    let formulas = &machine.table.formulas;
    let code = Code { words };
    let rule_arms = rules.iter().zip(&formulas.rules).map(|(one, stated)| {
        let (name, fields) = (ident(&one.name.ident), fields(one));
        let pattern = if fields.is_empty() { quote!() } else { quote!({ #(#fields),* }) };
        let function = function("rule", &one.name.ident);
        match stated {
            Some(_) => quote!(Rule::#name #pattern => formulas::#function(facts #(, #fields)*)),
            None => quote!(Rule::#name { .. } => false),
        }
    });
    let rule_functions = rules.iter().zip(&formulas.rules).filter_map(|(one, stated)| {
        Some(code.function("rule", one, one.of.len(), stated.as_ref()?))
    });
    let invariant_arms = invariants.iter().zip(&formulas.invariants).map(|(one, stated)| {
        let (name, function) = (ident(&one.name.ident), function("invariant", &one.name.ident));
        match stated {
            Some(_) => quote!(Invariant::#name => formulas::#function(facts)),
            None => quote!(Invariant::#name => true),
        }
    });
    let invariant_functions = invariants
        .iter()
        .zip(&formulas.invariants)
        .filter_map(|(one, stated)| Some(code.function("invariant", one, 0, stated.as_ref()?)));
    let functions: Vec<TokenStream> = rule_functions.chain(invariant_functions).collect();
    let functions = (!functions.is_empty()).then(|| {
        quote! {
            /// The formulas as code.
            mod formulas {
                use super::*;

                #(#functions)*
            }
        }
    });
    let known = invariants.iter().zip(&formulas.invariants).map(|(one, stated)| {
        let (name, is_known) = (ident(&one.name.ident), stated.is_some());
        quote!(Invariant::#name => #is_known)
    });
    quote! {
        impl Formulae for Compiled {
            fn rule(&self, rule: Rule, facts: &impl Facts) -> bool {
                let _ = facts;
                match rule { #(#rule_arms,)* }
            }

            fn invariant(&self, invariant: Invariant, facts: &impl Facts) -> bool {
                let _ = facts;
                match invariant { #(#invariant_arms,)* }
            }

            fn has_invariant(&self, invariant: Invariant) -> bool {
                match invariant { #(#known,)* }
            }
        }

        #functions
    }
}

fn function(what: &str, name: &str) -> Ident {
    format_ident!("{what}_{}", snake(name))
}

struct Code<'a> {
    words: &'a Vocabulary,
}

impl Code<'_> {
    fn function(&self, what: &str, one: &Signature, of: usize, stated: &Stated) -> TokenStream {
        let name = function(what, &one.name.ident);
        let parameters = (0..of).map(variable);
        let body = self.formula(&stated.formula, of);
        quote! {
            pub(super) fn #name<F: Facts>(facts: &F #(, #parameters: Thing)*) -> bool {
                #body
            }
        }
    }

    /// A formula as an expression; `bound` variables are in scope.
    fn formula(&self, formula: &Formula, bound: usize) -> TokenStream {
        let words = &self.words.formulas;
        let parts = |parts: &[Formula]| -> Vec<TokenStream> {
            parts.iter().map(|part| self.formula(part, bound)).collect()
        };
        match formula {
            Formula::Is { predicate, of } => {
                let asked = with("Predicate", &words.predicates[predicate.index()], of);
                quote!(facts.is(#asked))
            }
            Formula::In { thing, states } => {
                let (thing, states) = (variable(usize::from(thing.0)), self.states(states));
                quote!(facts.state(#thing).is_some_and(|at| #states))
            }
            Formula::Rule { rule, of } => {
                let name = function("rule", &words.rules[rule.index()].name.ident);
                let of = of.iter().map(|var| variable(usize::from(var.0)));
                quote!(#name(facts #(, #of)*))
            }
            Formula::All(all) => match parts(all) {
                parts if parts.is_empty() => quote!(true),
                parts => quote!((#(#parts)&&*)),
            },
            Formula::Any(any) => match parts(any) {
                parts if parts.is_empty() => quote!(false),
                parts => quote!((#(#parts)||*)),
            },
            Formula::Not(part) => {
                let part = self.formula(part, bound);
                quote!(!(#part))
            }
            Formula::Iff(a, b) => {
                let (a, b) = (self.formula(a, bound), self.formula(b, bound));
                quote!(((#a) == (#b)))
            }
            Formula::Every(among, part) => {
                let part = self.formula(part, bound + 1);
                self.each(among, bound, &part)
            }
            Formula::Some(among, part) => {
                let part = self.formula(part, bound + 1);
                let none = self.each(among, bound, &quote!(!(#part)));
                quote!(!(#none))
            }
        }
    }

    /// Whether it is so of each.
    fn each(&self, among: &Among, bound: usize, part: &TokenStream) -> TokenStream {
        let variable = variable(bound);
        match among {
            Among::States(states) => {
                let states = self.states(states);
                quote!(facts.instances(&mut |#variable: Thing, at: State| !#states || #part))
            }
            Among::Collection { collection, of } => {
                let words = &self.words.formulas;
                let list = with("Collection", &words.collections[collection.index()], of);
                quote!(facts.every(#list, &mut |#variable: Thing| #part))
            }
        }
    }

    fn states(&self, states: &[StateId]) -> TokenStream {
        if states.is_empty() {
            return quote!(false);
        }
        let states = states.iter().map(|id| state(self.words, id.index()));
        quote!(::core::matches!(at, #(#states)|*))
    }
}

/// `Predicate::Covers { lock: v0, byte: v1 }`.
fn with(what: &str, one: &Signature, of: &[Var]) -> TokenStream {
    let (what, name) = (ident(what), ident(&one.name.ident));
    if one.of.is_empty() {
        return quote!(#what::#name);
    }
    let given = fields(one).into_iter().zip(of).map(|(field, var)| {
        let variable = variable(usize::from(var.0));
        quote!(#field: #variable)
    });
    quote!(#what::#name { #(#given),* })
}

fn variable(at: usize) -> Ident {
    format_ident!("v{at}")
}

/// The formulas as data.
pub(crate) fn data(machine: &Machine<'_>) -> TokenStream {
    let list = |list: &[Option<Stated>]| {
        let formulas = list.iter().map(|stated| match stated {
            None => quote!(::core::option::Option::None),
            Some(stated) => {
                let formula = plain(machine.vocabulary, &stated.formula);
                quote!(::core::option::Option::Some(#formula))
            }
        });
        quote!(&[#(#formulas),*])
    };
    let rules = list(&machine.table.formulas.rules);
    let invariants = list(&machine.table.formulas.invariants);
    quote!(Formulas { rules: #rules, invariants: #invariants })
}

fn plain(words: &Vocabulary, formula: &Formula) -> TokenStream {
    let vars = |of: &[Var]| {
        let of = of.iter().map(|var| number(var.0));
        quote!(&[#(#of),*])
    };
    let list = |parts: &[Formula]| {
        let parts = parts.iter().map(|part| plain(words, part));
        quote!(&[#(#parts),*])
    };
    let states = |states: &[StateId]| {
        let states = states.iter().map(|id| state(words, id.index()));
        quote!(&[#(#states),*])
    };
    let among = |among: &Among| match among {
        Among::States(list) => {
            let list = states(list);
            quote!(Among::States(#list))
        }
        Among::Collection { collection, of } => {
            let name = ident(&words.formulas.collections[collection.index()].name.ident);
            let of = vars(of);
            quote!(Among::Listed(CollectionKind::#name, #of))
        }
    };
    match formula {
        Formula::Is { predicate, of } => {
            let name = ident(&words.formulas.predicates[predicate.index()].name.ident);
            let of = vars(of);
            quote!(Formula::Is(PredicateKind::#name, #of))
        }
        Formula::In { thing, states: list } => {
            let (thing, list) = (number(thing.0), states(list));
            quote!(Formula::In(#thing, #list))
        }
        Formula::Rule { rule, of } => {
            let name = ident(&words.formulas.rules[rule.index()].name.ident);
            let of = vars(of);
            quote!(Formula::Rule(RuleKind::#name, #of))
        }
        Formula::All(parts) => {
            let parts = list(parts);
            quote!(Formula::All(#parts))
        }
        Formula::Any(parts) => {
            let parts = list(parts);
            quote!(Formula::Any(#parts))
        }
        Formula::Not(part) => {
            let part = plain(words, part);
            quote!(Formula::Not(&#part))
        }
        Formula::Iff(a, b) => {
            let (a, b) = (plain(words, a), plain(words, b));
            quote!(Formula::Iff(&#a, &#b))
        }
        Formula::Every(over, part) => {
            let (over, part) = (among(over), plain(words, part));
            quote!(Formula::Every(#over, &#part))
        }
        Formula::Some(over, part) => {
            let (over, part) = (among(over), plain(words, part));
            quote!(Formula::Some(#over, &#part))
        }
    }
}
