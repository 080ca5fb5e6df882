//! Rules and invariants: their names, what is answered for them, and their formulas, as code. Those
//! of a core, and those of who sees the whole system. Emitted only where a table has any.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use turnstile_spec::formula::{Asker, Signature};
use turnstile_spec::table::{Name, Vocabulary};

use crate::document::{ident, snake};
use crate::names::{Variant, named};
use crate::{Extras, Machine};

mod code;
mod names;
mod under;

pub(crate) use code::methods;

/// Whose formulas, and how their types begin.
#[derive(Clone, Copy)]
pub(crate) struct Whose {
    asker: Asker,
    prefix: &'static str,
}

/// Those of a core.
const CORE: Whose = Whose { asker: Asker::Core, prefix: "" };
/// Those of who sees the whole system.
const WHOLE: Whose = Whose { asker: Asker::Whole, prefix: "Whole" };

impl Whose {
    /// `Predicate`, or `WholePredicate`.
    fn name(self, name: &str) -> Ident {
        format_ident!("{}{name}", self.prefix)
    }

    /// Those of a list that can be asked of it.
    fn of(self, list: &[Signature]) -> impl Iterator<Item = &Signature> {
        list.iter().filter(move |one| one.asked.has(self.asker))
    }

    /// Whether a table has any names of it.
    fn has_any(self, words: &Vocabulary) -> bool {
        let of = &words.formulas;
        let lists = [&of.predicates, &of.collections, &of.rules, &of.invariants];
        let has_guards = self.asker == Asker::Core && !of.guards.is_empty();
        has_guards || lists.iter().any(|list| self.of(list).next().is_some())
    }

    /// The type that stands for it.
    fn questions(self, words: &Vocabulary) -> TokenStream {
        match (self.asker, self.has_any(words)) {
            (Asker::Core, _) => quote!(Machine),
            (_, true) => quote!(Whole),
            (_, false) => quote!(::turnstile_machine::Never),
        }
    }
}

/// The names of formulas, and their formulas as code; nothing where the table has none.
pub(crate) fn formulas(machine: &Machine<'_>, extras: Extras) -> TokenStream {
    let words = machine.vocabulary;
    let core = CORE.has_any(words).then(|| {
        let (names, code) = (names::names(words, CORE, extras), code::functions(machine, CORE));
        quote!(#names #code)
    });
    let loops: Vec<Variant> = loops(words).map(|one| Variant::new(&one.name)).collect();
    let loops = (!loops.is_empty())
        .then(|| named("Loop", "What the core lists for a loop of a row.", loops, extras));
    let whole = WHOLE.has_any(words).then(|| {
        let (names, code) = (names::names(words, WHOLE, extras), code::functions(machine, WHOLE));
        let types = questions(words, WHOLE);
        quote! {
            /// What is asked of who sees the whole system.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum Whole {}

            impl ::turnstile_machine::Questions for Whole { #types }

            #names
            #code
        }
    });
    let guards = guards(words, extras);
    quote!(#guards #core #loops #whole)
}

/// What formulas ask of one, as the types of `Questions`.
pub(crate) fn core_questions(words: &Vocabulary) -> TokenStream {
    questions(words, CORE)
}

fn questions(words: &Vocabulary, whose: Whose) -> TokenStream {
    let never = quote!(::turnstile_machine::Never);
    let is_any = whose.has_any(words);
    let [predicate, collection, rule, invariant] = ["Predicate", "Collection", "Rule", "Invariant"]
        .map(|name| match is_any {
            true => {
                let name = whose.name(name);
                quote!(#name)
            }
            false => never.clone(),
        });
    let instance = match is_any && words.formulas.instances.has(whose.asker) {
        true => quote!(State),
        false => never,
    };
    quote! {
        type Predicate = #predicate;
        type Collection = #collection;
        type Rule = #rule;
        type Invariant = #invariant;
        type Instance = #instance;
    }
}

/// The types of a machine that are there for its formulas and loops.
pub(crate) fn types(words: &Vocabulary) -> TokenStream {
    let whole = WHOLE.questions(words);
    let name = match loops(words).next() {
        Some(_) => quote!(Loop),
        None => quote!(::turnstile_machine::Never),
    };
    let open = if words.formulas.guards.is_empty() { "Guard" } else { "OpenGuard" };
    let open = ident(open);
    let subject = match words.formulas.subjects.is_empty() {
        true => quote!(::turnstile_machine::Never),
        false => quote!(Subject),
    };
    quote! {
        type OpenGuard = #open;
        type Subject = #subject;
        type Loop = #name;
        type Whole = #whole;
    }
}

/// The guards that no formula answers, and what those speak of that one does; nothing where the
/// core answers all.
fn guards(words: &Vocabulary, extras: Extras) -> Option<TokenStream> {
    let of = &words.formulas;
    let has_formula = |name: &Name| of.guards.iter().any(|one| one.name.name == name.name);
    let open = words.guards.iter().filter(|name| !has_formula(name)).map(Variant::new).collect();
    let subjects: Vec<Variant> = of.subjects.iter().map(Variant::new).collect();
    let about = "A guard that no formula answers: the core does.";
    let open = (!of.guards.is_empty()).then(|| named("OpenGuard", about, open, extras))?;
    let about = "What the formula of a guard speaks of.";
    let subject = (!subjects.is_empty()).then(|| named("Subject", about, subjects, extras));
    Some(quote!(#open #subject))
}

/// The collections that rows may go through.
fn loops(words: &Vocabulary) -> impl Iterator<Item = &Signature> {
    let all = words.formulas.collections.iter();
    all.filter(|one| one.asked.has(Asker::Row) && one.of.is_empty())
}

/// The fields of a name that speaks of things.
fn fields(one: &Signature) -> Vec<Ident> {
    one.of.iter().map(|word| snake(word)).collect()
}
