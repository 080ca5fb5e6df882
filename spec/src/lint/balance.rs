//! The resource balance of one row: what its source holds, minus what the row consumes and deletes,
//! plus what it creates, compared with what its destination holds. [`super::resources`] reports it.

use crate::table::{ActionCall, Op, ResourceId, Row, State};
use crate::vec_map::VecMap;

/// The differences between the resources held and those declared.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Imbalance {
    /// Used by the event or by an action, but not held.
    pub(super) not_held: Vec<ResourceId>,
    /// Created while already held.
    pub(super) created_twice: Vec<ResourceId>,
    /// Held after the row, but not declared by the destination.
    pub(super) leaks: Vec<ResourceId>,
    /// Declared by the destination, but not held after the row.
    pub(super) not_created: Vec<ResourceId>,
}

/// Whether a resource is held at some point of a row; absent: it is not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Certainty {
    Maybe,
    Surely,
}

struct Tally {
    held: VecMap<ResourceId, Certainty>,
    imbalance: Imbalance,
}

/// Computes the balance of a row.
pub(super) fn balance(row: &Row, from: &State, to: &State) -> Imbalance {
    let mut held = VecMap::default();
    for (ids, how) in [(&from.may_hold, Certainty::Maybe), (&from.holds, Certainty::Surely)] {
        for id in ids {
            held.insert(*id, how);
        }
    }
    let mut tally = Tally { held, imbalance: Imbalance::default() };
    for id in &row.consumes {
        tally.take(*id);
    }
    for ActionCall { ops, .. } in &row.actions {
        ops.iter().for_each(|op| tally.put(*op));
    }
    tally.close(to)
}

impl Tally {
    fn take(&mut self, id: ResourceId) {
        if self.held.remove(&id).is_none() {
            self.imbalance.not_held.push(id);
        }
    }

    fn put(&mut self, op: Op) {
        match op {
            Op::Create(id) => {
                if self.held.insert(id, Certainty::Surely).is_some() {
                    self.imbalance.created_twice.push(id);
                }
            }
            Op::Delete(id) | Op::Abandon(id) => self.take(id),
            Op::Restart(id) => {
                if self.held.insert(id, Certainty::Surely).is_none() {
                    self.imbalance.not_held.push(id);
                }
            }
        }
    }

    fn close(mut self, to: &State) -> Imbalance {
        for (id, held) in self.held.iter() {
            let is_welcome = to.holds.contains(id) || to.may_hold.contains(id);
            if !is_welcome {
                self.imbalance.leaks.push(*id);
            } else if *held == Certainty::Maybe && to.holds.contains(id) {
                self.imbalance.not_created.push(*id);
            }
        }
        for id in &to.holds {
            if !self.held.has(id) {
                self.imbalance.not_created.push(*id);
            }
        }
        self.imbalance
    }
}
