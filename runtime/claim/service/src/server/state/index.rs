//! The index of all claims: by id, by resource, and those that are waiting or active.
//!
//! It stores records and does not change claims.

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::sync::Arc;

use turnstile_claim_core::record::Status;

use crate::server::state::entries::Entries;
use crate::server::state::record::ClaimRecord;
use crate::wire::filter::Filter;
use turnstile_host::Moment;

/// The maximum gap between resource numbers in a store: so many resources had claims at a time.
const GAP_MAX: u32 = 1 << 26;

/// The index of claims and the names of their resources.
#[derive(Debug, Default)]
pub(crate) struct ClaimIndex {
    entries: Entries,
    live: BTreeSet<u64>,
    /// The number of waiting and active claims by owner.
    owners: HashMap<Arc<str>, usize>,
    /// The resources that have a claim or a request in progress.
    numbers: HashMap<Arc<str>, u32>,
    /// The claims by resource number.
    claims: BTreeSet<(u32, u64)>,
    /// Unused numbers between those in use.
    free: BTreeSet<u32>,
}

/// A resource with its number.
#[derive(Debug)]
pub(crate) struct NumberedResource {
    pub(crate) number: u32,
    pub(crate) name: Arc<str>,
    /// Whether it has no claims yet.
    pub(crate) is_new: bool,
}

impl ClaimIndex {
    pub(crate) fn entry(&self, id: u64) -> Option<&ClaimRecord> {
        self.entries.get(id)
    }

    pub(crate) fn entry_mut(&mut self, id: u64) -> Option<&mut ClaimRecord> {
        self.entries.record_mut(id)
    }

    /// All claims as they are now.
    #[cfg(feature = "cluster")]
    pub(crate) fn entries(&self) -> Entries {
        self.entries.clone()
    }

    /// The number of a resource, assigned if it is new; then call [`ClaimIndex::release_number`]
    /// after the request.
    pub(crate) fn number(&mut self, resource: &str) -> NumberedResource {
        if let Some((name, number)) = self.numbers.get_key_value(resource) {
            return NumberedResource { number: *number, name: name.clone(), is_new: false };
        }
        let next = u32::try_from(self.numbers.len()).expect("there are fewer claims");
        let number = self.free.pop_first().unwrap_or(next);
        let name: Arc<str> = resource.into();
        self.numbers.insert(name.clone(), number);
        NumberedResource { number, name, is_new: true }
    }

    /// The name of a resource that was saved with its number; `None` if the resource has another
    /// number.
    pub(crate) fn numbered(&mut self, resource: &str, number: u32) -> Option<Arc<str>> {
        if let Some((name, known)) = self.numbers.get_key_value(resource) {
            return (*known == number).then(|| name.clone());
        }
        let name: Arc<str> = resource.into();
        self.numbers.insert(name.clone(), number);
        Some(name)
    }

    /// Frees the numbers between those in use, after all claims are loaded. `None` if two resources
    /// have the same number, or a number is out of range.
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

    /// Frees the number of a resource without claims.
    pub(crate) fn release_number(&mut self, number: u32, name: &str) {
        if self.of(number, 0..=u64::MAX).next().is_none() && self.numbers.remove(name).is_some() {
            self.free.insert(number);
        }
    }

    /// Adds a claim whose resource's number is from [`ClaimIndex::number`].
    pub(crate) fn add(&mut self, id: u64, entry: ClaimRecord) {
        self.claims.insert((entry.number, id));
        self.set_live(id, entry.owner.as_ref(), !entry.status().is_final());
        self.entries.insert(id, Arc::new(entry));
    }

    /// Adds claims with saved numbers. Each collection is built at once, which takes half of the
    /// memory of insertions in order.
    pub(crate) fn fill(&mut self, entries: Vec<(u64, Arc<ClaimRecord>)>) {
        let is_live = |(_, entry): &&(u64, Arc<ClaimRecord>)| !entry.status().is_final();
        for owner in entries.iter().filter(is_live).filter_map(|(_, entry)| entry.owner.as_ref()) {
            *self.owners.entry(owner.clone()).or_default() += 1;
        }
        self.live.append(&mut entries.iter().filter(is_live).map(|(id, _)| *id).collect());
        self.claims.append(&mut entries.iter().map(|(id, entry)| (entry.number, *id)).collect());
        self.entries.extend(entries);
    }

    /// The claims of a resource with ids in this range, oldest first.
    fn of(&self, number: u32, ids: RangeInclusive<u64>) -> impl Iterator<Item = u64> {
        self.claims.range((number, *ids.start())..=(number, *ids.end())).map(|(_, id)| *id)
    }

    /// Records a new status of a claim.
    pub(crate) fn became(&mut self, id: u64, status: Status, token: Option<u64>, now: Moment) {
        if let Some(entry) = self.entries.record_mut(id) {
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

    /// The number of waiting and active claims of an owner.
    pub(crate) fn live_of(&self, owner: &str) -> usize {
        self.owners.get(owner).copied().unwrap_or(0)
    }

    /// The number of a resource with claims.
    pub(crate) fn known(&self, resource: &str) -> Option<u32> {
        self.numbers.get(resource).copied()
    }

    /// Removes a claim.
    pub(crate) fn remove(&mut self, id: u64) {
        let Some(entry) = self.entries.remove(id) else { return };
        self.set_live(id, entry.owner.as_ref(), false);
        self.claims.remove(&(entry.number, id));
        self.release_number(entry.number, &entry.resource);
    }

    /// Reserves memory for this many further resources.
    pub(crate) fn reserve(&mut self, resources: usize) {
        self.numbers.reserve(resources);
    }

    /// Extends every lease by this many microseconds.
    pub(crate) fn prolong(&mut self, by_us: u64) {
        if by_us == 0 {
            return;
        }
        let is_leased = |entry: &ClaimRecord| entry.due_us.is_some();
        self.entries.change(is_leased, |entry| {
            entry.due_us = entry.due_us.map(|due_us| due_us.saturating_add(by_us));
        });
    }

    /// Gives each lease that had not lapsed at a time its whole ttl again, from another time on.
    #[cfg(feature = "cluster")]
    pub(crate) fn renew(&mut self, lapsed_us: u64, now_us: u64) {
        let is_renewed =
            |entry: &ClaimRecord| entry.due_us.is_some_and(|due_us| due_us > lapsed_us);
        self.entries.change(is_renewed, |entry| {
            entry.due_us = Some(now_us.saturating_add(entry.ttl_us));
        });
    }

    /// The number of all claims, and of waiting and active claims.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.entries.len(), self.live.len())
    }

    /// The last id, or 0.
    pub(crate) fn last(&self) -> u64 {
        self.entries.last().unwrap_or(0)
    }

    /// The waiting and active claims from an id on, oldest first.
    pub(crate) fn live(&self, from: u64) -> impl Iterator<Item = (u64, &ClaimRecord)> {
        self.live.range(from..).filter_map(|id| Some((*id, self.entry(*id)?)))
    }

    /// The claims in a range of ids that a filter may select, oldest first.
    pub(crate) fn from<'a>(
        &'a self,
        filter: &Filter,
        first: u64,
        last: u64,
    ) -> Box<dyn Iterator<Item = (u64, &'a ClaimRecord)> + 'a> {
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
            None => Box::new(self.entries.range(all)),
        }
    }
}
