//! Formulas over the nodes of a system of tables, and the look-up of their names.

use crate::code;
use crate::diagnostic::{Diagnostic, Span};
use crate::limit;
use crate::raw::{self, Connective, Quantifier};
use crate::read::variables::is_comparable;
use crate::similarity::nearest;
use crate::system::composition::{Claim, RoleTable};
use crate::system::property;
use crate::table::{PayloadDomain, Relation, ResourceId, StateId, Variable, VariableId};
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

/// Looks up the names of a property's formulas, and the role of each node of which it is claimed.
pub(super) fn resolve(
    roles: &[RoleTable<'_>],
    claim: &property::Claim,
    diagnostics: &mut Vec<Diagnostic>,
) -> Claim {
    let mut resolver = Resolver { roles, scope: Vec::new(), diagnostics };
    let each = claim.each.as_ref().and_then(|word| resolver.bind(word));
    let antecedent = claim.antecedent.as_ref();
    let antecedent = antecedent.map_or(TRUE, |formula| resolver.formula(formula));
    Claim { each, antecedent, holds: resolver.formula(&claim.holds) }
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

    /// `car in moving`, `car has dwell timer`, `car.calls >= 2`, `one = other`.
    fn leaf(&mut self, word: &Word) -> Option<StateFormula> {
        let text = word.text.as_str();
        if let Some((one, relation, other)) = Relation::split(text) {
            if relation == Relation::Equal && !one.contains('.') && !other.contains('.') {
                let [one, other] = [one, other].map(|name| self.node(name, word.span));
                return Some(StateFormula::Same(one?.0, other?.0));
            }
            return self.comparison((one, relation, other), word.span);
        }
        if let Some((node, states)) = text.split_once(" in ") {
            let (node, role) = self.node(node.trim(), word.span)?;
            return Some(StateFormula::In(node, self.states(role, states.trim(), word.span)?));
        }
        if let Some((node, resource)) = text.split_once(" has ") {
            let (node, role) = self.node(node.trim(), word.span)?;
            return Some(StateFormula::Has(node, self.resource(role, resource.trim(), word.span)?));
        }
        let message = format!("cannot read the formula `{text}`");
        let help = "write `NODE in STATE`, `NODE has RESOURCE`, `NODE.VARIABLE = VALUE` or `NODE = \
                    NODE`, where a node is a role of one node or a bound variable; or `all`, \
                    `any`, `not`, `every`, `some`";
        self.report(code::INVALID_FORMULA, message, word.span, "not a formula", help);
        None
    }

    /// `car.calls >= 2`, `one.turn = other.turn`.
    fn comparison(
        &mut self,
        (one, relation, other): (&str, Relation, &str),
        span: Span,
    ) -> Option<StateFormula> {
        let first = self.variable(one, span)?;
        let second = self.variable(other, span)?;
        let (one, other) = match (first, second) {
            (Some(one), Some(other)) if is_comparable(one.1, other.1) => (one.0, other.0),
            (Some((value, domain)), None) => (value, self.number(domain, other, span)?),
            (None, Some((value, domain))) => (self.number(domain, one, span)?, value),
            (Some(_), Some(_)) | (None, None) => {
                let message = format!("`{one}` and `{other}` cannot be compared");
                let help = "write `NODE.VARIABLE = VALUE`, or two variables of the same values";
                self.report(code::INVALID_VARIABLE, message, span, "not comparable", help);
                return None;
            }
        };
        Some(StateFormula::Is(one, relation, other))
    }

    /// A variable of a node with its domain, `None` inside: a value.
    #[expect(clippy::option_option, reason = "the outer one says whether it is reported")]
    fn variable(&mut self, text: &str, span: Span) -> Option<Option<(Value, &'a PayloadDomain)>> {
        let Some((node, name)) = text.split_once('.') else { return Some(None) };
        let (node, role) = self.node(node, span)?;
        let variables: &'a [Variable] = &self.roles[role].vocabulary.variables;
        let Some(place) = variables.iter().position(|one| one.name.name == name) else {
            let known = variables.iter().map(|one| one.name.name.as_str());
            let help = suggestion(name, known, "declare it under `variables` of its table");
            let machine = &self.roles[role].vocabulary.machine;
            let message = format!("`{machine}` has no variable `{name}`");
            self.report(code::INVALID_VARIABLE, message, span, "no such variable", &help);
            return None;
        };
        let id = VariableId(u16::try_from(place).ok()?);
        Some(Some((Value::Variable(node, id), &variables[place].domain)))
    }

    fn number(&mut self, domain: &PayloadDomain, text: &str, span: Span) -> Option<Value> {
        let number = domain.number(text);
        if number.is_none() {
            let message = format!("`{text}` is no value of the variable");
            let help = format!("write one of: {}", domain.words());
            self.report(code::INVALID_VARIABLE, message, span, "no such value", &help);
        }
        number.map(Value::Number)
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

    /// A state, or several separated by ` or `.
    fn states(&mut self, role: usize, text: &str, span: Span) -> Option<Vec<StateId>> {
        let states = &self.roles[role].vocabulary.states;
        let find = |name: &str| {
            let place = states.iter().position(|state| state.name == name)?;
            u16::try_from(place).ok().map(StateId)
        };
        if let Some(state) = find(text) {
            return Some(vec![state]);
        }
        let mut found = Vec::new();
        for name in text.split(" or ").map(str::trim) {
            let Some(state) = find(name) else {
                let known = states.iter().map(|state| state.name.as_str());
                let help = suggestion(name, known, "write a state of the role's table");
                let message =
                    format!("`{}` has no state `{name}`", self.roles[role].vocabulary.machine);
                self.report(code::UNDECLARED_STATE, message, span, "no such state", &help);
                return None;
            };
            found.push(state);
        }
        Some(found)
    }

    fn resource(&mut self, role: usize, name: &str, span: Span) -> Option<ResourceId> {
        let resources = &self.roles[role].vocabulary.resources;
        let place = resources.iter().position(|one| one.name.name == name);
        if place.is_none() {
            let known = resources.iter().map(|one| one.name.name.as_str());
            let help = suggestion(name, known, "write a timer, request or note of its table");
            let machine = &self.roles[role].vocabulary.machine;
            let message = format!("`{machine}` has no resource `{name}`");
            self.report(code::UNDECLARED_RESOURCE, message, span, "no such resource", &help);
        }
        place.and_then(|place| u16::try_from(place).ok()).map(ResourceId)
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
