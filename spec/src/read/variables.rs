//! Looks up variables: what actions do to them, and the guards that compare them. The build omits
//! what cannot be resolved; a lint reports it.

use crate::diagnostic::similarity::nearest;
use crate::diagnostic::{Diagnostic, Span, code};
use crate::event::{PayloadDomain, Sends};
use crate::raw::{self, Connective};
use crate::read::draft::Lookup;
use crate::read::pattern;
use crate::table::{ActionId, Name, Vocabulary};
use crate::variable::{Comparison, Operand, Relation, Update, VariableChange, VariableId};
use crate::yaml::Word;

/// The word for the payload of the event in comparisons and assignments.
pub(crate) const PAYLOAD: &str = "payload";

/// The messages that the actions of a draft send.
pub(crate) fn sends(lookup: &Lookup<'_>) -> Vec<Sends> {
    let actions = &lookup.draft.parts.actions;
    let sent = actions.iter().filter_map(|(name, action)| {
        let (sent, action) = (action.sends.as_ref()?, lookup.action(&name.text)?);
        let (event, payload) = pattern::split(&sent.text);
        let (event, payload) = (event.to_owned(), payload.map(str::to_owned));
        Some(Sends { action, event, payload, span: sent.span })
    });
    sent.collect()
}

/// The changes that the actions of a draft make.
pub(crate) fn updates(lookup: &Lookup<'_>, faults: &mut Vec<Diagnostic>) -> Vec<Update> {
    let mut updates = Vec::new();
    for (name, action) in &lookup.draft.parts.actions {
        let Some(id) = lookup.action(&name.text) else { continue };
        let mut resolver = Resolver { vocabulary: lookup.vocabulary, faults: &mut *faults };
        updates.extend(resolver.action(id, action));
    }
    updates
}

/// The guards of a draft that compare variables, by the guard's position.
pub(crate) fn comparisons(
    lookup: &Lookup<'_>,
    faults: &mut Vec<Diagnostic>,
) -> Vec<Option<Comparison>> {
    let mut comparisons = vec![None; lookup.vocabulary.guards.len()];
    for (name, rule) in &lookup.draft.parts.guard_comparisons {
        let mut resolver = Resolver { vocabulary: lookup.vocabulary, faults: &mut *faults };
        let comparison = resolver.comparison(&rule.is);
        if let Some(guard) = lookup.guard(&name.text) {
            comparisons[guard.index()] = comparison;
        }
    }
    comparisons
}

struct Resolver<'a> {
    vocabulary: &'a Vocabulary,
    faults: &'a mut Vec<Diagnostic>,
}

impl Resolver<'_> {
    fn action(&mut self, action: ActionId, given: &raw::Action) -> Vec<Update> {
        let mut updates = Vec::new();
        let raw::Action { sets, adds, clears, .. } = given;
        for (variable, value) in sets.iter().flatten() {
            let Some(id) = self.variable(variable) else { continue };
            if let Some(operand) = self.operand(value, value.span, Some(id)) {
                updates.push(Update { action, variable: id, change: VariableChange::Set(operand) });
            }
        }
        for (variable, value) in adds.iter().flatten() {
            let Some(id) = self.variable(variable) else { continue };
            let is_number = matches!(self.domain(id), PayloadDomain::Number(_));
            match value.text.parse::<i32>() {
                Ok(number) if is_number => {
                    updates.push(Update {
                        action,
                        variable: id,
                        change: VariableChange::Add(number),
                    });
                }
                Ok(_) => {
                    let message = format!("`{}` is not a number", variable.text);
                    self.report(message, variable.span, "write `sets` for it");
                }
                Err(_) => {
                    let message = format!("`{}` cannot be added", value.text);
                    self.report(message, value.span, "write a whole number: 1 or -1");
                }
            }
        }
        for variable in clears.iter().flatten() {
            let Some(id) = self.variable(variable) else { continue };
            let initial = Operand::Number(self.vocabulary.variables[id.index()].initial);
            updates.push(Update { action, variable: id, change: VariableChange::Set(initial) });
        }
        updates
    }

    fn comparison(&mut self, given: &raw::Formula) -> Option<Comparison> {
        Some(match given {
            raw::Formula::Leaf(word) => self.leaf(word)?,
            raw::Formula::Not(part) => Comparison::Not(Box::new(self.comparison(part)?)),
            raw::Formula::Of(how, parts, span) => {
                let mut parts: Vec<Comparison> =
                    parts.iter().filter_map(|part| self.comparison(part)).collect();
                match (how, parts.len()) {
                    (Connective::All, _) => Comparison::All(parts),
                    (Connective::Any, _) => Comparison::Any(parts),
                    (Connective::Implies, 2) => {
                        let first = Comparison::Not(Box::new(parts.remove(0)));
                        parts.insert(0, first);
                        Comparison::Any(parts)
                    }
                    (Connective::Implies | Connective::Iff, _) => {
                        let message = "a guard over variables is made of `all`, `any`, `not` and \
                                       `implies` with two parts"
                            .to_owned();
                        self.report(message, *span, "write it with these");
                        return None;
                    }
                }
            }
            raw::Formula::Quantified(_, word, _) => {
                let message = "a guard over variables has no quantifier".to_owned();
                self.report(message, word.span, "compare variables, the payload and values");
                return None;
            }
        })
    }

    /// `votes >= 2`.
    fn leaf(&mut self, word: &Word) -> Option<Comparison> {
        let Some((one, relation, other)) = Relation::split(&word.text) else {
            let message = format!("`{}` compares nothing", word.text);
            self.report(message, word.span, &help_on_sign(&word.text));
            return None;
        };
        let id = |name: &str| self.find(name);
        let (of_one, of_other) = (id(one), id(other));
        if let Some(value) =
            [(one, other), (other, one)].into_iter().find_map(|(payload, value)| {
                let is_value = value != PAYLOAD && value.parse::<u16>().is_err();
                (payload == PAYLOAD && is_value && id(value).is_none()).then_some(value)
            })
        {
            let message = format!("`{value}` is neither a number nor a variable");
            let help = format!("match a value of the payload in the row: `event: EVENT ({value})`");
            self.report(message, word.span, &help);
            return None;
        }
        let text = |text: &str| Word { text: text.to_owned(), span: word.span };
        let one = self.operand(&text(one), word.span, of_other)?;
        let other = self.operand(&text(other), word.span, of_one)?;
        if let (Operand::Number(_), Operand::Number(_)) = (one, other) {
            let message = format!("`{}` names no variable", word.text);
            self.report(message, word.span, "name a variable, or `payload`");
            return None;
        }
        Some(Comparison::Is(one, relation, other))
    }

    fn find(&self, name: &str) -> Option<VariableId> {
        let variables = &self.vocabulary.variables;
        let place = variables.iter().position(|one| one.name.name == name)?;
        u16::try_from(place).ok().map(VariableId)
    }

    fn domain(&self, id: VariableId) -> &PayloadDomain {
        &self.vocabulary.variables[id.index()].domain
    }

    fn variable(&mut self, word: &Word) -> Option<VariableId> {
        let found = self.find(&word.text);
        if found.is_none() {
            let known = self.vocabulary.variables.iter().map(|one| one.name.name.as_str());
            let help = match nearest(&word.text, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "declare it under `variables`".to_owned(),
            };
            self.report(format!("variable `{}` is not declared", word.text), word.span, &help);
        }
        found
    }

    /// `payload`, a variable, or a value of the variable that it is compared with or assigned to.
    fn operand(&mut self, word: &Word, span: Span, to: Option<VariableId>) -> Option<Operand> {
        let text = word.text.as_str();
        if text == PAYLOAD {
            return Some(Operand::Payload);
        }
        if let Some(number) = to.and_then(|to| self.domain(to).number(text)) {
            return Some(Operand::Number(number));
        }
        if let Some(id) = self.find(text) {
            let is_same = to.is_none_or(|to| is_comparable(self.domain(to), self.domain(id)));
            if is_same {
                return Some(Operand::Variable(id));
            }
            let message = format!("`{text}` has other values than the variable beside it");
            self.report(message, span, "give both the same values");
            return None;
        }
        let Some(to) = to else {
            if let Ok(number) = text.parse() {
                return Some(Operand::Number(number));
            }
            self.variable(word);
            return None;
        };
        let values = self.domain(to).words();
        let name = &self.vocabulary.variables[to.index()].name.name;
        let message = format!("`{text}` is no value of the variable `{name}`");
        self.report(message, span, &format!("write one of: {values}; or `{PAYLOAD}`"));
        None
    }

    fn report(&mut self, message: String, span: Span, help: &str) {
        let diagnostic = Diagnostic::finding(code::INVALID_VARIABLE, message);
        self.faults.push(diagnostic.label(span, "here").help(help));
    }
}

/// What to write instead of a text that compares nothing.
fn help_on_sign(text: &str) -> String {
    if let Some((one, other)) = text.split_once("==") {
        return format!("equality is written `=`: `{} = {}`", one.trim(), other.trim());
    }
    let bare = Relation::SIGNS.iter().find_map(|(sign, _)| {
        let (one, other) = text.split_once(sign)?;
        let is_name = |part: &str| !part.trim().is_empty() && !Relation::is_in(part);
        (is_name(one) && is_name(other)).then(|| (one.trim(), *sign, other.trim()))
    });
    match bare {
        Some((one, sign, other)) => {
            format!("put a space on either side of `{sign}`: `{one} {sign} {other}`")
        }
        None => "write `VARIABLE = VALUE`, with `!=`, `<`, `<=`, `>`, `>=`, or `payload`; a guard \
                 over variables uses no predicate"
            .to_owned(),
    }
}

/// Whether the numbers of two domains mean the same.
pub(crate) fn is_comparable(one: &PayloadDomain, other: &PayloadDomain) -> bool {
    match (one, other) {
        (PayloadDomain::Number(_), PayloadDomain::Number(_))
        | (PayloadDomain::Bool, PayloadDomain::Bool) => true,
        (PayloadDomain::Words(one), PayloadDomain::Words(other)) => {
            let names = |words: &[Name]| -> Vec<String> {
                words.iter().map(|word| word.name.clone()).collect()
            };
            names(one) == names(other)
        }
        (_, _) => false,
    }
}
