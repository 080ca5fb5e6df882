//! A cache manager: the core on a host, its files, and the requests of its clients.

use std::fmt;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::Instant;
use turnstile_byte_range_lock_core::ByteRange;
use turnstile_byte_range_lock_core::locks::LockType;
use turnstile_byte_range_lock_core::manager::{CacheManager, Timer};
use turnstile_byte_range_lock_core::message::{FileId, Lease, Message, ServerReply, ServerRequest};
use turnstile_host::{Clock, Engine, Host, HostState, Moment, Outlet, Trace, wall_us};
use turnstile_ids::number::CallId;
use turnstile_step::Input;

use crate::error::LockError;
use crate::file_server::{Caller, FileServer, Reply};
use crate::lock::{Access, HeldLock, LockRequest, Owner};
use crate::service::{Done, Files, Leaving, OnLost};
use crate::steps::Steps;

/// The configuration of a manager.
pub struct Options {
    check: Duration,
    on_lost: OnLost,
    trace: Option<Trace>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("check", &self.check).finish_non_exhaustive()
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new(Duration::from_mins(1))
    }
}

impl Options {
    /// A configuration by which the lock of each file is extended this often: in the document, once
    /// a minute, and a lock that is not extended for five minutes is lost.
    #[must_use]
    pub fn new(check: Duration) -> Self {
        Self { check, on_lost: Box::new(|_, _| {}), trace: None }
    }

    /// Records each step of the core. `turnstile replay` checks the trace against the tables.
    #[must_use]
    pub fn trace(mut self, trace: Trace) -> Self {
        self.trace = Some(trace);
        self
    }

    /// Sets what is called when an owner has lost its locks of a file.
    #[must_use]
    pub fn on_lost(mut self, on_lost: impl Fn(FileNumber, Owner) + Send + Sync + 'static) -> Self {
        self.on_lost = Box::new(move |file, owner| on_lost(FileNumber(file), owner));
        self
    }
}

/// The number of a file that a manager has open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileNumber(FileId);

/// Grants locks of byte ranges, as the document's cache manager.
#[derive(Debug)]
pub struct Manager {
    shared: Arc<Shared>,
    timers: JoinHandle<()>,
}

/// A file of a manager. Clones are the same file; the last one that is dropped closes it.
#[derive(Clone, Debug)]
pub struct File(Arc<OpenFile>);

#[derive(Debug)]
struct OpenFile {
    shared: Weak<Shared>,
    id: FileId,
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.upgrade() {
            shared.with(|steps| steps.close(self.id));
        }
    }
}

impl File {
    /// Its number.
    #[must_use]
    pub fn number(&self) -> FileNumber {
        FileNumber(self.0.id)
    }
}

/// A request that waits, to be withdrawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket(pub(crate) u64);

impl Manager {
    /// Starts a manager. Its timers run in the current tokio runtime.
    #[must_use]
    pub fn start(options: Options) -> Self {
        let Options { check, on_lost, trace } = options;
        let clock = Clock::start(wall_us(), Moment::default());
        let observer = trace.map(|trace| trace.observer::<CacheManager>("cache manager"));
        let mut engine = Engine::new(CacheManager::new(), Files::new(check), observer);
        engine.apply(clock.now(), Input::Restart(None), &mut None);
        let leaving = LeavingOutlet { shared: Arc::default(), on_lost };
        let own = leaving.shared.clone();
        let host = Host::new(HostState::new(engine, clock, true), leaving);
        let timers = tokio::spawn(host.clone().drive_timers());
        let shared = Arc::new(Shared { host, clock });
        own.set(Arc::downgrade(&shared)).expect("it is set once");
        Self { shared, timers }
    }

    /// Opens a file, whose whole lock the server keeps.
    pub fn open(&self, server: impl FileServer) -> File {
        let id = self.shared.with(|steps| steps.open(Arc::new(server)));
        File(Arc::new(OpenFile { shared: Arc::downgrade(&self.shared), id }))
    }

    /// Requests a lock. It replaces the owner's locks of the same bytes, in one step, as `fcntl`
    /// does. `done` is called with the outcome, now or later, on any thread, and not while the
    /// manager is locked.
    pub fn request(
        &self,
        file: &File,
        request: LockRequest,
        done: impl FnOnce(Result<(), LockError>) + Send + 'static,
    ) -> Option<Ticket> {
        let done: Done = Box::new(done);
        self.shared.with(|steps| steps.request(file.0.id, request, done)).map(Ticket)
    }

    /// Withdraws a request, unless it has an outcome. Returns whether that was so.
    pub fn withdraw(&self, Ticket(ticket): Ticket) -> bool {
        self.shared.with(|steps| steps.withdraw(ticket))
    }

    /// Requests a lock, and waits for its outcome; see [`Manager::request`]. The request is
    /// withdrawn if the future is dropped.
    ///
    /// # Errors
    /// When the lock is not granted.
    pub async fn lock(&self, file: &File, request: LockRequest) -> Result<(), LockError> {
        let (done, outcome) = tokio::sync::oneshot::channel();
        let ticket = self.request(file, request, move |outcome| {
            // An error means that nobody waits any more, and the withdrawal came too late.
            let _late = done.send(outcome);
        });
        let _withdrawn = ticket.map(|ticket| WithdrawOnDrop { manager: self, ticket });
        outcome.await.unwrap_or(Err(LockError::Stopped))
    }

    /// Releases an owner's locks of a range. Bytes on either side stay locked.
    ///
    /// # Errors
    /// [`LockError::Lost`] when one of these locks was lost; it is released all the same.
    pub fn unlock(&self, file: &File, owner: Owner, range: ByteRange) -> Result<(), LockError> {
        self.shared.with(|steps| steps.unlock(file.0.id, owner, range))
    }

    /// Releases all locks of an owner that is gone, and withdraws its requests.
    pub fn owner_gone(&self, file: &File, owner: Owner) {
        self.shared.with(|steps| steps.owner_gone(file.0.id, owner));
    }

    /// The lock of another owner that is in the way of such a request, if there is one.
    #[must_use]
    pub fn test(
        &self,
        file: &File,
        owner: Owner,
        kind: LockType,
        range: ByteRange,
    ) -> Option<HeldLock> {
        self.shared.with(|steps| steps.test(file.0.id, owner, Some(kind), range))
    }

    /// The first lock of an owner that has a byte of a range, if there is one.
    #[must_use]
    pub fn held(&self, file: &File, owner: Owner, range: ByteRange) -> Option<HeldLock> {
        self.shared.with(|steps| steps.test(file.0.id, owner, None, range))
    }

    /// Whether one of these owners may read or write a range, by the document's rules.
    #[must_use]
    pub fn allows(&self, file: &File, owners: &[Owner], access: Access, range: ByteRange) -> bool {
        self.shared.with(|steps| steps.allows(file.0.id, owners, access, range))
    }

    /// Whether a program that acts for these owners may read or write a range as far as lost locks
    /// go: none of them has lost a lock of it, and the document's rules permit it to one of them.
    /// In a file without lost locks, everything is permitted.
    #[must_use]
    pub fn has_kept(
        &self,
        file: &File,
        owners: &[Owner],
        access: Access,
        range: ByteRange,
    ) -> bool {
        self.shared.with(|steps| steps.has_kept(file.0.id, owners, access, range))
    }

    /// Whether any lock of a file is lost.
    #[must_use]
    pub fn has_lost(&self, file: &File) -> bool {
        self.shared.with(|steps| steps.has_lost(file.0.id))
    }

    /// How many locks of a file there are, including those that wait.
    #[must_use]
    pub fn count(&self, file: &File) -> usize {
        self.shared.with(|steps| steps.count(file.0.id))
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        self.timers.abort();
        self.shared.host.close();
    }
}

struct WithdrawOnDrop<'a> {
    manager: &'a Manager,
    ticket: Ticket,
}

impl Drop for WithdrawOnDrop<'_> {
    fn drop(&mut self) {
        self.manager.withdraw(self.ticket);
    }
}

/// What a manager shares with the replies of file servers.
#[derive(Debug)]
struct Shared {
    host: Host<Files>,
    clock: Clock,
}

impl Shared {
    /// Calls a function with the core, and passes on what it has caused.
    fn with<T>(&self, act: impl FnOnce(&mut Steps<'_>) -> T) -> T {
        self.host.with(|state| {
            let mut steps = Steps::new(state);
            let result = act(&mut steps);
            steps.finish();
            result
        })
    }

    /// An instant on the host's clock.
    fn at_us(&self, instant: Instant) -> u64 {
        let ahead = instant.saturating_duration_since(Instant::now());
        let ahead_us = u64::try_from(ahead.as_micros()).unwrap_or(u64::MAX);
        self.clock.now_us().saturating_add(ahead_us)
    }
}

impl Caller for Shared {
    fn answered(&self, file: FileId, call: CallId, reply: ServerReply, until: Option<Instant>) {
        let until_us = until.map(|until| self.at_us(until));
        let is_over = until.is_some_and(|until| until <= Instant::now());
        let lease = if is_over { Lease::Lapsed } else { Lease::Live };
        self.with(|steps| steps.answered(file, Message::Reply { call, reply, lease }, until_us));
    }

    fn busy(&self, file: FileId, call: CallId) {
        self.with(|steps| steps.busy(file, call));
    }

    fn lapsed(&self, file: FileId) {
        self.with(|steps| steps.fire(Timer::Lease(file)));
    }
}

/// Makes the calls, and tells the outcomes, after each step.
struct LeavingOutlet {
    shared: Arc<OnceLock<Weak<Shared>>>,
    on_lost: OnLost,
}

impl Outlet<Leaving> for LeavingOutlet {
    fn deliver(&self, outgoing: &mut Vec<Leaving>, _is_durable: bool) {
        let shared = || self.shared.get().cloned().unwrap_or_default();
        for leaving in outgoing.drain(..) {
            match leaving {
                Leaving::Outcome(done, outcome) => done(outcome),
                Leaving::Lost(file, owner) => (self.on_lost)(file, owner),
                Leaving::Attend => {
                    if let Some(shared) = shared().upgrade() {
                        shared.with(|_| {});
                    }
                }
                Leaving::Call { server, file, call, request, given_up } => {
                    let caller = shared();
                    let reply = Reply { caller, file, call, given_up, is_sent: false };
                    match request {
                        ServerRequest::Set(lock) => server.lock(lock, reply),
                        ServerRequest::Extend => server.extend(reply),
                        ServerRequest::Release => server.release(reply),
                    }
                }
            }
        }
    }
}
