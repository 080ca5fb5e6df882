//! All claims that the server remembers, by id, by resource and by whether they are over.
//!
//! It is an index over entries: it neither changes a claim nor decides anything about one.

use std::collections::{BTreeMap, BTreeSet, HashMap, hash_map};
use std::ops::RangeInclusive;
use std::sync::Arc;

use turnstile_core::claim::record::Status;

use super::entry::Entry;
use crate::wire::filter::Filter;
use turnstile_host::Moment;

/// More numbers than this in a row are free in no store: so many resources had claims at a time.
const GAP_MAX: u32 = 1 << 26;

/// The claims and the names of their resources.
#[derive(Debug, Default)]
pub(crate) struct Book {
    /// Boxed: the nodes of a tree that grows at its end stay half empty.
    entries: BTreeMap<u64, Box<Entry>>,
    live: BTreeSet<u64>,
    /// How many of the live ones each owner has.
    owners: HashMap<Arc<str>, usize>,
    /// Of the resources that some claim names, or a request.
    numbers: HashMap<Arc<str>, u32>,
    /// Every claim, by its resource's number.
    claims: BTreeSet<(u32, u64)>,
    /// Numbers between those in use.
    free: BTreeSet<u32>,
}

impl Book {
    pub(crate) fn entry(&self, id: u64) -> Option<&Entry> {
        self.entries.get(&id).map(Box::as_ref)
    }

    pub(crate) fn entry_mut(&mut self, id: u64) -> Option<&mut Entry> {
        self.entries.get_mut(&id).map(Box::as_mut)
    }

    /// The number of a resource, made if need be; [`Book::tidy`] it once the request is done.
    pub(crate) fn number(&mut self, resource: &str) -> (u32, Arc<str>) {
        let count = self.numbers.len();
        match self.numbers.entry(resource.into()) {
            hash_map::Entry::Occupied(known) => (*known.get(), known.key().clone()),
            hash_map::Entry::Vacant(new) => {
                let next = u32::try_from(count).expect("there are fewer claims");
                let (name, number) = (new.key().clone(), self.free.pop_first().unwrap_or(next));
                new.insert(number);
                (number, name)
            }
        }
    }

    /// The name of a resource that has been saved with its number; none, where it has another.
    pub(crate) fn numbered(&mut self, resource: &str, number: u32) -> Option<Arc<str>> {
        match self.numbers.entry(resource.into()) {
            hash_map::Entry::Occupied(known) => {
                (*known.get() == number).then(|| known.key().clone())
            }
            hash_map::Entry::Vacant(new) => {
                let name = new.key().clone();
                new.insert(number);
                Some(name)
            }
        }
    }

    /// Once every claim with a saved number is there: numbers between theirs are free. None: two
    /// resources have one number, or one has a number that none can have.
    pub(crate) fn close_gaps(&mut self) -> Option<()> {
        let (mut next, mut count) = (0, 0);
        for (number, _) in &self.claims {
            if *number >= next {
                if *number - next > GAP_MAX {
                    return None;
                }
                self.free.extend(next..*number);
                next = number.checked_add(1)?;
                count += 1;
            }
        }
        (count == self.numbers.len()).then_some(())
    }

    /// Forgets the number of a resource that no claim names.
    pub(crate) fn tidy(&mut self, number: u32, name: &str) {
        if self.of(number, 0..=u64::MAX).next().is_none() && self.numbers.remove(name).is_some() {
            self.free.insert(number);
        }
    }

    /// Adds a claim, whose resource's number is from [`Book::number`].
    pub(crate) fn add(&mut self, id: u64, entry: Entry) {
        // The number may have been freed since the request was given it: where the step that makes
        // a claim forgets the last one of the same resource.
        if self.free.remove(&entry.number) {
            self.numbers.insert(entry.resource.clone(), entry.number);
        }
        self.claims.insert((entry.number, id));
        self.set_live(id, entry.owner.as_ref(), !entry.status().is_final());
        self.entries.insert(id, Box::new(entry));
    }

    /// The claims of a resource with such ids, oldest first.
    fn of(&self, number: u32, ids: RangeInclusive<u64>) -> impl Iterator<Item = u64> {
        self.claims.range((number, *ids.start())..=(number, *ids.end())).map(|(_, id)| *id)
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
        self.claims.remove(&(entry.number, id));
        self.tidy(entry.number, &entry.resource);
    }

    /// Makes room for the names of so many more resources.
    pub(crate) fn reserve(&mut self, resources: usize) {
        self.numbers.reserve(resources);
    }

    /// Gives every lease so much longer.
    pub(crate) fn prolong(&mut self, by_us: u64) {
        for entry in self.entries.values_mut() {
            entry.due_us = entry.due_us.map(|due_us| due_us.saturating_add(by_us));
        }
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
        self.live.range(from..).filter_map(|id| Some((*id, self.entry(*id)?)))
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
        let with_entry = move |id: &u64| Some((*id, self.entry(*id)?));
        match &filter.resource {
            Some(resource) => {
                let number = self.numbers.get(resource.as_str()).copied();
                let ids = number.into_iter().flat_map(move |number| self.of(number, all.clone()));
                Box::new(ids.filter_map(move |id| with_entry(&id)))
            }
            None if filter.wants_live() => Box::new(self.live.range(all).filter_map(with_entry)),
            None => Box::new(self.entries.range(all).map(|(id, entry)| (*id, &**entry))),
        }
    }
}
