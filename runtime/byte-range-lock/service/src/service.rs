//! The core's service: the durations of its timers, its calls to file servers, and its notices.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use turnstile_byte_range_lock_core::ByteRange;
use turnstile_byte_range_lock_core::locks::{ClientKey, LockType};
use turnstile_byte_range_lock_core::manager::{CacheManager, Notice, Timer};
use turnstile_byte_range_lock_core::message::{FileId, FileServerPeer, Message, ServerRequest};
use turnstile_byte_range_lock_core::number::LockId;
use turnstile_host::{Service, StepIo};
use turnstile_ids::number::CallId;

use crate::error::LockError;
use crate::file_server::FileServer;
use crate::lock::Owner;

/// The client of commands that no owner of locks gives.
pub(crate) const NOBODY: ClientKey = ClientKey(0);

/// Called with the outcome of a request.
pub(crate) type Done = Box<dyn FnOnce(Result<(), LockError>) + Send>;

/// Called when an owner has lost its locks of a file.
pub(crate) type OnLost = Box<dyn Fn(FileId, Owner) + Send + Sync>;

/// The files of a manager, by the numbers that the core knows.
pub(crate) struct Files {
    pub(crate) entries: HashMap<FileId, Entry>,
    /// The file of each request that waits, with the lock that it waits for.
    pub(crate) tickets: HashMap<u64, (FileId, LockId)>,
    pub(crate) last_ticket: u64,
    pub(crate) last_file: u32,
    /// Files that nobody has, and that the core may still know.
    closed: Vec<FileId>,
    /// The length of `closed` at which it is looked through.
    closed_max: usize,
    /// Notices that have not been passed on.
    pub(crate) noticed: Vec<Notice>,
    /// Whether the caller of the current step passes its notices on.
    pub(crate) is_attended: bool,
    check: Duration,
}

/// A file that is in use.
pub(crate) struct Entry {
    pub(crate) server: Arc<dyn FileServer>,
    pub(crate) owners: HashMap<Owner, Client>,
    pub(crate) keys: HashMap<ClientKey, Owner>,
    pub(crate) last_key: u32,
    /// The order in which owners have locked the file.
    pub(crate) last_turn: u64,
    /// The requests that wait, by the lock that each waits for.
    pub(crate) waiting: BTreeMap<LockId, Waiting>,
    /// How many of these wait for their owner's own locks to be replaced.
    pub(crate) replacing: usize,
    /// The number of the byte that the next guard locks.
    pub(crate) last_guard: u64,
    pub(crate) call: Option<OpenCall>,
}

/// An owner of locks of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    pub(crate) key: ClientKey,
    pub(crate) process: u32,
    /// Its place among the owners that have locks.
    pub(crate) turn: Option<u64>,
}

/// The call to the file server that has no answer yet.
pub(crate) struct OpenCall {
    pub(crate) id: CallId,
    pub(crate) is_busy: bool,
    /// Whether it asks for a lock: other calls are not given up.
    pub(crate) is_for_lock: bool,
    pub(crate) give_up: watch::Sender<bool>,
}

/// A request that waits.
pub(crate) struct Waiting {
    pub(crate) ticket: u64,
    pub(crate) key: ClientKey,
    pub(crate) kind: LockType,
    pub(crate) range: ByteRange,
    pub(crate) may_wait: bool,
    pub(crate) guard: Option<Guard>,
    pub(crate) done: Done,
}

/// A lock that asserts a server lock while an owner's own locks are replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard {
    pub(crate) id: LockId,
    pub(crate) key: ClientKey,
}

impl Files {
    pub(crate) fn new(check: Duration) -> Self {
        Self {
            entries: HashMap::new(),
            tickets: HashMap::new(),
            last_ticket: 0,
            last_file: 0,
            closed: Vec::new(),
            closed_max: CLOSED_MIN,
            noticed: Vec::new(),
            is_attended: false,
            check,
        }
    }

    /// Closes a file, which is kept until the core has forgotten it. Returns the closed files when
    /// it is time to look which of them are.
    pub(crate) fn close(&mut self, file: FileId) -> Option<Vec<FileId>> {
        self.closed.push(file);
        (self.closed.len() >= self.closed_max).then(|| std::mem::take(&mut self.closed))
    }

    /// Keeps closed files that the core still knows.
    pub(crate) fn keep_closed(&mut self, closed: Vec<FileId>) {
        self.closed_max = closed.len() * 2 + CLOSED_MIN;
        self.closed = closed;
    }
}

/// The fewest closed files that are kept before the core is asked which of them it has forgotten.
const CLOSED_MIN: usize = 64;

impl Entry {
    pub(crate) fn new(server: Arc<dyn FileServer>) -> Self {
        Self {
            server,
            owners: HashMap::new(),
            keys: HashMap::new(),
            last_key: 0,
            last_turn: 0,
            waiting: BTreeMap::new(),
            replacing: 0,
            last_guard: 0,
            call: None,
        }
    }
}

/// What leaves a manager.
pub(crate) enum Leaving {
    /// A call to the file server of a file.
    Call {
        server: Arc<dyn FileServer>,
        file: FileId,
        call: CallId,
        request: ServerRequest,
        given_up: watch::Receiver<bool>,
    },
    /// The outcome of a request.
    Outcome(Done, Result<(), LockError>),
    /// An owner has lost its locks.
    Lost(FileId, Owner),
    /// Notices of a timer are to be passed on.
    Attend,
}

impl fmt::Debug for Leaving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Call { .. } => "Call",
            Self::Outcome(..) => "Outcome",
            Self::Lost(..) => "Lost",
            Self::Attend => "Attend",
        })
    }
}

impl Service for Files {
    type Core = CacheManager;
    /// The end of the lease that a reply grants; `None` if it has none.
    type Context = Option<u64>;
    type Outgoing = Leaving;

    fn due_us(&mut self, step: &mut StepIo<'_, Self>, timer: Timer) -> Option<u64> {
        match timer {
            Timer::Check(_) => {
                let check_us = u64::try_from(self.check.as_micros()).unwrap_or(u64::MAX);
                Some(step.now.at_us.saturating_add(check_us))
            }
            Timer::Lease(_) => *step.context,
            // A client that does not want to wait any longer abandons its lock.
            Timer::Wait(..) => None,
        }
    }

    fn save(&mut self, _step: &mut StepIo<'_, Self>, (): ()) {}

    fn notify(&mut self, step: &mut StepIo<'_, Self>, notice: Notice) {
        if self.noticed.is_empty() && !self.is_attended {
            step.outgoing.push(Leaving::Attend);
        }
        self.noticed.push(notice);
    }

    fn send(&mut self, step: &mut StepIo<'_, Self>, _to: FileServerPeer, message: Message) {
        let Message::Call { call, file, request } = message else { return };
        let Some(entry) = self.entries.get_mut(&file) else { return };
        let is_for_lock = matches!(request, ServerRequest::Set(_));
        let (give_up, given_up) = watch::channel(false);
        entry.call = Some(OpenCall { id: call, is_busy: false, is_for_lock, give_up });
        let server = entry.server.clone();
        step.outgoing.push(Leaving::Call { server, file, call, request, given_up });
    }
}

impl Entry {
    /// A client has a lock now.
    pub(crate) fn take_turn(&mut self, key: ClientKey) {
        let client = self.keys.get(&key).and_then(|owner| self.owners.get_mut(owner));
        if let Some(client) = client.filter(|client| client.turn.is_none()) {
            self.last_turn += 1;
            client.turn = Some(self.last_turn);
        }
    }

    /// A key that no client has.
    pub(crate) fn new_key(&mut self) -> ClientKey {
        loop {
            self.last_key = self.last_key.wrapping_add(1);
            let key = ClientKey(self.last_key);
            let is_guard = |waiting: &Waiting| waiting.guard.is_some_and(|guard| guard.key == key);
            let is_free = !self.keys.contains_key(&key) && !self.waiting.values().any(is_guard);
            if key != NOBODY && is_free {
                return key;
            }
        }
    }
}
