//! Formulas as text, for the names of mutants. A rule's parameters have their names; the variables
//! of quantifiers, whose names the table does not keep, are x, y and z.

use turnstile_spec::formula::{Domain, Formula, Signature, Var};
use turnstile_spec::table::{StateId, Vocabulary};

use crate::plain::words;

/// A position inside a formula, with the names of the variables in scope.
#[derive(Clone)]
pub(super) struct Phrase<'v> {
    vocabulary: &'v Vocabulary,
    variables: Vec<String>,
    /// The number of enclosing quantifiers.
    depth: usize,
}

impl<'v> Phrase<'v> {
    /// The outermost position of a rule or invariant.
    pub(super) fn new(vocabulary: &'v Vocabulary, signature: &Signature) -> Self {
        Self { vocabulary, variables: signature.params.clone(), depth: 0 }
    }

    /// The position inside a quantifier.
    pub(super) fn within(&self) -> Self {
        let mut inner = self.clone();
        inner.variables.push(self.next());
        inner.depth += 1;
        inner
    }

    /// The name of the next quantifier's variable.
    fn next(&self) -> String {
        let letters = ["x", "y", "z"];
        letters.get(self.depth).map_or_else(|| format!("x{}", self.depth), |one| (*one).to_owned())
    }

    /// A formula as text.
    pub(super) fn of(&self, formula: &Formula) -> String {
        let formulas = &self.vocabulary.formulas;
        match formula {
            Formula::Is { predicate, args } => {
                format!("{}{}", formulas.predicates[predicate.index()].name.name, self.given(args))
            }
            Formula::Rule { rule, args } => {
                format!("{}{}", formulas.rules[rule.index()].name.name, self.given(args))
            }
            Formula::In { term, states } => {
                format!("{} in {}", self.variable(*term), self.states(states))
            }
            Formula::All(parts) if parts.is_empty() => "true".to_owned(),
            Formula::Any(parts) if parts.is_empty() => "false".to_owned(),
            Formula::All(parts) => self.joined(parts, " and "),
            Formula::Any(parts) => self.joined(parts, " or "),
            Formula::Not(part) => format!("not {}", self.part(part)),
            Formula::Iff(one, other) => format!("{} iff {}", self.part(one), self.part(other)),
            Formula::Every(over, part) => {
                format!("every {}: {}", self.among(over), self.within().of(part))
            }
            Formula::Some(over, part) => {
                format!("some {}: {}", self.among(over), self.within().of(part))
            }
        }
    }

    /// A variable and its domain: `x in ACTIVE, LOST`.
    pub(super) fn among(&self, over: &Domain) -> String {
        let over = match over {
            Domain::States(states) => self.states(states),
            Domain::Collection { collection, args } => {
                let name = &self.vocabulary.formulas.collections[collection.index()].name.name;
                format!("{name}{}", self.given(args))
            }
        };
        format!("{} in {over}", self.next())
    }

    /// The states without one of them, and that one; nothing if there is only one.
    pub(super) fn fewer(&self, states: &[StateId]) -> Vec<(Vec<StateId>, String)> {
        if states.len() < 2 {
            return Vec::new();
        }
        let without = |at: usize| {
            let mut less = states.to_vec();
            let gone = less.remove(at);
            (less, words::state(self.vocabulary, gone).to_owned())
        };
        (0..states.len()).map(without).collect()
    }

    fn states(&self, states: &[StateId]) -> String {
        let names: Vec<&str> =
            states.iter().map(|state| words::state(self.vocabulary, *state)).collect();
        names.join(", ")
    }

    fn given(&self, of: &[Var]) -> String {
        let names: Vec<&str> = of.iter().map(|var| self.variable(*var)).collect();
        if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) }
    }

    fn variable(&self, var: Var) -> &str {
        self.variables.get(usize::from(var.0)).map_or("it", String::as_str)
    }

    fn joined(&self, parts: &[Formula], with: &str) -> String {
        let parts: Vec<String> = parts.iter().map(|part| self.part(part)).collect();
        parts.join(with)
    }

    /// A part, in brackets if it is composite.
    fn part(&self, formula: &Formula) -> String {
        match formula {
            Formula::Is { .. } | Formula::Rule { .. } | Formula::In { .. } | Formula::Not(_) => {
                self.of(formula)
            }
            Formula::All(_)
            | Formula::Any(_)
            | Formula::Iff(..)
            | Formula::Every(..)
            | Formula::Some(..) => format!("({})", self.of(formula)),
        }
    }
}
