//! The leaves of a formula: states, resources, values, processes and messages in flight.

use crate::cell_index::CellIndex;
use crate::diagnostic::{Span, code};
use crate::read::variables::is_comparable;
use crate::system::role_table::RoleTable;
use crate::table::{PayloadDomain, Relation, ResourceId, StateId, Variable, VariableId};
use crate::yaml::Word;

use super::{Flight, NodeTerm, ProcessStatus, Resolver, StateFormula, Value, suggestion};

/// `write one of: a, b`.
fn one_of<'n>(known: impl Iterator<Item = &'n str>) -> String {
    format!("write one of: {}", known.collect::<Vec<_>>().join(", "))
}

const STATUSES: [(&str, ProcessStatus); 3] =
    [("up", ProcessStatus::Up), ("down", ProcessStatus::Down), ("paused", ProcessStatus::Paused)];

impl<'a> Resolver<'a, '_> {
    /// `car in moving`, `car has dwell timer`, `car.calls >= 2`, `one = other`.
    pub(super) fn leaf(&mut self, word: &Word) -> Option<StateFormula> {
        let text = word.text.as_str();
        if let Some((one, relation, other)) = Relation::split(text) {
            if relation == Relation::Equal && !one.contains('.') && !other.contains('.') {
                let [one, other] = [one, other].map(|name| self.node(name, word.span));
                return Some(StateFormula::Same(one?.0, other?.0));
            }
            return self.comparison((one, relation, other), word.span);
        }
        if let Some((message, ends)) = text.split_once(" in flight")
            && !self.is_state(text)
        {
            return self.in_flight(message.trim(), ends.trim(), word.span);
        }
        if let Some((node, status)) = text.split_once(" is ")
            && let Some((_, status)) = STATUSES.iter().find(|(known, _)| *known == status.trim())
        {
            let (node, _) = self.node(node.trim(), word.span)?;
            return Some(StateFormula::Status(node, *status));
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
        let help = "write `NODE in STATE`, `NODE has RESOURCE`, `NODE.VARIABLE = VALUE`, `NODE = \
                    NODE`, `NODE is up`, `NODE is down`, `NODE is paused` or `EVENT in flight`, \
                    where a node is a role of one node or a bound variable; or `all`, `any`, \
                    `not`, `every`, `some`";
        self.report(code::INVALID_FORMULA, message, word.span, "not a formula", help);
        None
    }

    /// Whether a text is a node and a state of its table, which may be called `in flight`.
    fn is_state(&self, text: &str) -> bool {
        let Some((node, state)) = text.split_once(" in ") else { return false };
        let bound = self.scope.iter().find(|(known, _)| known == node.trim());
        let named = self.roles.iter().position(|role| role.role.name == node.trim());
        let role = bound.map(|(_, role)| *role).or(named);
        let mut states = role.into_iter().flat_map(|role| &self.roles[role].vocabulary.states);
        states.any(|known| known.name == state.trim())
    }

    /// `vote (yes) in flight from one to coordinator`: the message, and what follows `in flight`.
    fn in_flight(&mut self, message: &str, ends: &str, span: Span) -> Option<StateFormula> {
        let (event, payload) = match message.split_once('(') {
            Some((event, payload)) => (event.trim(), payload.trim().strip_suffix(')')),
            None => (message, None),
        };
        let (from, to) = match ends.strip_prefix("to ") {
            Some(to) => (None, Some(to)),
            None => match ends.strip_prefix("from ").map(|ends| ends.split_once(" to ")) {
                Some(Some((from, to))) => (Some(from), Some(to)),
                Some(None) => (ends.strip_prefix("from "), None),
                None => (None, None),
            },
        };
        if payload.is_some() != message.contains('(')
            || !ends.is_empty() && from.is_none() && to.is_none()
        {
            let message = format!("cannot read the formula `{message} in flight {ends}`");
            let help = "write `EVENT in flight`, `EVENT (VALUE) in flight`, and after it, if need \
                        be, `from NODE`, `to NODE` or `from NODE to NODE`";
            self.report(code::INVALID_FORMULA, message, span, "not a formula", help);
            return None;
        }
        self.sent(event, payload, span)?;
        let from = from.map(|name| self.node(name.trim(), span));
        let to = to.map(|name| self.node(name.trim(), span));
        let node = |one: Option<Option<(NodeTerm, usize)>>| match one {
            Some(None) => None,
            Some(Some((node, _))) => Some(Some(node)),
            None => Some(None),
        };
        let (event, payload) = (event.to_owned(), payload.map(str::to_owned));
        let (from, to) = (node(from)?, node(to)?);
        Some(StateFormula::InFlight(Flight { event, payload, from, to }))
    }

    /// Reports an event that no action sends, and a value that no table with it has.
    fn sent(&mut self, event: &str, payload: Option<&str>, span: Span) -> Option<()> {
        let sends = self.roles.iter().flat_map(|role| &role.table.sends);
        let known: Vec<&str> = sends.map(|sends| sends.event.as_str()).collect();
        if !known.contains(&event) {
            let message = format!("no action sends `{event}`");
            let help = suggestion(event, known.into_iter(), "write an event that is sent");
            self.report(code::UNDECLARED_EVENT, message, span, "never in flight", &help);
            return None;
        }
        let Some(value) = payload else { return Some(()) };
        let has = self
            .roles
            .iter()
            .filter_map(|role| role.vocabulary.events[role.event(event)?.index()].payload.as_ref());
        let domains: Vec<&PayloadDomain> = has.map(|payload| &payload.domain).collect();
        if domains.iter().any(|domain| domain.number(value).is_some()) {
            return Some(());
        }
        let message = format!("`{value}` is no value of `{event}`'s payload");
        let help = domains.first().map_or_else(
            || format!("write `{event} in flight`: it has no payload"),
            |domain| format!("write one of: {}", domain.words()),
        );
        self.report(code::INVALID_FORMULA, message, span, "no such value", &help);
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

    /// A state, or several separated by ` or `, in which a node can be between two steps.
    fn states(&mut self, role: usize, text: &str, span: Span) -> Option<Vec<StateId>> {
        let found = self.known_states(role, text, span)?;
        let RoleTable { vocabulary, table, .. } = &self.roles[role];
        let places = CellIndex::new(vocabulary, table);
        if let Some(left) = found.iter().find(|state| places.never_rests(**state)) {
            let name = &vocabulary.states[left.index()].name;
            let message = format!("no node is ever in `{name}`: rows without an event leave it");
            let help = "name the states to which they lead";
            self.report(code::LEFT_AT_ONCE, message, span, "left at once", help);
        }
        Some(found)
    }

    fn known_states(&mut self, role: usize, text: &str, span: Span) -> Option<Vec<StateId>> {
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
                let all = one_of(known.clone());
                let help = suggestion(name, known, &all);
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
            let all = one_of(known.clone());
            let help = suggestion(name, known, &all);
            let machine = &self.roles[role].vocabulary.machine;
            let message = format!("`{machine}` has no resource `{name}`");
            self.report(code::UNDECLARED_RESOURCE, message, span, "no such resource", &help);
        }
        place.and_then(|place| u16::try_from(place).ok()).map(ResourceId)
    }
}
