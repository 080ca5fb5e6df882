//! The formulas of a table read at run time, as those of a machine: what `chosen!` has beside its
//! rows for a machine with rules, invariants or loops, and leaves out for one without.

/// `Formulae` for a `chosen!` type, and the names of formulas as those of the machine.
macro_rules! formulae {
    (plain, $name:ident, $machine:ident) => {};
    (formulas, $name:ident, $machine:ident) => {
        impl turnstile_machines::$machine::Formulae for $name {
            fn rule(
                &self,
                rule: turnstile_machines::$machine::Rule,
                facts: &impl turnstile_machines::$machine::Facts,
            ) -> bool {
                match self {
                    Self::Compiled => turnstile_machines::$machine::Compiled.rule(rule, facts),
                    Self::Interpreted(table, _) => table.rule(rule, facts),
                }
            }

            fn invariant(
                &self,
                invariant: turnstile_machines::$machine::Invariant,
                facts: &impl turnstile_machines::$machine::Facts,
            ) -> bool {
                match self {
                    Self::Compiled => {
                        turnstile_machines::$machine::Compiled.invariant(invariant, facts)
                    }
                    Self::Interpreted(table, _) => table.invariant(invariant, facts),
                }
            }

            fn has_invariant(&self, invariant: turnstile_machines::$machine::Invariant) -> bool {
                match self {
                    Self::Compiled => {
                        turnstile_machines::$machine::Compiled.has_invariant(invariant)
                    }
                    Self::Interpreted(table, _) => table.has_invariant(invariant),
                }
            }
        }
    };
}
pub(crate) use formulae;

/// An `Interpreted`, with its formulas if the machine has any.
macro_rules! interpreted {
    (plain, $given:tt, { $($field:ident),* }) => {
        Some(Interpreted { $($field),* })
    };
    (formulas, ($replacement:ident, $unknown:ident), { $($field:ident),* }) => {{
        let formulas = formulas(&$replacement.vocabulary, &$replacement.table, $unknown);
        Some(Interpreted { $($field,)* formulas })
    }};
}
pub(crate) use interpreted;

/// A `Do`, with its loop if the machine may have any.
macro_rules! done {
    (plain, ($words:ident, $each:ident, $unknown:ident), { $($field:ident),* }) => {{
        let _ = $each;
        Some(Do { $($field),* })
    }};
    (formulas, ($words:ident, $each:ident, $unknown:ident), { $($field:ident),* }) => {{
        let each = match $each {
            None => None,
            Some(each) => {
                let collection = collection($words, each.collection, $unknown)?;
                Some(Each { collection, number: each.number })
            }
        };
        Some(Do { $($field,)* each })
    }};
}
pub(crate) use done;

/// What reads formulas, inside the module that reads a machine's rows.
macro_rules! readers {
    (plain, $machine:ident) => {};
    (formulas, $machine:ident) => {
        use turnstile_machines::$machine::{
            Among, CollectionKind, Each, Formula, Formulas, Invariant, PredicateKind, RuleKind,
        };
        use turnstile_spec::formula;

        fn formulas(
            words: &Vocabulary,
            given: &table::Table,
            unknown: &mut Unknown,
        ) -> Formulas<'static> {
            let mut rules = vec![None; RuleKind::ALL.len()];
            for (one, stated) in words.formulas.rules.iter().zip(&given.formulas.rules) {
                let Some(stated) = stated else { continue };
                let name = &one.name.name;
                let Some(rule) = unknown.find("rule", name, RuleKind::from_name(name)) else {
                    continue;
                };
                rules[rule as usize] = read(words, &stated.formula, unknown);
            }
            let mut invariants = vec![None; Invariant::ALL.len()];
            let all = words.formulas.invariants.iter().zip(&given.formulas.invariants);
            for (one, stated) in all {
                let Some(stated) = stated else { continue };
                let name = &one.name.name;
                let found = unknown.find("invariant", name, Invariant::from_name(name));
                let Some(invariant) = found else { continue };
                invariants[invariant as usize] = read(words, &stated.formula, unknown);
            }
            Formulas { rules: keep(rules), invariants: keep(invariants) }
        }

        fn collection(
            words: &Vocabulary,
            id: formula::CollectionId,
            unknown: &mut Unknown,
        ) -> Option<CollectionKind> {
            let name = &words.formulas.collections[id.index()].name.name;
            unknown.find("collection", name, CollectionKind::from_name(name))
        }

        fn vars(of: &[formula::Var]) -> &'static [u8] {
            keep(of.iter().map(|var| var.0).collect())
        }

        fn instances(
            words: &Vocabulary,
            ids: &[table::StateId],
            unknown: &mut Unknown,
        ) -> &'static [State] {
            keep(ids.iter().filter_map(|id| state(words, *id, unknown)).collect())
        }

        fn among(
            words: &Vocabulary,
            given: &formula::Among,
            unknown: &mut Unknown,
        ) -> Option<Among<'static>> {
            Some(match given {
                formula::Among::States(ids) => Among::States(instances(words, ids, unknown)),
                formula::Among::Collection { collection: id, of } => {
                    Among::Listed(collection(words, *id, unknown)?, vars(of))
                }
            })
        }

        fn read(
            words: &Vocabulary,
            given: &formula::Formula,
            unknown: &mut Unknown,
        ) -> Option<Formula<'static>> {
            let mut list = |parts: &[formula::Formula]| {
                let parts = parts.iter().map(|part| read(words, part, unknown));
                parts.collect::<Option<Vec<_>>>().map(keep)
            };
            Some(match given {
                formula::Formula::All(parts) => Formula::All(list(parts)?),
                formula::Formula::Any(parts) => Formula::Any(list(parts)?),
                formula::Formula::Is { predicate, of } => {
                    let name = &words.formulas.predicates[predicate.index()].name.name;
                    let found = PredicateKind::from_name(name);
                    Formula::Is(unknown.find("predicate", name, found)?, vars(of))
                }
                formula::Formula::Rule { rule, of } => {
                    let name = &words.formulas.rules[rule.index()].name.name;
                    let found = unknown.find("rule", name, RuleKind::from_name(name));
                    Formula::Rule(found?, vars(of))
                }
                formula::Formula::In { thing, states } => {
                    Formula::In(thing.0, instances(words, states, unknown))
                }
                formula::Formula::Not(part) => Formula::Not(kept(words, part, unknown)?),
                formula::Formula::Iff(a, b) => {
                    Formula::Iff(kept(words, a, unknown)?, kept(words, b, unknown)?)
                }
                formula::Formula::Every(over, part) => {
                    Formula::Every(among(words, over, unknown)?, kept(words, part, unknown)?)
                }
                formula::Formula::Some(over, part) => {
                    Formula::Some(among(words, over, unknown)?, kept(words, part, unknown)?)
                }
            })
        }

        fn kept(
            words: &Vocabulary,
            given: &formula::Formula,
            unknown: &mut Unknown,
        ) -> Option<&'static Formula<'static>> {
            read(words, given, unknown).map(|formula| &*Box::leak(Box::new(formula)))
        }
    };
}
pub(crate) use readers;
