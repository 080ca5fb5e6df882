//! Formulas over the nodes of a system of tables, and the look-up of their names.

mod leaf;

use crate::diagnostic::code;
use crate::diagnostic::similarity::nearest;
use crate::diagnostic::{Diagnostic, Span};
use crate::limit;
use crate::raw::{self, Connective, Quantifier};
use crate::system::model;
use crate::system::role_table::RoleTable;
use crate::table::{Relation, ResourceId, StateId, VariableId};
use crate::yaml::Word;

/// A formula over the nodes of a system of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateFormula {
    /// The node is in one of these states.
    In(NodeTerm, Vec<StateId>),
    /// The timer is armed, the request outstanding, the note there.
    Has(NodeTerm, ResourceId),
    /// A comparison of two values.
    Is(Value, Relation, Value),
    /// The process of the node runs, has crashed, or pauses.
    Status(NodeTerm, ProcessStatus),
    /// A message is in flight.
    InFlight(Flight),
    /// Both are the same node.
    Same(NodeTerm, NodeTerm),
    /// Conjunction; true if empty.
    All(Vec<StateFormula>),
    /// Disjunction; false if empty.
    Any(Vec<StateFormula>),
    /// Negation.
    Not(Box<StateFormula>),
    /// Equivalence.
    Iff(Box<StateFormula>, Box<StateFormula>),
    /// For every node of the role; it binds the next variable.
    Every(usize, Box<StateFormula>),
    /// For some node of the role; it binds the next variable.
    Some(usize, Box<StateFormula>),
}

/// The status of a node's process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessStatus {
    /// It runs.
    Up,
    /// It has crashed.
    Down,
    /// It pauses.
    Paused,
}

/// Messages in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flight {
    /// The event, as the receiver's table spells it.
    pub event: String,
    /// The value of the payload, in words; `None`: any.
    pub payload: Option<String>,
    /// The sender; `None`: any.
    pub from: Option<NodeTerm>,
    /// The receiver; `None`: any.
    pub to: Option<NodeTerm>,
}

/// A value in a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(u16),
    /// A variable of a node.
    Variable(NodeTerm, VariableId),
}

/// A node in a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeTerm {
    /// The only node of a role, by the role's position.
    Only(usize),
    /// A variable, counted from the outermost quantifier.
    Variable(usize),
}

impl StateFormula {
    /// Whether it reads messages in flight.
    #[must_use]
    pub fn reads_links(&self) -> bool {
        match self {
            Self::InFlight(_) => true,
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::reads_links),
            Self::Not(part) | Self::Every(_, part) | Self::Some(_, part) => part.reads_links(),
            Self::Iff(one, other) => one.reads_links() || other.reads_links(),
            Self::In(..) | Self::Has(..) | Self::Is(..) | Self::Status(..) | Self::Same(..) => {
                false
            }
        }
    }
}

/// The formulas of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formulas {
    /// The role of whose nodes it is claimed, one by one: each is the first variable of the
    /// formulas.
    pub each: Option<usize>,
    /// The antecedent.
    pub antecedent: StateFormula,
    /// The consequent or the goal.
    pub holds: StateFormula,
}

/// Looks up the names of a property's formulas, and the role of each node of which it is claimed.
pub(super) fn resolve(
    roles: &[RoleTable<'_>],
    claim: &model::Formulas,
    diagnostics: &mut Vec<Diagnostic>,
) -> Formulas {
    let mut resolver = Resolver { roles, scope: Vec::new(), diagnostics };
    let each = claim.each.as_ref().and_then(|word| resolver.bind(word));
    let holds = resolver.formula(&claim.holds);
    let mut found = Vec::new();
    let mut resolver = Resolver { scope: resolver.scope, diagnostics: &mut found, roles };
    let antecedent = claim.antecedent.as_ref();
    let antecedent = antecedent.map_or(TRUE, |formula| resolver.formula(formula));
    // The antecedent of an implication is a part of it, and is reported once.
    found.retain(|one| !diagnostics.contains(one));
    diagnostics.append(&mut found);
    Formulas { each, antecedent, holds }
}

struct Resolver<'a, 'd> {
    roles: &'a [RoleTable<'a>],
    /// The bound variables, each with its role.
    scope: Vec<(String, usize)>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

/// True: in place of a formula that is missing, or that is reported.
const TRUE: StateFormula = StateFormula::All(Vec::new());

impl<'a> Resolver<'a, '_> {
    fn formula(&mut self, given: &raw::Formula) -> StateFormula {
        match given {
            raw::Formula::Leaf(word) => self.leaf(word).unwrap_or(TRUE),
            raw::Formula::Not(part) => negated(self.formula(part)),
            raw::Formula::Of(how, parts, span) => {
                let mut parts: Vec<StateFormula> =
                    parts.iter().map(|part| self.formula(part)).collect();
                match (how, parts.len()) {
                    (Connective::All, _) => StateFormula::All(parts),
                    (Connective::Any, _) => StateFormula::Any(parts),
                    (Connective::Implies, 2) => {
                        parts[0] = negated(parts[0].clone());
                        StateFormula::Any(parts)
                    }
                    (Connective::Iff, 2) => {
                        let (second, first) = (parts.remove(1), parts.remove(0));
                        StateFormula::Iff(Box::new(first), Box::new(second))
                    }
                    (Connective::Implies | Connective::Iff, count) => {
                        let message = format!("expected two formulas, found {count}");
                        self.report(code::INVALID_FORMULA, message, *span, "a list of two", "");
                        TRUE
                    }
                }
            }
            raw::Formula::Quantified(how, word, part) => {
                self.quantified(*how, word, part).unwrap_or(TRUE)
            }
        }
    }

    /// Binds the variable of `one in door`; the position of its role.
    fn bind(&mut self, word: &Word) -> Option<usize> {
        let Some((variable, role)) = word.text.split_once(" in ") else {
            let message = format!("invalid quantifier `{}`", word.text);
            let help = "write `VARIABLE in ROLE`: `some: one in door`";
            self.report(code::INVALID_FORMULA, message, word.span, "` in ` is missing", help);
            return None;
        };
        let (variable, role) = (variable.trim(), role.trim());
        let place = self.role(role, word.span)?;
        let is_known = self.scope.iter().any(|(known, _)| known == variable)
            || self.roles.iter().any(|known| known.role.name == variable);
        if is_known {
            let message = format!("variable `{variable}` is already bound");
            let label = "shadows an outer variable or a role";
            self.report(code::VARIABLE, message, word.span, label, "rename one of them");
            return None;
        }
        if self.scope.len() >= limit::VARIABLES {
            let what = "the formula has too many variables";
            let diagnostic = Diagnostic::limit(word.span, what, "variables", limit::VARIABLES);
            self.diagnostics.push(diagnostic);
            return None;
        }
        self.scope.push((variable.to_owned(), place));
        Some(place)
    }

    fn quantified(
        &mut self,
        how: Quantifier,
        word: &Word,
        part: &raw::Formula,
    ) -> Option<StateFormula> {
        let place = self.bind(word)?;
        let part = self.formula(part);
        self.scope.pop();
        Some(match how {
            Quantifier::Every => StateFormula::Every(place, Box::new(part)),
            Quantifier::Some => StateFormula::Some(place, Box::new(part)),
            Quantifier::None => StateFormula::Every(place, Box::new(negated(part))),
        })
    }

    /// A node, with the position of its role.
    fn node(&mut self, name: &str, span: Span) -> Option<(NodeTerm, usize)> {
        if let Some(at) = self.scope.iter().position(|(known, _)| known == name) {
            return Some((NodeTerm::Variable(at), self.scope[at].1));
        }
        let place = self.role(name, span)?;
        if self.roles[place].is_one {
            return Some((NodeTerm::Only(place), place));
        }
        let message = format!("`{name}` may be several nodes");
        let help = format!("bind a variable: `{{ some: one in {name}, is: one in STATE }}`");
        self.report(code::VARIABLE, message, span, "which one is meant?", &help);
        None
    }

    fn role(&mut self, name: &str, span: Span) -> Option<usize> {
        let place = self.roles.iter().position(|known| known.role.name == name);
        if place.is_none() {
            let known = self.roles.iter().map(|known| known.role.name.as_str());
            let bound = self.scope.iter().map(|(variable, _)| variable.as_str());
            let help = suggestion(name, known.chain(bound), "write a role or a bound variable");
            let message = format!("no role and no variable is called `{name}`");
            self.report(code::UNKNOWN_ROLE, message, span, "unknown", &help);
        }
        place
    }

    fn report(&mut self, code: &'static str, message: String, span: Span, label: &str, help: &str) {
        let diagnostic = Diagnostic::error(code, message).label(span, label);
        self.diagnostics.push(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    }
}

fn negated(formula: StateFormula) -> StateFormula {
    StateFormula::Not(Box::new(formula))
}

pub(super) fn suggestion<'n>(
    name: &str,
    known: impl Iterator<Item = &'n str>,
    otherwise: &str,
) -> String {
    let near = nearest(name, known);
    near.map_or_else(|| otherwise.to_owned(), |near| format!("did you mean `{near}`?"))
}
