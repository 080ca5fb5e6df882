//! Symmetry reduction: of all states that differ only by a permutation of the members of a
//! symmetric role, one is the representative.
//!
//! A permutation moves each member as a block, a node with its links and its timers, and renames
//! every reference to it. Members are sorted by a key that moves with them, so only members with
//! equal keys have to be tried in every order; of the candidates, the one with the smallest hash
//! sum is the representative. Neither keys nor hash sums depend on the order of interning, so every
//! thread and every search chooses the same one. A key that did not move with its member would make
//! the reduction incomplete, but not unsound: every candidate is a permutation of the state.

use crate::interned::canonical_ids::IdCanonicalizer;
use crate::interned::permutations::{Permutation, Permutations};
use crate::interned::thread_cache::ThreadCache;

/// The symmetry reduction of one thread.
#[derive(Debug)]
pub(super) struct SymmetryReducer {
    permutations: Permutations,
    /// By place, of each part: its term in the key of each member, valid where `has_terms` says so.
    terms: Vec<Vec<u64>>,
    has_terms: Vec<Vec<bool>>,
    /// By permutation and place, of each part: the part permuted, once computed.
    memo: Vec<Vec<Vec<Option<u32>>>>,
    /// By member: its key.
    keys: Vec<u64>,
    /// The candidate being computed.
    vector: Vec<u32>,
    /// The candidate with the smallest hash sum so far.
    best: Vec<u32>,
}

impl SymmetryReducer {
    pub(super) fn new(permutations: Permutations, width: usize) -> Self {
        Self {
            terms: vec![Vec::new(); width],
            has_terms: vec![Vec::new(); width],
            memo: vec![vec![Vec::new(); width]; permutations.all.len()],
            keys: vec![0; permutations.members],
            permutations,
            vector: vec![0; width],
            best: vec![0; width],
        }
    }

    /// Replaces a state by its representative; returns the new hash sum.
    pub(super) fn reduce(
        &mut self,
        cache: &mut ThreadCache<'_>,
        canonicalizer: &mut IdCanonicalizer,
        vector: &mut [u32],
        sum: u64,
    ) -> u64 {
        self.compute_keys(cache, vector);
        let mut least = None;
        for permutation in 0..self.permutations.all.len() {
            let from = &self.permutations.all[permutation].from;
            if !from.is_sorted_by_key(|&member| self.keys[member]) {
                continue;
            }
            // The identity is the first.
            let permuted = if permutation == 0 {
                self.vector.copy_from_slice(vector);
                sum
            } else {
                self.permute(cache, canonicalizer, permutation, vector)
            };
            if least.is_none_or(|least| permuted < least) {
                least = Some(permuted);
                std::mem::swap(&mut self.best, &mut self.vector);
            }
        }
        vector.copy_from_slice(&self.best);
        least.expect("some order is sorted")
    }

    /// Computes the key of each member.
    fn compute_keys(&mut self, cache: &ThreadCache<'_>, vector: &[u32]) {
        let members = self.permutations.members;
        self.keys.fill(0);
        for (place, &part) in vector.iter().enumerate() {
            let (terms, has_terms) = (&mut self.terms[place], &mut self.has_terms[place]);
            let index = part as usize;
            if has_terms.len() <= index {
                has_terms.resize(index + 1, false);
                terms.resize((index + 1) * members, 0);
            }
            let terms = &mut terms[index * members..(index + 1) * members];
            if !std::mem::replace(&mut has_terms[index], true) {
                for (member, term) in terms.iter_mut().enumerate() {
                    *term = self.permutations.key_term(cache.system, (place, part), member);
                }
            }
            let terms = self.keys.iter_mut().zip(terms);
            terms.for_each(|(key, term)| *key = key.wrapping_add(*term));
        }
    }

    /// Computes the candidate for a permutation; returns its hash sum.
    fn permute(
        &mut self,
        cache: &mut ThreadCache<'_>,
        canonicalizer: &mut IdCanonicalizer,
        permutation: usize,
        vector: &[u32],
    ) -> u64 {
        for (place, &part) in vector.iter().enumerate() {
            let new = self.permuted_part(cache, permutation, place, part);
            self.vector[self.permutations.all[permutation].places[place]] = new;
        }
        let terms =
            self.vector.iter().enumerate().map(|(place, &part)| cache.hash_term(place, part));
        let sum = terms.fold(0, u64::wrapping_add);
        canonicalizer.canonicalize(cache, &mut self.vector, sum)
    }

    fn permuted_part(
        &mut self,
        cache: &mut ThreadCache<'_>,
        permutation: usize,
        place: usize,
        part: u32,
    ) -> u32 {
        let memo = &mut self.memo[permutation][place];
        if memo.len() <= part as usize {
            memo.resize(part as usize + 1, None);
        }
        match memo[part as usize] {
            Some(new) => new,
            None => {
                let Permutation { of_role, places, .. } = &self.permutations.all[permutation];
                let new = cache.permuted((place, places[place]), part, of_role);
                memo[part as usize] = Some(new);
                new
            }
        }
    }
}
