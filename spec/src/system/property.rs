//! Reads the properties of a system: sentences that compiled predicates check, or formulas.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Span, code};
use crate::raw::{self, Connective, Formula, Quantifier, cite, text, word, words};
use crate::system::model::{Formulas, Property, PropertyKind, TableVersion};
use crate::yaml::{Node, Value};

const KINDS: [(&str, PropertyKind); 5] = [
    ("always", PropertyKind::Always),
    ("never", PropertyKind::Always),
    ("sometimes", PropertyKind::Sometimes),
    ("leads to", PropertyKind::LeadsTo),
    ("can reach", PropertyKind::CanReach),
];

/// A property; `None` if it has not exactly one kind.
pub(super) fn property(
    node: &Node,
    is_of_tables: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Property> {
    let said: Vec<(&str, PropertyKind, &Node)> =
        KINDS.iter().filter_map(|(key, kind)| Some((*key, *kind, node.at(key)?))).collect();
    let [(key, kind, what)] = said[..] else {
        let message = format!(
            "property `{}` needs exactly one of `always`, `never`, `sometimes`, `leads to`, `can \
             reach`",
            text(node, "name")
        );
        let found = if said.is_empty() { "it has none" } else { "it has several" };
        let help = "write one of `always: SENTENCE`, `sometimes: SENTENCE`, `leads to: SENTENCE`, \
                    `can reach: SENTENCE`; in a system of tables, formulas instead of sentences";
        let diagnostic = Diagnostic::error(code::PROPERTY_KIND, message);
        diagnostics.push(diagnostic.label(node.span, found).help(help));
        return None;
    };
    let claim = is_of_tables.then(|| claim(key, what));
    if !is_of_tables && (key == "never" || !matches!(what.value, Value::Scalar(_))) {
        let message = format!("property `{}` is a formula", text(node, "name"));
        let diagnostic = Diagnostic::error(code::PROPERTY_KIND, message)
            .label(what.span, "the cores of this system are compiled in, and so are its predicates")
            .help("write a sentence; formulas are for systems whose roles have a `table`");
        diagnostics.push(diagnostic);
    }
    let sentence = match (&claim, text(node, "about")) {
        (_, about) if !about.is_empty() => about,
        (Some(claim), _) => claim.sentence(kind),
        (None, _) => what.word().text,
    };
    Some(Property {
        name: text(node, "name"),
        kind,
        sentence,
        claim,
        premise: text(node, "premise"),
        only: word(node, "only").map(|word| match word.text.as_str() {
            "as written" => TableVersion::AsWritten,
            _ => TableVersion::Amended,
        }),
        needs: texts(node, "where"),
        without: texts(node, "without"),
        because: text(node, "because"),
        cite: cite(node, "cite"),
        span: word(node, "name").map_or(node.span, |word| word.span),
    })
}

fn claim(key: &str, what: &Node) -> Formulas {
    let formula = |key| what.at(key).map(raw::formula);
    match key {
        "leads to" | "can reach" if what.at("to").is_some() => {
            let each = word(what, "every");
            Formulas { each, antecedent: formula("from"), holds: formula("to").unwrap_or_default() }
        }
        "never" => Formulas {
            each: None,
            antecedent: None,
            holds: Formula::Not(Box::new(raw::formula(what))),
        },
        "always" => {
            let holds = raw::formula(what);
            Formulas { each: None, antecedent: antecedent(&holds), holds }
        }
        _ => Formulas { each: None, antecedent: None, holds: raw::formula(what) },
    }
}

/// What an implication presumes, also one that is claimed of every node: of some node.
fn antecedent(formula: &Formula) -> Option<Formula> {
    match formula {
        Formula::Of(Connective::Implies, parts, _) => parts.first().cloned(),
        Formula::Quantified(Quantifier::Every, word, part) => {
            let part = Box::new(antecedent(part)?);
            Some(Formula::Quantified(Quantifier::Some, word.clone(), part))
        }
        Formula::Leaf(_) | Formula::Of(..) | Formula::Not(_) | Formula::Quantified(..) => None,
    }
}

impl Formulas {
    fn sentence(&self, kind: PropertyKind) -> String {
        let holds = phrase(&self.holds);
        let from = self.antecedent.as_ref().map(phrase).unwrap_or_default();
        let each = self.each.as_ref();
        let each = each.map_or_else(String::new, |each| format!("For every {}: ", each.text));
        match kind {
            PropertyKind::Always => format!("In every reachable state: {holds}."),
            PropertyKind::Sometimes => format!("In some reachable state: {holds}."),
            PropertyKind::LeadsTo if from.is_empty() => format!("Eventually: {holds}."),
            PropertyKind::CanReach if from.is_empty() => {
                format!("From every state, a state is reachable in which {holds}.")
            }
            PropertyKind::LeadsTo => format!("{each}Whenever {from}, eventually {holds}."),
            PropertyKind::CanReach => {
                format!("{each}Whenever {from}, a state is reachable in which {holds}.")
            }
        }
    }
}

/// A formula in words.
fn phrase(formula: &Formula) -> String {
    let parts = |parts: &[Formula], word: &str| {
        let parts: Vec<String> = parts.iter().map(phrase).collect();
        match parts.len() {
            1 => parts.concat(),
            _ => format!("({})", parts.join(word)),
        }
    };
    match formula {
        Formula::Leaf(word) => word.text.clone(),
        Formula::Of(Connective::All, all, _) if all.is_empty() => "true".to_owned(),
        Formula::Of(Connective::All, all, _) => parts(all, " and "),
        Formula::Of(Connective::Any, any, _) => parts(any, " or "),
        Formula::Of(Connective::Implies, both, _) => parts(both, " implies "),
        Formula::Of(Connective::Iff, both, _) => parts(both, " if and only if "),
        Formula::Not(part) => format!("not {}", phrase(part)),
        Formula::Quantified(Quantifier::Every, word, part) => {
            format!("for every {}: {}", word.text, phrase(part))
        }
        Formula::Quantified(Quantifier::Some, word, part) => {
            format!("for some {}: {}", word.text, phrase(part))
        }
        Formula::Quantified(Quantifier::None, word, part) => {
            format!("for no {}: {}", word.text, phrase(part))
        }
    }
}

/// The texts under a key.
fn texts(node: &Node, key: &str) -> Vec<String> {
    words(node, key).unwrap_or_default().into_iter().map(|word| word.text).collect()
}

/// Reports properties of one name.
pub(super) fn twins(properties: &[Property], diagnostics: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<String, Span> = BTreeMap::new();
    for property in properties {
        if let Some(first) = seen.insert(crate::camel(&property.name), property.span) {
            let message = format!("duplicate property name `{}`", property.name);
            let diagnostic = Diagnostic::error(code::DUPLICATE_PROPERTY, message)
                .label(property.span, "duplicate")
                .label(first, "first defined here, with the same Rust identifier")
                .help("rename one of them");
            diagnostics.push(diagnostic);
        }
    }
}
