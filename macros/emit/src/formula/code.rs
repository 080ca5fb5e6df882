//! The formulas as code: a function each, and the methods of the machine that find them.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use turnstile_spec::formula::{Among, Asker, CollectionId, Formula, Signature, Stated, Var};
use turnstile_spec::table::{StateId, Vocabulary};

use super::{CORE, WHOLE, Whose, fields};
use crate::Machine;
use crate::data::state;
use crate::document::{ident, snake};

/// The methods of `Rules` that evaluate formulas.
pub(crate) fn methods(machine: &Machine<'_>) -> TokenStream {
    let [core, whole] = [CORE, WHOLE].map(|whose| of(machine, whose));
    let guard = guard(machine);
    quote!(#guard #core #whole)
}

/// The method that answers a guard.
fn guard(machine: &Machine<'_>) -> TokenStream {
    let (words, formulas) = (&machine.vocabulary.formulas, &machine.table.formulas);
    let arms = machine.vocabulary.guards.iter().map(|name| {
        let guard = ident(&name.ident);
        let known = words.guards.iter().zip(&formulas.guards);
        match known.into_iter().find(|(one, _)| one.name.name == name.name) {
            None => quote!(Guard::#guard => facts.guard(OpenGuard::#guard)),
            Some((_, None)) => quote!(Guard::#guard => false),
            Some((one, Some(_))) => {
                let of = one.of.iter().map(|word| {
                    let subject = words.subjects.iter().find(|name| name.name == *word);
                    let subject = ident(subject.map_or("", |name| &name.ident));
                    quote!(facts.subject(Subject::#subject))
                });
                let function = function("guard", &one.name.ident);
                quote!(Guard::#guard => formulas::#function(facts #(, #of)*))
            }
        }
    });
    let body = match words.guards.is_empty() {
        true => quote!(facts.guard(guard)),
        false => quote!(match guard { #(#arms,)* }),
    };
    quote! {
        fn guard(
            &self,
            guard: Guard,
            facts: &impl ::turnstile_machine::GuardFacts<Machine>,
        ) -> bool {
            #body
        }
    }
}

/// The two that evaluate one's formulas.
fn of(machine: &Machine<'_>, whose: Whose) -> TokenStream {
    let words = machine.vocabulary;
    let (facts, by) = (quote!(::turnstile_machine::Facts), whose.questions(words));
    let [rule, invariant] = match whose.asker {
        Asker::Whole => ["whole_rule", "whole_invariant"],
        Asker::Core | Asker::Row => ["rule", "invariant"],
    }
    .map(ident);
    if !whose.has_any(words) {
        return quote! {
            fn #rule(&self, rule: ::turnstile_machine::Never, _: &impl #facts<#by>) -> bool {
                match rule {}
            }

            fn #invariant(
                &self,
                invariant: ::turnstile_machine::Never,
                _: &impl #facts<#by>,
            ) -> bool {
                match invariant {}
            }
        };
    }
    let (module, rules, invariants) = (module(whose), whose.name("Rule"), whose.name("Invariant"));
    let (words, stated) = (&words.formulas, &machine.table.formulas);
    let rule_arms = whose.stated(&words.rules, &stated.rules).map(|(one, stated)| {
        let (name, fields) = (ident(&one.name.ident), fields(one));
        let pattern = if fields.is_empty() { quote!() } else { quote!({ #(#fields),* }) };
        let function = function("rule", &one.name.ident);
        match stated {
            Some(_) => quote!(#rules::#name #pattern => #module::#function(facts #(, #fields)*)),
            None => quote!(#rules::#name { .. } => false),
        }
    });
    let invariant_arms =
        whose.stated(&words.invariants, &stated.invariants).map(|(one, stated)| {
            let (name, function) = (ident(&one.name.ident), function("invariant", &one.name.ident));
            match stated {
                Some(_) => quote!(#invariants::#name => #module::#function(facts)),
                None => quote!(#invariants::#name => true),
            }
        });
    quote! {
        fn #rule(&self, rule: #rules, facts: &impl #facts<#by>) -> bool {
            let _ = facts;
            match rule { #(#rule_arms,)* }
        }

        fn #invariant(&self, invariant: #invariants, facts: &impl #facts<#by>) -> bool {
            let _ = facts;
            match invariant { #(#invariant_arms,)* }
        }
    }
}

/// The module of one's formulas.
fn module(whose: Whose) -> Ident {
    ident(match whose.asker {
        Asker::Whole => "whole_formulas",
        Asker::Core | Asker::Row => "formulas",
    })
}

impl Whose {
    /// Those formulas of a list that it can answer.
    fn stated<'a>(
        self,
        list: &'a [Signature],
        stated: &'a [Option<Stated>],
    ) -> impl Iterator<Item = (&'a Signature, &'a Option<Stated>)> {
        list.iter().zip(stated).filter(move |(one, _)| one.asked.has(self.asker))
    }
}

/// A function for each formula that the table has; nothing where it has none.
pub(super) fn functions(machine: &Machine<'_>, whose: Whose) -> Option<TokenStream> {
    let words = &machine.vocabulary.formulas;
    let formulas = &machine.table.formulas;
    let code = Code { words: machine.vocabulary, whose };
    let rules = whose.stated(&words.rules, &formulas.rules).filter_map(|(one, stated)| {
        Some(code.function("rule", one, one.of.len(), stated.as_ref()?))
    });
    let invariants = whose
        .stated(&words.invariants, &formulas.invariants)
        .filter_map(|(one, stated)| Some(code.function("invariant", one, 0, stated.as_ref()?)));
    let module = module(whose);
    let guards = words.guards.iter().zip(&formulas.guards);
    let guards = guards.filter(|_| whose.asker == Asker::Core).filter_map(|(one, stated)| {
        Some(code.function("guard", one, one.of.len(), stated.as_ref()?))
    });
    let functions: Vec<TokenStream> = rules.chain(invariants).chain(guards).collect();
    (!functions.is_empty()).then(|| {
        quote! {
            /// The formulas as code.
            mod #module {
                use super::*;

                #(#functions)*
            }
        }
    })
}

fn function(what: &str, name: &str) -> Ident {
    format_ident!("{what}_{}", snake(name))
}

pub(super) struct Code<'a> {
    words: &'a Vocabulary,
    whose: Whose,
}

impl Code<'_> {
    fn function(&self, what: &str, one: &Signature, of: usize, stated: &Stated) -> TokenStream {
        let (name, by) = (function(what, &one.name.ident), self.whose.questions(self.words));
        let parameters = (0..of).map(variable);
        let body = self.formula(&stated.formula, of);
        quote! {
            pub(super) fn #name(
                facts: &impl ::turnstile_machine::Facts<#by>
                #(, #parameters: Term)*
            ) -> bool {
                #body
            }
        }
    }

    /// A formula as an expression; `bound` variables are in scope.
    pub(super) fn formula(&self, formula: &Formula, bound: usize) -> TokenStream {
        let words = &self.words.formulas;
        let parts = |parts: &[Formula]| -> Vec<TokenStream> {
            parts.iter().map(|part| self.formula(part, bound)).collect()
        };
        match formula {
            Formula::Is { predicate, of } => {
                let asked = self.with("Predicate", &words.predicates[predicate.index()], of);
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
            Formula::Every(among, part) => self.each(among, bound, part, false),
            Formula::Some(among, part) => {
                let none = self.each(among, bound, part, true);
                quote!(!(#none))
            }
        }
    }

    /// Whether it is so of each, or the opposite.
    fn each(&self, among: &Among, bound: usize, part: &Formula, is_not: bool) -> TokenStream {
        if let Some(under) = self.under(among, bound, part, is_not) {
            return under;
        }
        let (variable, part) = (variable(bound), self.formula(part, bound + 1));
        let part = if is_not { quote!(!(#part)) } else { part };
        match among {
            Among::States(states) => {
                let states = self.states(states);
                quote!(facts.instances(&mut |#variable: Term, at: State| !#states || #part))
            }
            Among::Collection { collection, of } => {
                let list = self.list(*collection, of);
                quote!(facts.every(#list, &mut |#variable: Term| #part))
            }
        }
    }

    /// What is to be listed.
    pub(super) fn list(&self, collection: CollectionId, of: &[Var]) -> TokenStream {
        self.with("Collection", &self.words.formulas.collections[collection.index()], of)
    }

    fn states(&self, states: &[StateId]) -> TokenStream {
        if states.is_empty() {
            return quote!(false);
        }
        let states = states.iter().map(|id| state(self.words, id.index()));
        quote!(::core::matches!(at, #(#states)|*))
    }

    /// `Predicate::Covers { lock: v0, byte: v1 }`.
    fn with(&self, what: &str, one: &Signature, of: &[Var]) -> TokenStream {
        let (what, name) = (self.whose.name(what), ident(&one.name.ident));
        if one.of.is_empty() {
            return quote!(#what::#name);
        }
        let given = fields(one).into_iter().zip(of).map(|(field, var)| {
            let variable = variable(usize::from(var.0));
            quote!(#field: #variable)
        });
        quote!(#what::#name { #(#given),* })
    }
}

pub(super) fn variable(at: usize) -> Ident {
    format_ident!("v{at}")
}
