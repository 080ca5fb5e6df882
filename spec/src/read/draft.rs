//! A table on its way: declarations as written, rows with their ids, and the look-ups that both
//! need. The literal and the amended table are two drafts over one vocabulary.

use std::collections::{BTreeMap, BTreeSet};

use crate::formula::CollectionId;
use crate::raw::{self, Parts};
use crate::table::{
    ActionId, EventId, GuardId, ResourceId, ResourceKind, RowId, StateId, Vocabulary,
};

/// The kinds of resources: each is a general word for all resources of its kind.
pub(crate) const KINDS: &[(&str, ResourceKind)] = &[
    ("timer", ResourceKind::Timer),
    ("request", ResourceKind::Request),
    ("note", ResourceKind::Note),
];

/// The state of a machine that has a life, before and after it.
pub(crate) const NOT_EXIST: &str = "not exist";

/// Declarations and rows of one table.
#[derive(Clone, Default)]
pub(crate) struct Draft {
    /// All but the rows.
    pub(crate) parts: Parts,
    /// The rows, each with its place in the vocabulary.
    pub(crate) rows: Vec<(RowId, raw::Row)>,
    /// Rows of amendments in whose place others have put theirs.
    pub(crate) replaced: Vec<raw::Row>,
}

/// Names to indices.
pub(crate) struct Lookup<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) draft: &'a Draft,
    states: BTreeMap<&'a str, StateId>,
    actions: BTreeMap<&'a str, ActionId>,
    resources: BTreeMap<&'a str, ResourceId>,
    guards: BTreeMap<&'a str, GuardId>,
    general: BTreeMap<&'a str, Vec<ResourceId>>,
    declared: BTreeMap<&'a str, &'a raw::State>,
    events: BTreeMap<&'a str, &'a raw::Event>,
    does: BTreeMap<&'a str, &'a raw::Action>,
    sets: BTreeMap<&'a str, &'a raw::Set>,
    named: BTreeSet<&'a str>,
}

impl<'a> Lookup<'a> {
    pub(crate) fn new(vocabulary: &'a Vocabulary, draft: &'a Draft) -> Self {
        let resources: BTreeMap<&str, ResourceId> = index(
            vocabulary.resources.iter().map(|resource| resource.name.name.as_str()),
            ResourceId,
        );
        let parts = &draft.parts;
        let mut general: BTreeMap<&str, Vec<ResourceId>> = KINDS
            .iter()
            .map(|(word, kind)| {
                let all = (0u16..).map(ResourceId).zip(&vocabulary.resources);
                (*word, all.filter(|(_, r)| r.kind == *kind).map(|(id, _)| id).collect())
            })
            .collect();
        let written = parts.resources.iter().filter_map(|(word, resource)| {
            let any_of = resource.any_of.as_ref()?;
            let ids = any_of.iter().filter_map(|word| resources.get(word.text.as_str()).copied());
            Some((word.text.as_str(), ids.collect()))
        });
        general.extend(written);
        Self {
            vocabulary,
            draft,
            states: index(vocabulary.states.iter().map(|name| name.name.as_str()), StateId),
            actions: index(vocabulary.actions.iter().map(|name| name.name.as_str()), ActionId),
            guards: index(vocabulary.guards.iter().map(|name| name.name.as_str()), GuardId),
            resources,
            general,
            declared: by_name(&parts.states),
            events: by_name(&parts.events),
            does: by_name(&parts.actions),
            sets: by_name(&parts.sets),
            named: parts.resources.iter().map(|(word, _)| word.text.as_str()).collect(),
        }
    }

    pub(crate) fn state(&self, name: &str) -> Option<StateId> {
        self.states.get(name).copied()
    }

    pub(crate) fn action(&self, name: &str) -> Option<ActionId> {
        self.actions.get(name).copied()
    }

    pub(crate) fn guard(&self, name: &str) -> Option<GuardId> {
        self.guards.get(name).copied()
    }

    pub(crate) fn collection(&self, name: &str) -> Option<CollectionId> {
        let collections = &self.vocabulary.formulas.collections;
        let at = collections.iter().position(|one| one.name.name == name)?;
        u16::try_from(at).ok().map(CollectionId)
    }

    pub(crate) fn resource(&self, name: &str) -> Option<ResourceId> {
        self.resources.get(name).copied()
    }

    /// The resources that a general word stands for; `None` where it is none.
    pub(crate) fn general(&self, name: &str) -> Option<&[ResourceId]> {
        self.general.get(name).map(Vec::as_slice)
    }

    /// The state's declaration; `None` where the table does not declare it.
    pub(crate) fn declaration(&self, name: &str) -> Option<&'a raw::State> {
        self.declared.get(name).copied().filter(|state| !state.undeclared)
    }

    pub(crate) fn event(&self, id: EventId) -> Option<&'a raw::Event> {
        let name = self.vocabulary.events.get(id.index())?;
        self.events.get(name.name.name.as_str()).copied()
    }

    pub(crate) fn does(&self, name: &str) -> Option<&'a raw::Action> {
        self.does.get(name).copied()
    }

    pub(crate) fn set(&self, name: &str) -> Option<&'a raw::Set> {
        self.sets.get(name).copied()
    }

    /// The resources of the table that this draft declares.
    pub(crate) fn declares_resource(&self, name: &str) -> bool {
        self.named.contains(name)
    }

    /// The states that `from` names: a state, a set, or `any` for every declared one that is not
    /// final.
    pub(crate) fn sources(&self, word: &str) -> Vec<StateId> {
        if word == "any" {
            let states = self.draft.parts.states.iter();
            let open = states.filter(|(name, state)| {
                !state.undeclared && state.is_final != Some(true) && name.text != NOT_EXIST
            });
            return open.filter_map(|(name, _)| self.state(&name.text)).collect();
        }
        match self.set(word) {
            Some(set) => set.states.iter().filter_map(|word| self.state(&word.text)).collect(),
            None => self.state(word).into_iter().collect(),
        }
    }
}

fn index<'a, I>(names: impl Iterator<Item = &'a str>, id: fn(u16) -> I) -> BTreeMap<&'a str, I> {
    names.enumerate().filter_map(|(at, name)| Some((name, id(u16::try_from(at).ok()?)))).collect()
}

fn by_name<T>(list: &raw::Named<T>) -> BTreeMap<&str, &T> {
    list.iter().map(|(word, item)| (word.text.as_str(), item)).collect()
}
