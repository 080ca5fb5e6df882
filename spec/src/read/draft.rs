//! A table under construction: declarations as written, rows with their ids, and name lookups. The
//! table as written and the amended table are two drafts over one vocabulary.

use std::collections::BTreeMap;

use crate::formula::CollectionId;
use crate::raw::{self, Sections};
use crate::table::{
    ActionId, EventId, GuardId, ResourceId, ResourceKind, RowId, StateId, Vocabulary,
};
use crate::vec_map::VecMap;

/// The kinds of resources: each is a generic name for all resources of its kind.
pub(crate) const KINDS: &[(&str, ResourceKind)] = &[
    ("timer", ResourceKind::Timer),
    ("request", ResourceKind::Request),
    ("note", ResourceKind::Note),
];

/// The state of an instance before its creation and after its deletion.
pub(crate) const NOT_EXIST: &str = "not exist";

/// Declarations and rows of one table.
#[derive(Clone, Default)]
pub(crate) struct Draft {
    /// All declarations except rows.
    pub(crate) parts: Sections,
    /// The rows, each with its position in the vocabulary.
    pub(crate) rows: Vec<(RowId, raw::Row)>,
    /// Rows of amendments that other amendments have replaced.
    pub(crate) replaced: Vec<raw::Row>,
}

/// Lookup of names.
pub(crate) struct Lookup<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) draft: &'a Draft,
    states: Index<'a>,
    actions: Index<'a>,
    resources: Index<'a>,
    guards: Index<'a>,
    general: VecMap<&'a str, Vec<ResourceId>>,
    declared: Index<'a>,
    events: Index<'a>,
    action_declarations: Index<'a>,
    sets: Index<'a>,
    named: Index<'a>,
}

/// The positions of names in their list; the last position of a duplicate.
type Index<'a> = BTreeMap<&'a str, usize>;

impl<'a> Lookup<'a> {
    pub(crate) fn new(vocabulary: &'a Vocabulary, draft: &'a Draft) -> Self {
        let parts = &draft.parts;
        let mut lookup = Self {
            vocabulary,
            draft,
            states: index(&mut vocabulary.states.iter().map(|name| name.name.as_str())),
            actions: index(&mut vocabulary.actions.iter().map(|name| name.name.as_str())),
            guards: index(&mut vocabulary.guards.iter().map(|name| name.name.as_str())),
            resources: index(&mut vocabulary.resources.iter().map(|one| one.name.name.as_str())),
            general: VecMap::default(),
            declared: by_name(&parts.states),
            events: by_name(&parts.events),
            action_declarations: by_name(&parts.actions),
            sets: by_name(&parts.sets),
            named: by_name(&parts.resources),
        };
        for (word, kind) in KINDS {
            let all = (0u16..).map(ResourceId).zip(&vocabulary.resources);
            let of_kind = all.filter(|(_, resource)| resource.kind == *kind).map(|(id, _)| id);
            lookup.general.insert(word, of_kind.collect());
        }
        for (word, resource) in &parts.resources {
            if let Some(any_of) = &resource.any_of {
                let ids = any_of.iter().filter_map(|word| lookup.resource(&word.text)).collect();
                lookup.general.insert(&word.text, ids);
            }
        }
        lookup
    }

    pub(crate) fn state(&self, name: &str) -> Option<StateId> {
        id(&self.states, name).map(StateId)
    }

    pub(crate) fn action(&self, name: &str) -> Option<ActionId> {
        id(&self.actions, name).map(ActionId)
    }

    pub(crate) fn guard(&self, name: &str) -> Option<GuardId> {
        id(&self.guards, name).map(GuardId)
    }

    pub(crate) fn collection(&self, name: &str) -> Option<CollectionId> {
        let collections = &self.vocabulary.formulas.collections;
        let at = collections.iter().position(|one| one.name.name == name)?;
        u16::try_from(at).ok().map(CollectionId)
    }

    pub(crate) fn resource(&self, name: &str) -> Option<ResourceId> {
        id(&self.resources, name).map(ResourceId)
    }

    /// The resources that a generic name stands for; `None` for other names.
    pub(crate) fn general(&self, name: &str) -> Option<&[ResourceId]> {
        self.general.get(name).map(Vec::as_slice)
    }

    /// The state's declaration; `None` if it is undeclared.
    pub(crate) fn declaration(&self, name: &str) -> Option<&'a raw::State> {
        of(&self.declared, name, &self.draft.parts.states).filter(|state| !state.undeclared)
    }

    pub(crate) fn event(&self, id: EventId) -> Option<&'a raw::Event> {
        let name = self.vocabulary.events.get(id.index())?;
        of(&self.events, &name.name.name, &self.draft.parts.events)
    }

    pub(crate) fn action_declaration(&self, name: &str) -> Option<&'a raw::Action> {
        of(&self.action_declarations, name, &self.draft.parts.actions)
    }

    pub(crate) fn set(&self, name: &str) -> Option<&'a raw::StateSet> {
        of(&self.sets, name, &self.draft.parts.sets)
    }

    /// Whether this draft declares a resource.
    pub(crate) fn declares_resource(&self, name: &str) -> bool {
        self.named.contains_key(name)
    }

    /// The states that a word of `from` stands for: a state, a set, or `any`, every declared
    /// non-final state.
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

fn index<'a>(names: &mut dyn Iterator<Item = &'a str>) -> Index<'a> {
    let mut index = Index::default();
    for (at, name) in names.enumerate() {
        index.insert(name, at);
    }
    index
}

fn by_name<T>(list: &raw::Named<T>) -> Index<'_> {
    index(&mut list.iter().map(|(word, _)| word.text.as_str()))
}

/// The index of a name.
fn id(index: &Index<'_>, name: &str) -> Option<u16> {
    index.get(name).and_then(|at| u16::try_from(*at).ok())
}

/// The declaration of a name.
fn of<'a, T>(index: &Index<'_>, name: &str, list: &'a raw::Named<T>) -> Option<&'a T> {
    index.get(name).map(|at| &list[*at].1)
}
