//! State predicates on state vectors, memoised by the parts that they read.

use std::collections::{BTreeMap, HashMap};

use crate::fingerprint::BuildStableHasher;
use crate::interned::direct_mapped::DirectMapped;
use crate::interned::indexed::Evaluator;
use crate::interned::thread_cache::ThreadCache;
use crate::transition_system::Predicate;

/// The predicates evaluated on every new state.
#[derive(Debug)]
pub(crate) struct PredicateCache {
    groups: Vec<PredicateGroup>,
    /// By predicate and truth value: the propositions it makes true, as bits.
    bits: BTreeMap<(usize, bool), u64>,
}

/// The predicates that read the same places.
#[derive(Debug)]
struct PredicateGroup {
    /// The places; `None`: all of them.
    reads: Option<Vec<usize>>,
    predicates: Vec<usize>,
    /// By the hash sum of the parts read: the propositions that hold, as bits.
    memo: HashMap<u64, u64, BuildStableHasher>,
    /// What was asked of it recently.
    recent: DirectMapped,
}

/// The slots of [`PredicateGroup::recent`].
const RECENT: usize = 1 << 10;

impl PredicateCache {
    pub(crate) fn new(predicates: &[Predicate], propositions: &[(usize, bool)]) -> Self {
        let mut groups: Vec<PredicateGroup> = Vec::new();
        let mut bits: BTreeMap<(usize, bool), u64> = BTreeMap::new();
        for (bit, &(predicate, value)) in propositions.iter().enumerate() {
            *bits.entry((predicate, value)).or_default() |= 1 << bit;
        }
        let mut wanted: Vec<usize> = bits.keys().map(|&(predicate, _)| predicate).collect();
        wanted.dedup();
        for predicate in wanted {
            let reads = predicates[predicate].reads.as_ref();
            let reads = reads.map(|places| places.iter().map(|place| place.index()).collect());
            match groups.iter_mut().find(|group| group.reads == reads) {
                Some(group) => group.predicates.push(predicate),
                None => groups.push(PredicateGroup {
                    reads,
                    predicates: vec![predicate],
                    memo: HashMap::default(),
                    recent: DirectMapped::new(RECENT),
                }),
            }
        }
        Self { groups, bits }
    }

    /// The propositions that hold in a state, as bits.
    pub(super) fn evaluate(
        &mut self,
        cache: &mut ThreadCache<'_>,
        evaluator: &mut dyn Evaluator,
        vector: &[u32],
    ) -> u64 {
        let bits = &self.bits;
        let mut evaluate = |predicates: &[usize]| {
            let mut holding = 0;
            evaluator.evaluate(predicates, vector, &mut |predicate, value| {
                holding |= bits.get(&(predicate, value)).copied().unwrap_or_default();
            });
            holding
        };
        let mut holding = 0;
        for group in &mut self.groups {
            let Some(reads) = &group.reads else {
                holding |= evaluate(&group.predicates);
                continue;
            };
            let terms = reads.iter().map(|&place| cache.new_hash_term(place, vector[place]));
            let key = terms.fold(0, u64::wrapping_add);
            holding |= group.recent.get(key).unwrap_or_else(|| {
                let known = group.memo.entry(key);
                let holding = *known.or_insert_with(|| evaluate(&group.predicates));
                group.recent.insert(key, holding);
                holding
            });
        }
        holding
    }
}
