//! The permutations of the members of a symmetric role.

use crate::interned::indexed::{IndexedSystem, RolePermutation};
use crate::transition_system::SymmetricRole;

/// The most permutations of a role: up to five members. All are tried where all keys are equal.
const PERMUTATIONS_MAX: usize = 120;

/// The permutations of the members of a symmetric role.
#[derive(Clone, Debug)]
pub(super) struct Permutations {
    /// By place: the member it belongs to, and its index among that member's places.
    pub(super) owners: Vec<Option<(usize, usize)>>,
    pub(super) members: usize,
    /// All permutations, the identity first.
    pub(super) all: Vec<Permutation>,
}

/// A permutation of members and places.
#[derive(Clone, Debug)]
pub(super) struct Permutation {
    /// Of the members.
    pub(super) of_role: RolePermutation,
    /// By new position: the member.
    pub(super) from: Vec<usize>,
    /// By place: its new place.
    pub(super) places: Vec<usize>,
}

/// The index of the only symmetric role.
const ROLE: usize = 0;

/// The permutations of a system with one symmetric role. `None`: it has none or several, or there
/// are more than [`PERMUTATIONS_MAX`].
pub(super) fn permutations_of(roles: &[SymmetricRole], width: usize) -> Option<Permutations> {
    let [role] = roles else { return None };
    let count = role.members.len();
    if count < 2 || (1..=count).product::<usize>() > PERMUTATIONS_MAX {
        return None;
    }
    let mut owners = vec![None; width];
    for (member, places) in role.members.iter().enumerate() {
        for (slot, place) in places.iter().enumerate() {
            owners[place.index()] = Some((member, slot));
        }
    }
    let permutations = permutations(count).into_iter().map(|to| {
        let mut places: Vec<usize> = (0..width).collect();
        let mut from = vec![0; count];
        for (member, &to) in to.iter().enumerate() {
            from[to] = member;
            for (from, to) in role.members[member].iter().zip(&role.members[to]) {
                places[from.index()] = to.index();
            }
        }
        Permutation { of_role: RolePermutation { role: ROLE, to: to.into() }, from, places }
    });
    Some(Permutations { owners, members: count, all: permutations.collect() })
}

/// All permutations of 0 to `count - 1`, the identity first.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(count - 1);
    let longer = (0..count).flat_map(|first| {
        shorter.iter().map(move |rest| {
            let others = rest.iter().map(|&other| if other >= first { other + 1 } else { other });
            [first].into_iter().chain(others).collect()
        })
    });
    longer.collect()
}

impl Permutations {
    /// The term of a part in the key of a member: the least hash of the part over all permutations
    /// that put the member first. Ids compared only for equality are masked, because their
    /// canonical values depend on the order of places; ranked ids do not.
    pub(super) fn key_term(
        &self,
        system: &dyn IndexedSystem,
        (place, part): (usize, u32),
        member: usize,
    ) -> u64 {
        let slot = match self.owners[place] {
            Some((owner, _)) if owner != member => return 0,
            Some((_, slot)) => slot,
            None => place,
        };
        let first = self.all.iter().filter(|permutation| permutation.of_role.to[member] == 0);
        let terms = first.map(|permutation| {
            let to = permutation.places[place];
            system.permuted_term(place, part, to, slot, &permutation.of_role)
        });
        terms.min().expect("every member can be the first")
    }
}
