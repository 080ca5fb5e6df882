//! Predicates asked of rows. An answer that depends on a few parts is remembered for them.

use std::collections::HashMap;

use crate::parts::Parts;
use crate::search::fingerprint::BuildStable;
use crate::search::interned::local::Local;

/// The questions that are asked of every new row.
#[derive(Debug)]
pub(super) struct Asked<'s, W> {
    system: &'s W,
    groups: Vec<Group>,
}

/// Questions that read the same places.
#[derive(Debug)]
struct Group {
    /// `None`: all of them.
    reads: Option<Vec<usize>>,
    /// Thing, predicate, and the answer that is noteworthy.
    questions: Vec<(usize, usize, bool)>,
    /// By the sum of the parts read: what is noteworthy about them.
    known: HashMap<u64, u64, BuildStable>,
}

impl<'s, W: Parts> Asked<'s, W> {
    pub(super) fn new(system: &'s W, noteworthy: &[(usize, bool)]) -> Self {
        let predicates = system.predicates();
        let mut groups: Vec<Group> = Vec::new();
        for (thing, &(predicate, answer)) in noteworthy.iter().enumerate() {
            let reads = predicates[predicate].reads.as_ref();
            let reads = reads.map(|places| places.iter().map(|place| place.index()).collect());
            let question = (thing, predicate, answer);
            match groups.iter_mut().find(|group| group.reads == reads) {
                Some(group) => group.questions.push(question),
                None => groups.push(Group {
                    reads,
                    questions: vec![question],
                    known: HashMap::default(),
                }),
            }
        }
        Self { system, groups }
    }

    /// What is noteworthy about a row.
    pub(super) fn noteworthy(&mut self, local: &Local<'_, W>, row: &[u32]) -> u64 {
        let mut noted = 0;
        for group in &mut self.groups {
            let Some(reads) = &group.reads else {
                noted |= ask(self.system, &group.questions, local, row);
                continue;
            };
            let sums = reads.iter().map(|&place| local.sum(place, row[place]));
            let key = sums.fold(0, u64::wrapping_add);
            noted |= match group.known.get(&key) {
                Some(&known) => known,
                None => {
                    let known = ask(self.system, &group.questions, local, row);
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
    questions: &[(usize, usize, bool)],
    local: &Local<'_, W>,
    row: &[u32],
) -> u64 {
    let state: Vec<&W::Part> =
        row.iter().enumerate().map(|(place, &part)| local.part(place, part)).collect();
    let noteworthy = questions
        .iter()
        .filter(|&&(_, predicate, answer)| system.test(predicate, &state) == answer);
    noteworthy.fold(0, |noted, &(thing, ..)| noted | 1 << thing)
}
