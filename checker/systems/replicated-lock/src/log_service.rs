//! How the log applies a command: it chooses among several matching rows, and every replica takes
//! the same one.

use turnstile_ids::number::Token;
use turnstile_replicated_lock_core::types::{Address, LogEntry};
use turnstile_replicated_lock_core::{Locks, Service};
use turnstile_world::Breaches;

use crate::postconditions;
use crate::replicated::{Replicated, StatusRules};

/// The replicated state machine of the log, with a choice among matching rows.
#[derive(Debug)]
pub(crate) struct LogService<'r> {
    system: &'r Replicated,
    own: Service<StatusRules>,
    choice: u8,
    /// The rules that the commands break.
    breaches: &'r mut Breaches,
}

impl<'r> LogService<'r> {
    /// With the choice of one step.
    pub(crate) fn new(system: &'r Replicated, choice: u8, breaches: &'r mut Breaches) -> Self {
        let own = Service { rules: system.status.choosing(choice) };
        Self { system, own, choice: system.status.choice(choice), breaches }
    }

    /// Checks a command by the locks before and after it.
    pub(crate) fn check(
        &mut self,
        locks: [&Locks; 2],
        entry: &LogEntry,
        stayed: &dyn Fn(Address) -> bool,
    ) {
        postconditions::check(&self.own.rules, locks, entry, stayed, self.breaches);
    }

    /// Applies a command, and returns the choice that the replicas take: the least one of those
    /// that apply it in the same way, so that choices without a difference are one.
    pub(crate) fn apply(&self, locks: &mut Locks, index: Token, entry: &LogEntry) -> u8 {
        let before = (self.choice > 0).then(|| locks.clone());
        let mut rows = Vec::new();
        self.own.apply(locks, index, entry, &mut rows);
        let Some(before) = before else { return 0 };
        let is_same = |choice: &u8| {
            let (mut other, mut other_rows) = (before.clone(), Vec::new());
            self.system.replica(*choice).apply(&mut other, index, entry, &mut other_rows);
            (&other, &other_rows) == (&*locks, &rows)
        };
        (0..self.choice).find(is_same).unwrap_or(self.choice)
    }
}
