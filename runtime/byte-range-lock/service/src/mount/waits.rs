//! Requests for locks that wait, by the numbers that the kernel gave them, for their interruption.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Ticket;

/// How many interruptions are remembered whose request is not known.
const EARLY_MAX: usize = 4096;

/// The requests that wait.
#[derive(Debug, Default)]
pub(super) struct Waits {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    waiting: HashMap<u64, Option<Ticket>>,
    /// The last interrupted requests that were not known: of other kinds, or read by another thread
    /// that has not come to it yet.
    early: VecDeque<u64>,
}

impl Waits {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request begins. Returns `false` if it is interrupted already.
    pub(super) fn begin(&self, request: u64) -> bool {
        let mut table = self.table();
        if let Some(at) = table.early.iter().position(|early| *early == request) {
            table.early.remove(at);
            return false;
        }
        table.waiting.insert(request, None);
        true
    }

    /// A request waits. Returns `false` if it has been interrupted meanwhile.
    pub(super) fn wait(&self, request: u64, ticket: Ticket) -> bool {
        let mut table = self.table();
        // It is gone if it was answered meanwhile, and then cannot be withdrawn either.
        if let Some(waiting) = table.waiting.get_mut(&request) {
            *waiting = Some(ticket);
        }
        !table.early.contains(&request)
    }

    /// A request is answered.
    pub(super) fn end(&self, request: u64) {
        let mut table = self.table();
        table.waiting.remove(&request);
        table.early.retain(|early| *early != request);
    }

    /// A request is interrupted. Returns what is to be withdrawn.
    pub(super) fn interrupt(&self, request: u64) -> Option<Ticket> {
        let mut table = self.table();
        if let Some(Some(ticket)) = table.waiting.get(&request) {
            return Some(*ticket);
        }
        if table.early.len() == EARLY_MAX {
            table.early.pop_front();
        }
        table.early.push_back(request);
        None
    }
}
