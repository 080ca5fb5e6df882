//! The lock service of one member.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::runtime::Handle;
use tokio::sync::broadcast;
use tokio::task::AbortHandle;
use turnstile_host::store::Store;
use turnstile_host::{Event, Notices, random_bytes};
use turnstile_raft::network::Network;
use turnstile_raft::{Backup, Member as RaftMember, Members};
use turnstile_replicated_lock_core::Member;
use turnstile_replicated_lock_core::message::{Message, Notice};
use turnstile_replicated_lock_core::types::Address;

use crate::changes::{Changes, StatusChange};
use crate::driver::Driver;
use crate::error::LockError;
use crate::inner::Inner;
use crate::machine::{Machine, restored};
use crate::mutex::Mutex;
use crate::name::lock_name;
use crate::node::StartedNode;
use crate::operation::lock_of;
use crate::options::Options;
use crate::presence::Presence;
use crate::sender::{Queue, Sender};
use crate::shared::{Reports, Shared};
use crate::status::Status;
use crate::turns::Turns;

/// The lock service of one member. Clones are handles of the same one. It runs until
/// [`LockService::stop`]; dropping the last handle, mutex and guard stops it in the background.
#[derive(Clone)]
pub struct LockService(Arc<Inner>);

impl fmt::Debug for LockService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LockService").field("address", &self.0.address).finish_non_exhaustive()
    }
}

impl LockService {
    /// Starts a member on its store, which no other program may use. A new member waits until
    /// [`turnstile_raft::Member::initialize`] or `add_member` of [`LockService::raft`] makes it one
    /// of a group.
    ///
    /// # Errors
    /// When the options contradict each other, the system has no randomness, or the store has
    /// damaged data or belongs to another member.
    pub async fn start(
        options: Options,
        store: Box<dyn Store>,
        network: Arc<dyn Network>,
    ) -> io::Result<Self> {
        options.check()?;
        let address = Address(u64::from_le_bytes(random_bytes()?));
        let started = StartedNode::start(address, options.command_timeout, options.retry).await?;
        let StartedNode { node, inbox, notices, queue, told, unhandled } = started;
        let margin = 2 * options.raft.heartbeat;
        let presence = Presence::new(address, options.lease, margin);
        let shared = Shared::new(inbox, told, presence);
        let machine = Machine::new(Arc::clone(&shared), Arc::clone(&node));
        let reports = Arc::new(Reports(Arc::clone(&shared)));
        let raft = options.raft.clone();
        let raft = RaftMember::start_with(raft, store, machine, network, reports).await?;
        let turns = Arc::new(Turns::new());
        let (changes, _) = broadcast::channel(options.changes_max);
        let inner = Inner {
            address,
            raft: raft.clone(),
            node,
            shared: Arc::clone(&shared),
            turns: Arc::clone(&turns),
            changes: changes.downgrade(),
            unhandled,
            command_timeout: options.command_timeout,
            runtime: Handle::current(),
            tasks: start_tasks(&options, &shared, &raft, &turns, queue, notices, changes),
            is_stopped: AtomicBool::new(false),
        };
        Ok(Self(Arc::new(inner)))
    }

    /// Writes the state of another cluster, which [`turnstile_raft::Member::backup`] has saved,
    /// into an empty store for a member of a new cluster with these members; see
    /// [`turnstile_raft::Member::restore`]. Nobody holds a lock there, and the fencing tokens are
    /// greater than all of the other cluster.
    ///
    /// # Errors
    /// As [`turnstile_raft::Member::restore`], and when the backup is not one of locks.
    pub async fn restore(
        options: &Options,
        store: Box<dyn Store>,
        backup: Backup,
        members: &Members,
    ) -> io::Result<()> {
        let state = restored(backup.state())?;
        RaftMember::restore(&options.raft, store, &backup.with_state(state), members).await
    }

    /// The lock with this id. Two ids with the same [`lock_name`] are one lock, which is safe: it
    /// excludes more than it has to.
    #[must_use]
    pub fn lock(&self, id: &str) -> Mutex {
        let inner = &self.0;
        let turn = inner.turns.turn(lock_name(id), id, || inner.locks_in_use());
        Mutex::new(Arc::clone(inner), turn)
    }

    /// The changes of this member's status from now on.
    #[must_use]
    pub fn changes(&self) -> Changes {
        let changes = self.0.changes.upgrade().map(|changes| changes.subscribe());
        // Without a sender: the service has stopped.
        Changes(changes.unwrap_or_else(|| broadcast::channel(1).1))
    }

    /// The replicated log: its members, snapshots and elections.
    #[must_use]
    pub fn raft(&self) -> &RaftMember {
        &self.0.raft
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> Status {
        self.0.status()
    }

    /// Waits until the member takes commands: it is in a majority, and follows the log.
    ///
    /// # Errors
    /// When that is not so within the time-out of a command.
    pub async fn ready(&self) -> Result<(), LockError> {
        self.0.ready().await
    }

    /// Stops the member. Its locks are released once the others exclude it.
    pub async fn stop(&self) {
        self.0.tasks.iter().for_each(AbortHandle::abort);
        self.0.turns.close();
        if !self.0.is_stopped.swap(true, Ordering::AcqRel) {
            self.0.raft.stop().await;
        }
    }
}

fn start_tasks(
    options: &Options,
    shared: &Arc<Shared>,
    raft: &RaftMember,
    turns: &Arc<Turns>,
    queue: Queue,
    notices: Notices<Member>,
    changes: broadcast::Sender<StatusChange>,
) -> Vec<AbortHandle> {
    let (shared, raft, turns) = (Arc::clone(shared), raft.clone(), Arc::clone(turns));
    let heartbeat = options.raft.heartbeat;
    let driver =
        Driver { shared: Arc::clone(&shared), raft: raft.clone(), heartbeat, lease: options.lease };
    let listening = listen(Arc::clone(&shared), Arc::clone(&turns), notices, changes);
    let patience = options.raft.election_most;
    let sender = Sender { shared, raft, turns, queue, pause: heartbeat, patience };
    vec![
        tokio::spawn(driver.clone().tick()).abort_handle(),
        tokio::spawn(driver.clone().report()).abort_handle(),
        tokio::spawn(driver.register()).abort_handle(),
        tokio::spawn(sender.run()).abort_handle(),
        tokio::spawn(listening).abort_handle(),
    ]
}

/// Distributes what the core says to its users.
async fn listen(
    shared: Arc<Shared>,
    turns: Arc<Turns>,
    mut notices: Notices<Member>,
    changes: broadcast::Sender<StatusChange>,
) {
    while let Some(event) = notices.next().await {
        match event {
            Event::Notice(Notice::Changed { lock, status, token }) => {
                let (id, token) = (turns.id(lock), token.map(|token| token.number()));
                // An error means that nobody listens.
                let _deaf = changes.send(StatusChange { lock, id, status, token });
            }
            Event::Notice(Notice::Mutex { lock, event }) => turns.on_event(lock, event),
            Event::Unsent(unsent) => {
                if let Message::Execute(entry) = unsent.message {
                    shared.fail(&entry);
                    if lock_of(&entry.operation).is_none() {
                        // Without its RESET or UNLOCK_ALL it would wait for ever.
                        shared.give_up();
                    }
                }
            }
            Event::Broken => break,
        }
    }
    turns.close();
}
