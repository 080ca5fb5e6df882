//! What a file or an amendment declares, section by section.

use super::about::{About, guard};
use super::declared::{
    Action, Event, Resource, State, StateSet, action, event, resource, set, state,
};
use super::formula::{Rule, SymbolDecl, asked, of_guard, rule};
use super::node::{Named, list, named};
use super::row::{Cell, Row, cell, row};
use super::variable::{Variable, is_comparison, variable};
use crate::table::CellKind;
use crate::yaml::{Node, Word};

/// A declaration: its section, its name and its common keys.
pub(crate) struct Declaration<'p> {
    pub(crate) section: &'static str,
    pub(crate) word: &'p Word,
    pub(crate) about: &'p About,
}

/// The sections of declarations, in the order of [`Sections::declared`].
pub(crate) const SECTIONS: [&str; 11] = [
    "states",
    "sets",
    "events",
    "actions",
    "resources",
    "guards",
    "predicates",
    "collections",
    "rules",
    "invariants",
    "variables",
];

/// The names of a list.
pub(crate) fn keys<T>(named: &[(Word, T)]) -> Vec<&str> {
    named.iter().map(|(word, _)| word.text.as_str()).collect()
}

/// What a table declares, and what an amendment adds.
#[derive(Clone, Default)]
pub(crate) struct Sections {
    pub(crate) states: Named<State>,
    pub(crate) sets: Named<StateSet>,
    pub(crate) events: Named<Event>,
    pub(crate) actions: Named<Action>,
    pub(crate) resources: Named<Resource>,
    pub(crate) guards: Named<About>,
    /// The formulas of those guards that have one.
    pub(crate) guard_formulas: Named<Rule>,
    /// The formulas of those guards that compare variables.
    pub(crate) guard_comparisons: Named<Rule>,
    pub(crate) variables: Named<Variable>,
    pub(crate) predicates: Named<SymbolDecl>,
    pub(crate) collections: Named<SymbolDecl>,
    pub(crate) rules: Named<Rule>,
    pub(crate) invariants: Named<Rule>,
    pub(crate) rows: Vec<Row>,
    pub(crate) ignore: Vec<Cell>,
    pub(crate) impossible: Vec<Cell>,
    pub(crate) unspecified: Vec<Cell>,
}

impl Sections {
    /// Every list of resources: what states hold, events consume, actions handle and general words
    /// stand for.
    pub(crate) fn resource_lists(&self) -> Vec<&[Word]> {
        let mut lists: Vec<&Option<Vec<Word>>> = Vec::new();
        for (_, state) in &self.states {
            lists.extend([&state.holds, &state.may_hold]);
        }
        lists.extend(self.events.iter().map(|(_, event)| &event.consumes));
        self.actions.iter().for_each(|(_, action)| lists.extend(action.resources()));
        lists.extend(self.resources.iter().map(|(_, resource)| &resource.any_of));
        lists.into_iter().filter_map(Option::as_deref).collect()
    }

    /// Every declaration, a section after the other.
    pub(crate) fn declared(&self) -> Vec<Declaration<'_>> {
        fn each<'p, T>(
            all: &mut Vec<Declaration<'p>>,
            section: &'static str,
            named: &'p Named<T>,
            about: fn(&T) -> &About,
        ) {
            for (word, one) in named {
                all.push(Declaration { section, word, about: about(one) });
            }
        }
        let mut all = Vec::new();
        each(&mut all, "states", &self.states, |state| &state.about);
        each(&mut all, "sets", &self.sets, |set| &set.about);
        each(&mut all, "events", &self.events, |event| &event.about);
        each(&mut all, "actions", &self.actions, |action| &action.about);
        each(&mut all, "resources", &self.resources, |resource| &resource.about);
        each(&mut all, "guards", &self.guards, |guard| guard);
        each(&mut all, "predicates", &self.predicates, |one| &one.about);
        each(&mut all, "collections", &self.collections, |one| &one.about);
        each(&mut all, "rules", &self.rules, |rule| &rule.about);
        each(&mut all, "invariants", &self.invariants, |rule| &rule.about);
        each(&mut all, "variables", &self.variables, |variable| &variable.about);
        all
    }

    /// What a declaration says of a set or a state; what it is about, of others.
    pub(crate) fn stated(&self, one: &Declaration<'_>) -> String {
        let (section, name) = (one.section, &one.word.text);
        let join = |words: &[Word]| {
            let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            texts.join(", ")
        };
        if section == "sets" {
            let set = self.sets.iter().find(|(word, _)| word.text == *name);
            return set.map_or_else(String::new, |(_, set)| join(&set.states));
        }
        let mut states = self.states.iter().filter(|_| section == "states");
        let Some((_, state)) = states.find(|(word, _)| word.text == *name) else {
            return one.about.about.clone();
        };
        let lists = [
            ("holds", &state.holds),
            ("may hold", &state.may_hold),
            ("entry", &state.entry),
            ("exit", &state.exit),
        ];
        let lists = lists.into_iter().filter_map(|(key, words)| {
            let words = words.as_deref()?;
            let none = "nothing".to_owned();
            Some(format!("{key} {}", if words.is_empty() { none } else { join(words) }))
        });
        let flags =
            [("initial", state.initial), ("final", state.is_final), ("may end", state.may_end)];
        let flags = flags.into_iter().filter_map(|(key, flag)| {
            Some(if flag? { key.to_owned() } else { format!("not {key}") })
        });
        lists.chain(flags).collect::<Vec<_>>().join("; ")
    }

    /// The sections of cells without a row.
    pub(crate) fn cell_sections(&self) -> [(&'static str, CellKind, &[Cell]); 3] {
        [
            ("ignore", CellKind::Ignore, &self.ignore),
            ("impossible", CellKind::Impossible, &self.impossible),
            ("unspecified", CellKind::Unspecified, &self.unspecified),
        ]
    }

    /// Every entry of these sections.
    pub(crate) fn cells(&self) -> Vec<&Cell> {
        self.cell_sections().into_iter().flat_map(|(.., cells)| cells).collect()
    }

    /// Every rule, then every invariant, then the formula of every guard.
    pub(crate) fn all_rules(&self) -> Vec<&(Word, Rule)> {
        self.rules.iter().chain(&self.invariants).chain(&self.guard_formulas).collect()
    }

    /// The names of states and sets.
    pub(crate) fn places(&self) -> Vec<&str> {
        [keys(&self.states), keys(&self.sets)].concat()
    }

    /// The names of what formulas ask: predicates, collections and rules.
    pub(crate) fn asked(&self) -> Vec<&str> {
        [keys(&self.predicates), keys(&self.collections), keys(&self.rules)].concat()
    }

    /// Every name that is declared, but for those of invariants and variables.
    pub(crate) fn names(&self) -> Vec<&str> {
        let own = [keys(&self.events), keys(&self.actions), keys(&self.resources)].concat();
        [self.places(), own, keys(&self.guards), self.asked()].concat()
    }

    /// Whether it declares nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.cells().is_empty() && self.declared().is_empty()
    }
}

/// The declarations, rows and cells of a file or of an amendment's `add` and `change`.
pub(super) fn parts(node: &Node) -> Sections {
    Sections {
        states: named(node, "states", state),
        sets: named(node, "sets", set),
        events: named(node, "events", event),
        actions: named(node, "actions", action),
        resources: named(node, "resources", resource),
        guards: named(node, "guards", guard),
        guard_formulas: guard_formulas(node, false),
        guard_comparisons: guard_formulas(node, true),
        variables: named(node, "variables", variable),
        predicates: named(node, "predicates", asked),
        collections: named(node, "collections", asked),
        rules: named(node, "rules", rule),
        invariants: named(node, "invariants", rule),
        rows: list(node, "transitions", row),
        ignore: list(node, "ignore", cell),
        impossible: list(node, "impossible", cell),
        unspecified: list(node, "unspecified", cell),
    }
}

/// The guards that are formulas: those that compare variables, or the others.
fn guard_formulas(node: &Node, compare: bool) -> Named<Rule> {
    let guards = node.at("guards").map(Node::entries).unwrap_or_default();
    let of_formulas = guards.iter().filter(|(_, guard)| guard.at("is").is_some());
    let rules = of_formulas.map(|(name, guard)| (name.clone(), of_guard(guard)));
    rules.filter(|(_, rule)| is_comparison(&rule.is) == compare).collect()
}
