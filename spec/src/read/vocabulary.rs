//! Collects all names of a file, first those of the table as written, then those of amendments,
//! each with its Rust identifier. The lints check them.

use std::collections::BTreeMap;

use crate::camel::camel;
use crate::diagnostic::Span;
use crate::formula::{Evaluator, Evaluators, Signature, Symbols};
use crate::raw::{self, Sections, call};
use crate::read::asked::{self, evaluators};
use crate::read::draft::{Draft, Lookup};
use crate::read::pattern;
use crate::table::{
    ActionId, COMPLETION, Event, EventId, EventKind, Name, Payload, PayloadDomain, Resource,
    ResourceId, ResourceKind, Variable, Vocabulary,
};
use crate::vec_map::VecSet;
use crate::yaml::Word;

/// Collects the names; rows are added by [`super::rows`].
pub(crate) fn collect(raw: &raw::Table) -> Vocabulary {
    let mut sources = vec![&raw.parts];
    sources.extend(raw.amendments.iter().map(|amendment| &amendment.add));
    let mut vocabulary = Vocabulary { machine: raw.machine.text.clone(), ..Vocabulary::default() };
    for parts in &sources {
        declare(parts, &mut vocabulary);
    }
    let mut sets = VecSet::default();
    for parts in &sources {
        sets.add_all(parts.sets.iter().map(|(word, _)| word.text.as_str()));
    }
    for parts in &sources {
        mention(parts, &sets, &mut vocabulary);
    }
    for amendment in &raw.amendments {
        mention(&amendment.change, &sets, &mut vocabulary);
        for change in &amendment.rows {
            let set = &change.set;
            let raw::Actions { words: actions, branches, loops, faulty } =
                set.actions.clone().unwrap_or_default();
            let row = raw::Row {
                from: set.from.clone().unwrap_or_default(),
                to: set.to.clone().unwrap_or_default(),
                event: set.event.clone().unwrap_or_default(),
                condition: set.condition.clone(),
                actions,
                branches,
                loops,
                faulty,
                ..raw::Row::default()
            };
            mention_row(&row, &sets, &mut vocabulary);
        }
    }
    vocabulary.formulas.instances =
        evaluators(raw.instances.as_deref()).unwrap_or(Evaluators::CORE);
    let changed = raw.amendments.iter().map(|amendment| &amendment.change);
    let stated: Vec<&Sections> = sources.iter().copied().chain(changed).collect();
    asked::note(&stated, &mut vocabulary.formulas);
    subjects(&stated, &mut vocabulary);
    causes(&sources, &mut vocabulary);
    tells(&sources, &mut vocabulary);
    spell(&mut vocabulary);
    vocabulary
}

/// Sets the resources that may cause each event: those of `consumes`, generic names expanded.
fn causes(sources: &[&Sections], vocabulary: &mut Vocabulary) {
    let mut parts = Sections::default();
    let mut events: Vec<&(Word, raw::Event)> = Vec::new();
    for source in sources {
        parts.resources.extend_from_slice(&source.resources);
        events.extend(&source.events);
    }
    let draft = Draft { parts, ..Draft::default() };
    let lookup = Lookup::new(vocabulary, &draft);
    let mut all: Vec<Vec<ResourceId>> = Vec::new();
    for event in &vocabulary.events {
        let declared = events.iter().find(|(word, _)| word.text == event.name.name);
        let words = declared.and_then(|(_, event)| event.consumes.as_deref());
        let mut causes = VecSet::default();
        for word in words.unwrap_or_default() {
            match lookup.general(&word.text) {
                Some(ids) => causes.add_all(ids.iter().copied()),
                None => causes.add_all(lookup.resource(&word.text)),
            }
        }
        all.push(causes.into_keys());
    }
    for (event, causes) in vocabulary.events.iter_mut().zip(all) {
        event.consumes = causes;
    }
}

fn declare(parts: &Sections, vocabulary: &mut Vocabulary) {
    for (word, state) in &parts.states {
        let mut name = Name { declared: !state.undeclared, ..name(word, &state.about) };
        if let Some(why) = &state.invented {
            // Readers of the documentation must see that the document does not name the state.
            let prose = [name.about.as_str(), "not in the document: "];
            let first = usize::from(name.about.is_empty());
            name.about = prose[first..].join("; ") + &why.text;
        }
        add(&mut vocabulary.states, name, |name| name);
    }
    for (word, event) in &parts.events {
        let event = Event {
            name: name(word, &event.about),
            payload: payload(event),
            kind: kind(event),
            consumes: Vec::new(),
        };
        add(&mut vocabulary.events, event, |event| &event.name);
    }
    for (word, action) in &parts.actions {
        add(&mut vocabulary.actions, name(word, &action.about), |name| name);
    }
    for (word, resource) in parts.resources.iter().filter(|(_, r)| r.any_of.is_none()) {
        let name = name(word, &resource.about);
        let kind = resource_kind(resource.kind.as_ref().map_or("", |kind| &kind.text));
        add(&mut vocabulary.resources, Resource { name, kind }, |resource| &resource.name);
    }
    for (word, guard) in &parts.guards {
        add(&mut vocabulary.guards, name(word, guard), |name| name);
    }
    for (word, variable) in &parts.variables {
        // Values that cannot be read are reported by a lint.
        let Some(domain) = domain(variable.is_words, &variable.values) else { continue };
        let initial = variable.initial.as_ref().and_then(|word| domain.number(&word.text));
        let initial = initial.unwrap_or(domain.bounds().0);
        let variable = Variable { name: name(word, &variable.about), domain, initial };
        add(&mut vocabulary.variables, variable, |variable| &variable.name);
    }
    formulas(parts, &mut vocabulary.formulas);
}

fn formulas(parts: &Sections, words: &mut Symbols) {
    fn each(
        list: &mut Vec<Signature>,
        given: (&Word, &raw::About),
        of: &[Word],
        asked: Evaluators,
    ) {
        let of = of.iter().map(|word| word.text.clone()).collect();
        add(
            list,
            Signature { name: name(given.0, given.1), params: of, evaluators: asked },
            |one| &one.name,
        );
    }
    let Symbols { predicates, collections, rules, invariants, guards, .. } = words;
    for (word, one) in &parts.predicates {
        let asked = evaluators(one.asked.as_deref()).unwrap_or(Evaluators::CORE);
        each(predicates, (word, &one.about), &one.of, asked);
    }
    for (word, one) in &parts.collections {
        let usual = if one.of.is_empty() {
            Evaluators::of(&[Evaluator::Core, Evaluator::Row])
        } else {
            Evaluators::CORE
        };
        let asked = evaluators(one.asked.as_deref()).unwrap_or(usual);
        each(collections, (word, &one.about), &one.of, asked);
    }
    for (list, given) in
        [(rules, &parts.rules), (invariants, &parts.invariants), (guards, &parts.guard_formulas)]
    {
        given.iter().for_each(|(word, one)| {
            each(list, (word, &one.about), &one.of, Evaluators::OF_FORMULAS);
        });
    }
}

/// Collects the parameters of guards' formulas: those under `of`, and arguments with the name of
/// the parameter that they are passed to.
fn subjects(sources: &[&Sections], vocabulary: &mut Vocabulary) {
    for (name, rule) in sources.iter().flat_map(|parts| &parts.guard_formulas) {
        let given = given(&vocabulary.formulas, &rule.is);
        let mut guards = vocabulary.formulas.guards.iter_mut();
        let Some(guard) = guards.find(|one| one.name.name == name.text) else { continue };
        for word in rule.of.iter().map(|word| word.text.clone()).chain(given) {
            let name = Name { name: word, ..used(name) };
            if !guard.params.contains(&name.name) {
                guard.params.push(name.name.clone());
            }
            add(&mut vocabulary.formulas.subjects, name, |name| name);
        }
    }
}

/// The arguments of a formula with the name of the parameter that they are passed to, except for
/// bound variables.
fn given(words: &Symbols, formula: &raw::Formula) -> Vec<String> {
    let [leaves, quantified] = formula.leaves_and_lists();
    let bound = |name: &str| {
        let mut variables = quantified.iter().filter_map(|word| word.text.split_once(" in "));
        variables.any(|(one, _)| one.trim() == name)
    };
    let lists = [&words.predicates, &words.collections, &words.rules];
    let mut given = Vec::new();
    for word in leaves.iter().chain(&quantified) {
        let asked = word.text.rsplit(" in ").next().unwrap_or_default();
        for (head, arguments) in [call(&word.text), call(asked)] {
            let known = lists.iter().flat_map(|list| list.iter());
            let Some(known) = known.into_iter().find(|one| one.name.name == head) else { continue };
            for (argument, parameter) in arguments.iter().zip(&known.params) {
                if argument == parameter && !bound(argument) {
                    given.push(parameter.clone());
                }
            }
        }
    }
    given
}

/// Sets the events that actions send to other instances.
fn tells(sources: &[&Sections], vocabulary: &mut Vocabulary) {
    let mut tells = Vec::new();
    for (word, action) in sources.iter().flat_map(|parts| &parts.actions) {
        let Some(told) = &action.tells else { continue };
        let by = vocabulary.actions.iter().position(|name| name.name == word.text);
        let event = vocabulary.events.iter().position(|event| event.name.name == told.text);
        if let (Some(by), Some(event)) = (by.and_then(index), event.and_then(index)) {
            tells.push((ActionId(by), EventId(event)));
        }
    }
    vocabulary.tells = tells;
}

fn index(at: usize) -> Option<u16> {
    u16::try_from(at).ok()
}

/// Adds names that are used but not declared, except for sets and generic names.
fn mention(parts: &Sections, sets: &VecSet<&str>, vocabulary: &mut Vocabulary) {
    for row in &parts.rows {
        mention_row(row, sets, vocabulary);
    }
}

fn mention_row(row: &raw::Row, sets: &VecSet<&str>, vocabulary: &mut Vocabulary) {
    let states = row.from.iter().chain([&row.to]);
    for word in states.filter(|word| !word.text.is_empty()) {
        let reserved = ["any", "same"].contains(&word.text.as_str());
        if !reserved && !sets.has(word.text.as_str()) {
            add(&mut vocabulary.states, used(word), |name| name);
        }
    }
    for word in &row.actions {
        add(&mut vocabulary.actions, used(word), |name| name);
    }
    for word in row.guards() {
        add(&mut vocabulary.guards, used(word), |name| name);
    }
}

/// Adds an item unless the list has one of that name.
fn add<T>(list: &mut Vec<T>, item: T, of: fn(&T) -> &Name) {
    let known = list.iter().any(|other| of(other).name == of(&item).name);
    if !known {
        list.push(item);
    }
}

fn name(word: &Word, about: &raw::About) -> Name {
    Name {
        name: word.text.clone(),
        ident: about.ident.as_ref().map(|ident| ident.text.clone()).unwrap_or_default(),
        about: about.about.clone(),
        cite: about.cite.clone(),
        declared: true,
        span: word.span,
    }
}

fn used(word: &Word) -> Name {
    Name { declared: false, ..name(word, &raw::About::default()) }
}

fn kind(event: &raw::Event) -> EventKind {
    match event.kind.as_ref().map(|kind| kind.text.as_str()) {
        Some("message") => EventKind::Message,
        Some(COMPLETION) => EventKind::Completion,
        _ if event.consumes.is_some() => EventKind::Consuming,
        _ => EventKind::Command,
    }
}

/// The kind of a resource by its word.
pub(crate) fn resource_kind(word: &str) -> ResourceKind {
    match word {
        "timer" => ResourceKind::Timer,
        "request" => ResourceKind::Request,
        _ => ResourceKind::Note,
    }
}

fn payload(event: &raw::Event) -> Option<Payload> {
    let (field, values) = event.payload.as_ref().filter(|_| !event.is_cut)?;
    Some(Payload { field: field.text.clone(), domain: domain(event.is_words, values)? })
}

/// `100..599`, `boolean`, or a list of words.
pub(crate) fn domain(is_words: bool, values: &[Word]) -> Option<PayloadDomain> {
    if is_words {
        let names = values.iter().map(|word| name(word, &raw::About::default())).collect();
        return (!values.is_empty()).then_some(PayloadDomain::Words(names));
    }
    let word = values.first()?;
    if word.text == "boolean" {
        return Some(PayloadDomain::Bool);
    }
    pattern::number(&word.text).map(PayloadDomain::Number)
}

/// Gives each name without `ident` its CamelCase, made unique by a number where it is taken.
fn spell(vocabulary: &mut Vocabulary) {
    spell_list(vocabulary.states.iter_mut().collect());
    spell_list(vocabulary.events.iter_mut().map(|event| &mut event.name).collect());
    spell_list(vocabulary.actions.iter_mut().collect());
    spell_list(vocabulary.resources.iter_mut().map(|resource| &mut resource.name).collect());
    spell_list(vocabulary.guards.iter_mut().collect());
    spell_list(vocabulary.variables.iter_mut().map(|variable| &mut variable.name).collect());
    let Symbols { predicates, collections, rules, invariants, guards, subjects, instances: _ } =
        &mut vocabulary.formulas;
    spell_list(subjects.iter_mut().collect());
    for list in [predicates, collections, rules, invariants, guards] {
        spell_list(list.iter_mut().map(|one| &mut one.name).collect());
    }
    for event in &mut vocabulary.events {
        if let Some(Payload { domain: PayloadDomain::Words(words), .. }) = &mut event.payload {
            spell_list(words.iter_mut().collect());
        }
    }
}

fn spell_list(names: Vec<&mut Name>) {
    let mut taken: BTreeMap<String, Span> = BTreeMap::new();
    for name in names {
        if name.ident.is_empty() {
            name.ident = camel(&name.name);
        }
        if name.ident.is_empty() {
            name.ident = "Unnamed".to_owned();
        }
        let plain = name.ident.clone();
        let mut nth = 2;
        while taken.contains_key(&name.ident) {
            name.ident = format!("{plain}{nth}");
            nth += 1;
        }
        taken.insert(name.ident.clone(), name.span);
    }
}
