//! What the handles of one member share.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::broadcast;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use turnstile_raft::Member as RaftMember;
use turnstile_replicated_lock_core::message::Command;
use turnstile_replicated_lock_core::types::{Address, LockName};

use crate::changes::StatusChange;
use crate::error::LockError;
use crate::node::{CoreNode, Unhandled};
use crate::shared::Shared;
use crate::status::{LockMember, LockState, Status};
use crate::turns::Turns;

/// What the handles share.
pub(crate) struct Inner {
    pub(crate) address: Address,
    pub(crate) raft: RaftMember,
    pub(crate) node: Arc<CoreNode>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) turns: Arc<Turns>,
    pub(crate) changes: broadcast::WeakSender<StatusChange>,
    pub(crate) unhandled: Unhandled,
    pub(crate) command_timeout: Duration,
    pub(crate) runtime: Handle,
    pub(crate) tasks: Vec<AbortHandle>,
    pub(crate) is_stopped: AtomicBool,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
        // Its network may serve the next member of this id already.
        if !self.is_stopped.load(Ordering::Acquire) {
            let raft = self.raft.clone();
            // A member without its tasks must not lead: it would exclude nobody.
            let _stopping = self.runtime.spawn(async move { raft.stop().await });
        }
    }
}

impl Inner {
    pub(crate) const fn runtime(&self) -> &Handle {
        &self.runtime
    }

    pub(crate) async fn ready(&self) -> Result<(), LockError> {
        if self.turns.is_closed() {
            return Err(LockError::Stopped);
        }
        if !self.shared.standing().is_ready && self.raft.status().is_removed() {
            return Err(LockError::Removed);
        }
        let ready = self.shared.standing_where(|now| now.is_ready);
        match timeout(self.command_timeout, ready).await {
            Ok(_) => Ok(()),
            Err(_) if self.raft.status().is_removed() => Err(LockError::Removed),
            Err(_) => Err(LockError::NoMajority),
        }
    }

    pub(crate) async fn command(&self, command: Command) -> Result<(), LockError> {
        self.node.command(command).await.map_err(|_| LockError::Stopped)
    }

    /// The fencing token of the task that has a lock.
    pub(crate) fn token(&self, lock: LockName) -> Option<u64> {
        let token = self.shared.read(|state| state.mutex(lock).and_then(|mutex| mutex.token));
        token.flatten().map(|token| token.number())
    }

    /// The locks that the core may still say something about.
    pub(crate) fn locks_in_use(&self) -> BTreeSet<LockName> {
        let locks = self.shared.read(|state| {
            let mutexes = state.mutexes().map(|(lock, _)| lock);
            state.told.keys().copied().chain(mutexes).collect()
        });
        locks.unwrap_or_default()
    }

    pub(crate) fn status(&self) -> Status {
        let raft = self.raft.status();
        let standing = self.shared.standing();
        let state = self.node.state();
        let data = self.shared.lock();
        let member = |address: &Address| LockMember {
            address: *address,
            id: data.sessions.member(*address),
        };
        let locks = state.replica.iter().map(|(name, lock)| LockState {
            lock: name,
            id: data.ids.get(&name).cloned(),
            holder: lock.holder.as_ref().map(member),
            token: lock.token.map(|token| token.number()),
            waiters: lock.waiters.iter().map(member).collect(),
        });
        Status {
            address: self.address,
            epoch: standing.session.epoch,
            is_ready: standing.is_ready && !raft.is_store_failing,
            raft,
            member: state.at.to_string(),
            present: state.present.iter().map(member).collect(),
            locks: locks.collect(),
            unhandled: self.unhandled.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }
}
