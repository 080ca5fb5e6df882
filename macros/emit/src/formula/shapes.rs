//! The types behind every machine's formulas: what a core must answer, and a formula as plain data
//! with its evaluation.

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::limit;

use crate::document::number;

/// `Thing`, `Facts`, `Formulae`, `Each`, `Run`, `Formula`, `Among`, `Formulas`.
pub(crate) fn shapes() -> TokenStream {
    let asked = asked();
    let loops = loops();
    let formula = formula();
    let scope = scope();
    let evaluation = evaluation();
    let interpreted = interpreted();
    quote!(#asked #loops #formula #scope #evaluation #interpreted)
}

fn asked() -> TokenStream {
    quote! {
        /// Something that a formula or a loop speaks of: an instance, a byte, a member. What the
        /// number stands for is the core's own.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Thing(pub u64);

        fn thing(things: &[Thing], at: usize) -> Thing {
            things.get(at).copied().unwrap_or_default()
        }

        /// What a core answers, so that the table's formulas can be evaluated of its state.
        pub trait Facts {
            /// Whether it is so.
            fn is(&self, predicate: Predicate) -> bool;

            /// Whether `is` is so of each thing that is listed; it is not asked after the first of
            /// which it is not.
            fn every(
                &self,
                collection: Collection,
                is: &mut dyn FnMut(Thing) -> bool,
            ) -> bool;

            /// Whether `is` is so of each thing that `inner` lists for a thing of `outer`. Such a
            /// thing need not be asked of again for another one.
            fn every_under(
                &self,
                outer: Collection,
                inner: &dyn Fn(Thing) -> Collection,
                is: &mut dyn FnMut(Thing) -> bool,
            ) -> bool {
                self.every(outer, &mut |thing| self.every(inner(thing), &mut *is))
            }

            /// Whether `is` is so of each instance of the machine and the state it is in; it is not
            /// asked after the first of which it is not.
            fn instances(&self, is: &mut dyn FnMut(Thing, State) -> bool) -> bool;

            /// The state of an instance; `None` where there is none.
            fn state(&self, thing: Thing) -> ::core::option::Option<State>;
        }

        /// The formulas of a table, as code ([`Compiled`]) or as data ([`Interpreted`]).
        pub trait Formulae: Rules {
            /// Whether a rule says yes; no, where the table has no such rule.
            fn rule(&self, rule: Rule, facts: &impl Facts) -> bool;

            /// Whether an invariant holds; it does where the table has none of this name.
            fn invariant(&self, invariant: Invariant, facts: &impl Facts) -> bool;

            /// Whether the table has an invariant of this name.
            fn has_invariant(&self, invariant: Invariant) -> bool;
        }
    }
}

fn loops() -> TokenStream {
    quote! {
        /// A loop of a row: its entries are done together, once for each thing of a collection.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Each {
            /// What the core lists.
            pub collection: CollectionKind,
            /// Which loop of the row, from 0.
            pub number: u8,
        }

        /// Entries of `do` that are done one after the other: once, or once for each thing.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Run<'t> {
            /// What is listed; `None`: it is done once.
            pub each: ::core::option::Option<CollectionKind>,
            /// What is done, in order.
            pub does: &'t [Do<'t>],
        }

        impl<'t> Step<'t> {
            /// What is done, in order, with the entries of a loop together.
            pub fn runs(&self) -> impl Iterator<Item = Run<'t>> + use<'t> {
                let does: &'t [Do<'t>] = self.does;
                does.chunk_by(|one, next| one.each == next.each).map(|does| Run {
                    each: does.first().and_then(|one| one.each).map(|each| each.collection),
                    does,
                })
            }
        }
    }
}

fn formula() -> TokenStream {
    quote! {
        /// A formula as plain data. A number stands for a thing: the rule's parameters first, then
        /// the variable of each quantifier around, from the outside in.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Formula<'t> {
            /// What the core answers.
            Is(PredicateKind, &'t [u8]),
            /// The instance is in one of these states.
            In(u8, &'t [State]),
            /// Another rule.
            Rule(RuleKind, &'t [u8]),
            /// Every one of these.
            All(&'t [Formula<'t>]),
            /// At least one of these.
            Any(&'t [Formula<'t>]),
            /// The opposite.
            Not(&'t Formula<'t>),
            /// Both or neither.
            Iff(&'t Formula<'t>, &'t Formula<'t>),
            /// So of each.
            Every(Among<'t>, &'t Formula<'t>),
            /// So of at least one.
            Some(Among<'t>, &'t Formula<'t>),
        }

        /// What a quantifier goes over.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Among<'t> {
            /// The instances in these states.
            States(&'t [State]),
            /// What the core lists.
            Listed(CollectionKind, &'t [u8]),
        }

        /// The formulas of a table, in the order of [`RuleKind::ALL`] and [`Invariant::ALL`];
        /// `None` where it has none of that name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Formulas<'t> {
            /// The rules.
            pub rules: &'t [::core::option::Option<Formula<'t>>],
            /// The invariants.
            pub invariants: &'t [::core::option::Option<Formula<'t>>],
        }
    }
}

fn scope() -> TokenStream {
    let most = number(limit::VARIABLES as u64);
    quote! {
        /// The things that a formula speaks of, in scope.
        #[derive(Clone, Copy)]
        struct Scope {
            things: [Thing; #most],
            count: usize,
        }

        impl Scope {
            fn of(things: &[Thing]) -> Self {
                let mut scope = Self { things: [Thing(0); #most], count: 0 };
                things.iter().for_each(|thing| scope = scope.with(*thing));
                scope
            }

            fn with(mut self, thing: Thing) -> Self {
                if let ::core::option::Option::Some(slot) = self.things.get_mut(self.count) {
                    *slot = thing;
                    self.count += 1;
                }
                self
            }

            fn get(&self, at: u8) -> Thing {
                thing(&self.things, usize::from(at))
            }

            fn all(&self, of: &[u8]) -> Self {
                let mut scope = Self::of(&[]);
                of.iter().for_each(|at| scope = scope.with(self.get(*at)));
                scope
            }

            fn list(&self) -> &[Thing] {
                self.things.get(..self.count).unwrap_or(&[])
            }
        }
    }
}

fn evaluation() -> TokenStream {
    quote! {
        impl Formula<'_> {
            fn holds(&self, all: &Formulas<'_>, facts: &impl Facts, scope: Scope) -> bool {
                match *self {
                    Self::Is(predicate, of) => facts.is(predicate.of(scope.all(of).list())),
                    Self::In(thing, states) => {
                        facts.state(scope.get(thing)).is_some_and(|at| states.contains(&at))
                    }
                    Self::Rule(rule, of) => all.rule(rule, facts, scope.all(of)),
                    Self::All(parts) => parts.iter().all(|part| part.holds(all, facts, scope)),
                    Self::Any(parts) => parts.iter().any(|part| part.holds(all, facts, scope)),
                    Self::Not(part) => !part.holds(all, facts, scope),
                    Self::Iff(a, b) => a.holds(all, facts, scope) == b.holds(all, facts, scope),
                    Self::Every(among, part) => {
                        among.every(facts, scope, &mut |scope| part.holds(all, facts, scope))
                    }
                    Self::Some(among, part) => {
                        !among.every(facts, scope, &mut |scope| !part.holds(all, facts, scope))
                    }
                }
            }
        }

        impl Among<'_> {
            fn every(
                &self,
                facts: &impl Facts,
                scope: Scope,
                is: &mut dyn FnMut(Scope) -> bool,
            ) -> bool {
                match *self {
                    Self::States(states) => facts.instances(&mut |thing, at| {
                        !states.contains(&at) || is(scope.with(thing))
                    }),
                    Self::Listed(collection, of) => facts.every(
                        collection.of(scope.all(of).list()),
                        &mut |thing| is(scope.with(thing)),
                    ),
                }
            }
        }
    }
}

fn interpreted() -> TokenStream {
    quote! {
        impl Formulas<'_> {
            fn rule(&self, rule: RuleKind, facts: &impl Facts, scope: Scope) -> bool {
                let formula = self.rules.get(rule as usize).and_then(|one| one.as_ref());
                formula.is_some_and(|formula| formula.holds(self, facts, scope))
            }
        }

        impl Formulae for Interpreted<'_> {
            fn rule(&self, rule: Rule, facts: &impl Facts) -> bool {
                self.formulas.rule(rule.kind(), facts, Scope::of(rule.things().list()))
            }

            fn invariant(&self, invariant: Invariant, facts: &impl Facts) -> bool {
                let formula = self.formulas.invariants.get(invariant as usize);
                let formula = formula.and_then(|one| one.as_ref());
                formula.is_none_or(|it| it.holds(&self.formulas, facts, Scope::of(&[])))
            }

            fn has_invariant(&self, invariant: Invariant) -> bool {
                let formula = self.formulas.invariants.get(invariant as usize);
                formula.is_some_and(::core::option::Option::is_some)
            }
        }
    }
}
