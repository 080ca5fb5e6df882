//! Adds up one row: what its source holds, less what the row takes, plus what it creates, beside
//! what its destination holds. Says nothing; [`super::resources`] does.

use crate::sorted::Sorted;
use crate::table::{Do, Op, ResourceId, Row, State};

/// What does not add up.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Account {
    /// Taken by the event or by an action, and not held.
    pub(super) not_held: Vec<ResourceId>,
    /// Created, and held already.
    pub(super) twice: Vec<ResourceId>,
    /// Held at the end, and not by the destination.
    pub(super) leaks: Vec<ResourceId>,
    /// Held by the destination, and not at the end.
    pub(super) not_brought: Vec<ResourceId>,
}

/// Whether a resource is held at some moment of a row; nothing said: it is not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    Maybe,
    Surely,
}

struct Sum {
    held: Sorted<ResourceId, Held>,
    account: Account,
}

/// Adds up a row.
pub(super) fn add_up(row: &Row, from: &State, to: &State) -> Account {
    let mut held = Sorted::default();
    for (ids, how) in [(&from.may_hold, Held::Maybe), (&from.holds, Held::Surely)] {
        for id in ids {
            held.insert(*id, how);
        }
    }
    let mut sum = Sum { held, account: Account::default() };
    for id in &row.consumes {
        sum.take(*id);
    }
    for Do::Act { ops, .. } in &row.does {
        ops.iter().for_each(|op| sum.put(*op));
    }
    sum.close(to)
}

impl Sum {
    fn take(&mut self, id: ResourceId) {
        if self.held.remove(&id).is_none() {
            self.account.not_held.push(id);
        }
    }

    fn put(&mut self, op: Op) {
        match op {
            Op::Create(id) => {
                if self.held.insert(id, Held::Surely).is_some() {
                    self.account.twice.push(id);
                }
            }
            Op::Delete(id) | Op::Abandon(id) => self.take(id),
            Op::Restart(id) => {
                if self.held.insert(id, Held::Surely).is_none() {
                    self.account.not_held.push(id);
                }
            }
        }
    }

    fn close(mut self, to: &State) -> Account {
        for (id, held) in self.held.iter() {
            let is_welcome = to.holds.contains(id) || to.may_hold.contains(id);
            if !is_welcome {
                self.account.leaks.push(*id);
            } else if *held == Held::Maybe && to.holds.contains(id) {
                self.account.not_brought.push(*id);
            }
        }
        for id in &to.holds {
            if !self.held.has(id) {
                self.account.not_brought.push(*id);
            }
        }
        self.account
    }
}
