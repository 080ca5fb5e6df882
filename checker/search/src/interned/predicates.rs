//! Predicates asked of rows. An answer that depends on a few parts is remembered for them.

use std::collections::{BTreeMap, HashMap};

use crate::fingerprint::BuildStable;
use crate::interned::local::Local;
use crate::parts::Parts;

/// The questions that are asked of every new row.
#[derive(Debug)]
pub(super) struct Asked<'s, W> {
    system: &'s W,
    groups: Vec<Group>,
    /// The things that an answer makes noteworthy.
    things: BTreeMap<(usize, bool), u64>,
}

/// Questions that read the same places.
#[derive(Debug)]
struct Group {
    /// `None`: all of them.
    reads: Option<Vec<usize>>,
    predicates: Vec<usize>,
    /// By the sum of the parts read: what is noteworthy about them.
    known: HashMap<u64, u64, BuildStable>,
}

impl<'s, W: Parts> Asked<'s, W> {
    pub(super) fn new(system: &'s W, noteworthy: &[(usize, bool)]) -> Self {
        let predicates = system.predicates();
        let mut groups: Vec<Group> = Vec::new();
        let mut things: BTreeMap<(usize, bool), u64> = BTreeMap::new();
        for (thing, &(predicate, answer)) in noteworthy.iter().enumerate() {
            *things.entry((predicate, answer)).or_default() |= 1 << thing;
        }
        let mut asked: Vec<usize> = things.keys().map(|&(predicate, _)| predicate).collect();
        asked.dedup();
        for predicate in asked {
            let reads = predicates[predicate].reads.as_ref();
            let reads = reads.map(|places| places.iter().map(|place| place.index()).collect());
            match groups.iter_mut().find(|group| group.reads == reads) {
                Some(group) => group.predicates.push(predicate),
                None => groups.push(Group {
                    reads,
                    predicates: vec![predicate],
                    known: HashMap::default(),
                }),
            }
        }
        Self { system, groups, things }
    }

    /// What is noteworthy about a row.
    pub(super) fn noteworthy(&mut self, local: &Local<'_, W>, row: &[u32]) -> u64 {
        let mut noted = 0;
        for group in &mut self.groups {
            let Some(reads) = &group.reads else {
                noted |= ask(self.system, &group.predicates, &self.things, local, row);
                continue;
            };
            let sums = reads.iter().map(|&place| local.sum(place, row[place]));
            let key = sums.fold(0, u64::wrapping_add);
            noted |= match group.known.get(&key) {
                Some(&known) => known,
                None => {
                    let known = ask(self.system, &group.predicates, &self.things, local, row);
                    group.known.insert(key, known);
                    known
                }
            };
        }
        noted
    }
}

fn ask<W: Parts>(
    system: &W,
    predicates: &[usize],
    things: &BTreeMap<(usize, bool), u64>,
    local: &Local<'_, W>,
    row: &[u32],
) -> u64 {
    let parts = row.iter().enumerate().map(|(place, &part)| local.part(place, part));
    let state: Vec<&W::Part> = parts.collect();
    let mut noted = 0;
    system.test(predicates, &state, &mut |predicate, answer| {
        noted |= things.get(&(predicate, answer)).copied().unwrap_or_default();
    });
    noted
}
