//! The formulas as code: a function each, and the methods of the machine that find them.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use turnstile_spec::formula::{
    CollectionId, Definition, Domain, Evaluator, Formula, Signature, Var,
};
use turnstile_spec::table::{StateId, Vocabulary};

use super::evaluator::{CORE, EvaluatorNames, WHOLE, fields};
use crate::Machine;
use crate::data::state;
use crate::text::document::{ident, snake};

/// The methods of `Rules` that evaluate formulas.
pub(crate) fn methods(machine: &Machine<'_>) -> TokenStream {
    let [core, whole] = [CORE, WHOLE].map(|evaluator_names| of(machine, evaluator_names));
    let guard = guard(machine);
    quote!(#guard #core #whole)
}

/// The method that computes a guard.
fn guard(machine: &Machine<'_>) -> TokenStream {
    let (words, formulas) = (&machine.vocabulary.formulas, &machine.table.formulas);
    let arms = machine.vocabulary.guards.iter().map(|name| {
        let guard = ident(&name.ident);
        let known = words.guards.iter().zip(&formulas.guards);
        match known.into_iter().find(|(one, _)| one.name.name == name.name) {
            None => quote!(Guard::#guard => facts.guard(OpenGuard::#guard)),
            Some((_, None)) => quote!(Guard::#guard => false),
            Some((one, Some(_))) => {
                let of = one.params.iter().map(|word| {
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
fn of(machine: &Machine<'_>, evaluator_names: EvaluatorNames) -> TokenStream {
    let words = machine.vocabulary;
    let (facts, by) = (quote!(::turnstile_machine::Facts), evaluator_names.signature(words));
    let [rule, invariant] = match evaluator_names.evaluator {
        Evaluator::Whole => ["whole_rule", "whole_invariant"],
        Evaluator::Core | Evaluator::Row => ["rule", "invariant"],
    }
    .map(ident);
    if !evaluator_names.has_any(words) {
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
    let (module, rules, invariants) =
        (module(evaluator_names), evaluator_names.name("Rule"), evaluator_names.name("Invariant"));
    let (words, stated) = (&words.formulas, &machine.table.formulas);
    let rule_arms = evaluator_names.stated(&words.rules, &stated.rules).map(|(one, stated)| {
        let (name, fields) = (ident(&one.name.ident), fields(one));
        let pattern = if fields.is_empty() { quote!() } else { quote!({ #(#fields),* }) };
        let function = function("rule", &one.name.ident);
        match stated {
            Some(_) => quote!(#rules::#name #pattern => #module::#function(facts #(, #fields)*)),
            None => quote!(#rules::#name { .. } => false),
        }
    });
    let invariant_arms =
        evaluator_names.stated(&words.invariants, &stated.invariants).map(|(one, stated)| {
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
fn module(evaluator_names: EvaluatorNames) -> Ident {
    ident(match evaluator_names.evaluator {
        Evaluator::Whole => "whole_formulas",
        Evaluator::Core | Evaluator::Row => "formulas",
    })
}

impl EvaluatorNames {
    /// The formulas of a list that this evaluator computes.
    fn stated<'a>(
        self,
        list: &'a [Signature],
        stated: &'a [Option<Definition>],
    ) -> impl Iterator<Item = (&'a Signature, &'a Option<Definition>)> {
        list.iter().zip(stated).filter(move |(one, _)| one.evaluators.has(self.evaluator))
    }
}

/// A function for each formula of the table.
pub(super) fn functions(
    machine: &Machine<'_>,
    evaluator_names: EvaluatorNames,
) -> Option<TokenStream> {
    let words = &machine.vocabulary.formulas;
    let formulas = &machine.table.formulas;
    let code = Code { words: machine.vocabulary, evaluator_names };
    let rules =
        evaluator_names.stated(&words.rules, &formulas.rules).filter_map(|(one, stated)| {
            Some(code.function("rule", one, one.params.len(), stated.as_ref()?))
        });
    let invariants = evaluator_names
        .stated(&words.invariants, &formulas.invariants)
        .filter_map(|(one, stated)| Some(code.function("invariant", one, 0, stated.as_ref()?)));
    let module = module(evaluator_names);
    let guards = words.guards.iter().zip(&formulas.guards);
    let guards = guards.filter(|_| evaluator_names.evaluator == Evaluator::Core).filter_map(
        |(one, stated)| Some(code.function("guard", one, one.params.len(), stated.as_ref()?)),
    );
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
    evaluator_names: EvaluatorNames,
}

impl Code<'_> {
    fn function(&self, what: &str, one: &Signature, of: usize, stated: &Definition) -> TokenStream {
        let (name, by) =
            (function(what, &one.name.ident), self.evaluator_names.signature(self.words));
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
            Formula::Is { predicate, args } => {
                let atom = self.with("Predicate", &words.predicates[predicate.index()], args);
                quote!(facts.is(#atom))
            }
            Formula::In { term, states } => {
                let (term, states) = (variable(usize::from(term.0)), self.states(states));
                quote!(facts.state(#term).is_some_and(|at| #states))
            }
            Formula::Rule { rule, args } => {
                let name = function("rule", &words.rules[rule.index()].name.ident);
                let args = args.iter().map(|var| variable(usize::from(var.0)));
                quote!(#name(facts #(, #args)*))
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
    fn each(&self, among: &Domain, bound: usize, part: &Formula, is_not: bool) -> TokenStream {
        let shorter = self.under(among, bound, part, is_not);
        if let Some(shorter) = shorter.or_else(|| self.none_in(among, bound, part, is_not)) {
            return shorter;
        }
        let (variable, part) = (variable(bound), self.formula(part, bound + 1));
        let part = if is_not { quote!(!(#part)) } else { part };
        match among {
            Domain::States(states) => {
                let states = self.states(states);
                quote!(facts.instances(&mut |#variable: Term, at: State| !#states || #part))
            }
            Domain::Collection { collection, args } => {
                let list = self.list(*collection, args);
                quote!(facts.every(#list, &mut |#variable: Term| #part))
            }
        }
    }

    /// A collection with its arguments.
    pub(super) fn list(&self, collection: CollectionId, args: &[Var]) -> TokenStream {
        self.with("Collection", &self.words.formulas.collections[collection.index()], args)
    }

    fn states(&self, states: &[StateId]) -> TokenStream {
        if states.is_empty() {
            return quote!(false);
        }
        let states = states.iter().map(|id| state(self.words, id.index()));
        quote!(::core::matches!(at, #(#states)|*))
    }

    /// A list of states.
    pub(super) fn state_list(&self, states: &[StateId]) -> TokenStream {
        let states = states.iter().map(|id| state(self.words, id.index()));
        quote!(&[#(#states),*])
    }

    /// `Predicate::Covers { lock: v0, byte: v1 }`.
    fn with(&self, what: &str, one: &Signature, of: &[Var]) -> TokenStream {
        let (what, name) = (self.evaluator_names.name(what), ident(&one.name.ident));
        if one.params.is_empty() {
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
