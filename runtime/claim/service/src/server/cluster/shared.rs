//! The replica of this process, as the log and the requests share it.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, mpsc};
use turnstile_host::Bell;

use super::contact::Contact;
use super::replica::{Effect, Replica};
use crate::server::state::claim_engine::ClaimEngine;

/// The replica, and what wakes those that wait for its changes.
pub(super) struct Shared {
    replica: Mutex<Replica>,
    /// Rings when a term has begun.
    pub(super) term_begins: Bell,
    /// Of this member, if it leads.
    contact: Mutex<Contact>,
    /// A timer is due earlier than before.
    pub(super) is_rearmed: Notify,
    orphans: mpsc::UnboundedSender<u64>,
}

impl Shared {
    pub(super) fn new(replica: Replica, orphans: mpsc::UnboundedSender<u64>) -> Self {
        Self {
            replica: Mutex::new(replica),
            term_begins: Bell::default(),
            contact: Mutex::default(),
            is_rearmed: Notify::new(),
            orphans,
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Replica> {
        self.replica.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn contact(&self) -> MutexGuard<'_, Contact> {
        self.contact.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The term that has begun.
    pub(super) fn term(&self) -> u64 {
        self.lock().head.term
    }

    /// Calls a function with the engine, at the estimated time of the leader.
    pub(super) fn with<T>(&self, act: impl FnOnce(&mut ClaimEngine<'_>) -> T) -> T {
        self.lock().with(act)
    }

    /// Applies an operation of the log.
    pub(super) fn apply(&self, operation: &[u8]) -> Effect {
        self.change(|replica| replica.apply(operation))
    }

    /// Replaces the state by one of a snapshot.
    pub(super) fn install(&self, snapshot: &[u8]) -> io::Result<()> {
        self.change(|replica| replica.install(snapshot))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Replica) -> T) -> T {
        let mut replica = self.lock();
        let due_us = replica.next_due_us().unwrap_or(u64::MAX);
        let before = replica.head.term;
        let result = change(&mut replica);
        let is_earlier = replica.next_due_us().is_some_and(|next_us| next_us < due_us);
        let orphans = std::mem::take(&mut replica.orphans);
        let term = replica.head.term;
        drop(replica);
        for caller in orphans {
            // An error means that the member stops.
            let _stopping = self.orphans.send(caller);
        }
        if is_earlier {
            self.is_rearmed.notify_one();
        }
        if term != before {
            self.term_begins.ring();
        }
        result
    }
}
