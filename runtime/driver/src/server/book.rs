//! All claims that the server remembers, by id, by resource and by whether they are over.
//!
//! It is an index over entries: it neither changes a claim nor decides anything about one.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use turnstile_core::claim::record::Status;

use super::clock::Moment;
use super::entry::Entry;
use crate::wire::filter::Filter;

/// The claims and the names of their resources.
#[derive(Debug, Default)]
pub(crate) struct Book {
    entries: BTreeMap<u64, Entry>,
    live: BTreeSet<u64>,
    /// How many of the live ones each owner has.
    owners: HashMap<Arc<str>, usize>,
    numbers: HashMap<Arc<str>, u32>,
    names: HashMap<u32, Name>,
    /// Numbers between those in use.
    free: BTreeSet<u32>,
}

/// A resource that some claim names.
#[derive(Debug)]
struct Name {
    name: Arc<str>,
    claims: BTreeSet<u64>,
}

impl Book {
    pub(crate) fn entry(&self, id: u64) -> Option<&Entry> {
        self.entries.get(&id)
    }

    pub(crate) fn entry_mut(&mut self, id: u64) -> Option<&mut Entry> {
        self.entries.get_mut(&id)
    }

    /// The number of a resource, made if need be; [`Book::tidy`] it once the request is done.
    pub(crate) fn number(&mut self, resource: &str) -> (u32, Arc<str>) {
        if let Some((name, number)) = self.numbers.get_key_value(resource) {
            return (*number, name.clone());
        }
        let next = u32::try_from(self.names.len()).expect("fewer resources than claims are kept");
        let number = self.free.pop_first().unwrap_or(next);
        let name: Arc<str> = resource.into();
        self.bind(number, &name);
        (number, name)
    }

    /// The number is the name's from now on. It may have been freed since the request was given
    /// it: where the step that makes a claim forgets the last one of the same resource.
    fn bind(&mut self, number: u32, name: &Arc<str>) {
        self.free.remove(&number);
        self.numbers.insert(name.clone(), number);
        self.names.insert(number, Name { name: name.clone(), claims: BTreeSet::new() });
    }

    /// Forgets a number that no claim has.
    pub(crate) fn tidy(&mut self, number: u32) {
        if let Some(name) = self.names.get(&number)
            && name.claims.is_empty()
        {
            self.numbers.remove(&name.name);
            self.names.remove(&number);
            self.free.insert(number);
        }
    }

    /// Adds a claim.
    pub(crate) fn add(&mut self, id: u64, entry: Entry) {
        if !self.names.contains_key(&entry.number) {
            self.bind(entry.number, &entry.resource);
        }
        let name = self.names.get_mut(&entry.number).expect("just bound");
        name.claims.insert(id);
        self.set_live(id, entry.owner.as_ref(), !entry.status().is_final());
        self.entries.insert(id, entry);
    }

    /// Notes what a claim has become.
    pub(crate) fn became(&mut self, id: u64, status: Status, token: Option<u64>, now: Moment) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.became(status, token, now);
            let owner = entry.owner.clone();
            self.set_live(id, owner.as_ref(), !status.is_final());
        }
    }

    fn set_live(&mut self, id: u64, owner: Option<&Arc<str>>, is_live: bool) {
        let was_live = if is_live { !self.live.insert(id) } else { self.live.remove(&id) };
        let Some(owner) = owner.filter(|_| is_live != was_live) else { return };
        let count = self.owners.entry(owner.clone()).or_default();
        if is_live {
            *count += 1;
            return;
        }
        *count -= 1;
        if *count == 0 {
            self.owners.remove(owner);
        }
    }

    /// How many claims of an owner wait or are active.
    pub(crate) fn live_of(&self, owner: &str) -> usize {
        self.owners.get(owner).copied().unwrap_or(0)
    }

    /// The number of a resource that some claim names.
    pub(crate) fn known(&self, resource: &str) -> Option<u32> {
        self.numbers.get(resource).copied()
    }

    /// Forgets a claim.
    pub(crate) fn remove(&mut self, id: u64) {
        let Some(entry) = self.entries.remove(&id) else { return };
        self.set_live(id, entry.owner.as_ref(), false);
        if let Some(name) = self.names.get_mut(&entry.number) {
            name.claims.remove(&id);
        }
        self.tidy(entry.number);
    }

    /// After a start, when every claim is added: numbers between those in use are free.
    pub(crate) fn settle(&mut self) {
        let end = self.names.keys().max().map_or(0, |last| last + 1);
        self.free = (0..end).filter(|number| !self.names.contains_key(number)).collect();
    }

    /// How many claims are kept, and how many of them are waiting or active.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.entries.len(), self.live.len())
    }

    /// The last id there is, or 0.
    pub(crate) fn last(&self) -> u64 {
        self.entries.keys().next_back().copied().unwrap_or(0)
    }

    /// Every claim from an id on that is not over, oldest first.
    pub(crate) fn live(&self, from: u64) -> impl Iterator<Item = (u64, &Entry)> {
        self.live.range(from..).filter_map(|id| Some((*id, self.entries.get(id)?)))
    }

    /// The claims from one id to another that a filter may want, oldest first.
    pub(crate) fn from<'a>(
        &'a self,
        filter: &Filter,
        first: u64,
        last: u64,
    ) -> Box<dyn Iterator<Item = (u64, &'a Entry)> + 'a> {
        if first > last {
            return Box::new(std::iter::empty());
        }
        let all = first..=last;
        let with_entry = move |id: &u64| Some((*id, self.entries.get(id)?));
        match &filter.resource {
            Some(resource) => {
                let name = self.numbers.get(resource.as_str());
                let name = name.and_then(|number| self.names.get(number));
                let ids = name.into_iter().flat_map(move |name| name.claims.range(all.clone()));
                Box::new(ids.filter_map(with_entry))
            }
            None if filter.wants_live() => Box::new(self.live.range(all).filter_map(with_entry)),
            None => Box::new(self.entries.range(all).map(|(id, entry)| (*id, entry))),
        }
    }
}
