//! The interned engine: any [`TransitionSystem`](crate::transition_system::TransitionSystem) as a
//! [`StateSpace`] of vectors of small indices.
//!
//! It is a decision tree of memoised transitions with incremental (Zobrist) hashing. Parts and
//! operations are interned, so a state is a vector of indices. The outcomes of an operation on a
//! part are computed once, by the shipped core, and memoised ([`system`]). An action is found
//! by a look-up for each part that it reads ([`decision_tree`]). The fingerprint of a state is the
//! sum of one hash term for each part, so that the fingerprint of a successor costs a subtraction
//! and an addition for each part changed ([`crate::fingerprint`]). At the end, a sample of what is
//! memoised is computed again ([`StateSpace::impure`]).
//!
//! What a system's types are is known to [`Interned`] alone: the search reads indices, and asks for
//! what is missing through [`indexed`]. So the search is compiled once, and not for each system.

mod canonical_ids;
mod dead_messages;
mod decision_tree;
mod decisions;
mod direct_mapped;
pub(crate) mod expander;
mod indexed;
pub(crate) mod interner;
mod node_ref;
mod pair_map;
mod permutations;
pub(crate) mod predicates;
pub(crate) mod prepared;
pub(crate) mod space;
pub(crate) mod store;
mod symmetry;
pub(crate) mod system;
pub(crate) mod tables;
mod thread_cache;

pub use crate::interned::expander::Expander;
pub use crate::interned::space::StateSpace;
pub use crate::interned::system::Interned;
pub use crate::interned::tables::OperationId;
