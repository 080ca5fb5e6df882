//! The evaluators of formulas, and what the symbols of each are called.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use turnstile_spec::formula::{Evaluator, Signature};
use turnstile_spec::table::Vocabulary;

use crate::text::document::snake;

/// An evaluator, and the prefix of the types of its symbols.
#[derive(Clone, Copy)]
pub(crate) struct EvaluatorNames {
    pub(crate) evaluator: Evaluator,
    prefix: &'static str,
}

/// The formulas of the core.
pub(crate) const CORE: EvaluatorNames = EvaluatorNames { evaluator: Evaluator::Core, prefix: "" };
/// The formulas of the checker.
pub(crate) const WHOLE: EvaluatorNames =
    EvaluatorNames { evaluator: Evaluator::Whole, prefix: "Whole" };

impl EvaluatorNames {
    /// `Predicate`, or `WholePredicate`.
    pub(crate) fn name(self, name: &str) -> Ident {
        format_ident!("{}{name}", self.prefix)
    }

    /// The symbols of a list that this evaluator can compute.
    pub(crate) fn of(self, list: &[Signature]) -> impl Iterator<Item = &Signature> {
        list.iter().filter(move |one| one.evaluators.has(self.evaluator))
    }

    /// Whether a table has symbols of this evaluator.
    pub(crate) fn has_any(self, words: &Vocabulary) -> bool {
        let of = &words.formulas;
        let lists = [&of.predicates, &of.collections, &of.rules, &of.invariants];
        let has_guards = self.evaluator == Evaluator::Core && !of.guards.is_empty();
        has_guards || lists.iter().any(|list| self.of(list).next().is_some())
    }

    /// The type that implements `Signature` for it.
    pub(crate) fn signature(self, words: &Vocabulary) -> TokenStream {
        match (self.evaluator, self.has_any(words)) {
            (Evaluator::Core, _) => quote!(Machine),
            (_, true) => quote!(Whole),
            (_, false) => quote!(::turnstile_machine::Never),
        }
    }
}

/// The fields of a variant: its parameters.
pub(crate) fn fields(one: &Signature) -> Vec<Ident> {
    one.params.iter().map(|word| snake(word)).collect()
}
