//! The steps of a manager while it is locked: commands of its clients, and what follows from them.

use std::sync::Arc;

use turnstile_byte_range_lock_core::ByteRange;
use turnstile_byte_range_lock_core::locks::{ByteRangeLock, ClientKey, FileLocks, LockType};
use turnstile_byte_range_lock_core::manager::{Command, Notice, Operation, Outcome, Timer};
use turnstile_byte_range_lock_core::message::{FileId, FileServerPeer, Message};
use turnstile_byte_range_lock_core::number::LockId;
use turnstile_byte_range_lock_machines::byte_range_lock::State as At;
use turnstile_byte_range_lock_machines::server_lock::State as Server;
use turnstile_host::HostState;
use turnstile_ids::number::CallId;
use turnstile_step::Input;

use crate::error::LockError;
use crate::file_server::FileServer;
use crate::lock::{Access, Owner};
use crate::service::{Client, Entry, Files, Leaving, NOBODY, Waiting};

/// A manager while it is locked.
pub(crate) struct Steps<'a> {
    state: &'a mut HostState<Files>,
    /// Files of which locks are gone that requests of [`Entry::replacing`] may wait for.
    freed: Vec<FileId>,
}

impl<'a> Steps<'a> {
    /// The steps of one call.
    pub(crate) fn new(state: &'a mut HostState<Files>) -> Self {
        state.engine.service.is_attended = true;
        Self { state, freed: Vec::new() }
    }

    /// Passes on all notices, and what follows from them.
    pub(crate) fn finish(mut self) {
        while self.pass_on() || self.retry() {}
        self.state.engine.service.is_attended = false;
    }

    pub(crate) fn is_over(&self) -> bool {
        self.state.is_over()
    }

    pub(crate) fn files(&mut self) -> &mut Files {
        &mut self.state.engine.service
    }

    pub(crate) fn entry(&mut self, file: FileId) -> &mut Entry {
        self.files().entries.get_mut(&file).expect("a file that somebody has is known")
    }

    /// The locks of a file, if the core has any.
    pub(crate) fn locks(&self, file: FileId) -> Option<&FileLocks> {
        Some(&self.state.engine.state().file(file)?.locks)
    }

    pub(crate) fn lock(&self, file: FileId, id: LockId) -> Option<&ByteRangeLock> {
        self.locks(file)?.lock(id)
    }

    pub(crate) fn open(&mut self, server: Arc<dyn FileServer>) -> FileId {
        let files = self.files();
        let id = loop {
            files.last_file = files.last_file.wrapping_add(1);
            if !files.entries.contains_key(&FileId(files.last_file)) {
                break FileId(files.last_file);
            }
        };
        files.entries.insert(id, Entry::new(server));
        id
    }

    /// Releases all locks of a file that nobody has.
    pub(crate) fn close(&mut self, file: FileId) {
        let owners: Vec<Owner> = self.entry(file).owners.keys().copied().collect();
        for owner in owners {
            self.owner_gone(file, owner);
        }
        let Some(mut closed) = self.files().close(file) else { return };
        closed.retain(|file| {
            let is_known = self.state.engine.state().file(*file).is_some();
            if !is_known {
                self.files().entries.remove(file);
            }
            is_known
        });
        self.files().keep_closed(closed);
    }

    /// Gives the core a command.
    fn command(&mut self, file: FileId, key: ClientKey, operation: Operation) {
        self.state.apply(Input::Command(Command { file, key, operation }), &mut None);
    }

    /// Gives the core a command whose outcome it tells the client in the same step.
    fn ask(&mut self, file: FileId, key: ClientKey, operation: Operation) -> Outcome {
        let before = self.files().noticed.len();
        self.command(file, key, operation);
        let noticed = &mut self.files().noticed;
        let own = noticed[before..].iter().position(|notice| notice.key == key);
        let own = own.expect("the core tells each client the outcome of its request");
        noticed.remove(before + own).outcome
    }

    /// Requests a lock of the core: its number, and whether it waits.
    pub(crate) fn take(
        &mut self,
        file: FileId,
        key: ClientKey,
        kind: LockType,
        range: ByteRange,
    ) -> Result<(LockId, At), LockError> {
        match self.ask(file, key, Operation::Lock(kind, range)) {
            Outcome::Granted(id) => Ok((id, At::Active)),
            Outcome::Waits(id) => {
                let at = self.lock(file, id).map_or(At::NotExist, |lock| lock.at);
                Ok((id, at))
            }
            Outcome::TimedOut(_) | Outcome::Lost(_) | Outcome::Refused | Outcome::Allowed => {
                Err(LockError::Lost)
            }
        }
    }

    /// Releases a lock that is granted or lost, or abandons one that waits.
    pub(crate) fn drop_lock(&mut self, file: FileId, id: LockId) {
        let Some(&ByteRangeLock { key, at, .. }) = self.lock(file, id) else { return };
        let operation = match at {
            At::Waitlock | At::Waitunlock => Operation::Abandon(id),
            At::Active | At::Lost | At::Deleted | At::NotExist => Operation::Unlock(id),
        };
        self.command(file, key, operation);
    }

    /// Locks of a file are gone.
    pub(crate) fn freed(&mut self, file: FileId) {
        if self.entry(file).replacing > 0 {
            self.freed.push(file);
        }
        self.give_up(file);
    }

    /// Tells the outcome of a request.
    pub(crate) fn tell(&mut self, file: FileId, waiting: Waiting, outcome: Result<(), LockError>) {
        if outcome.is_ok() {
            self.entry(file).take_turn(waiting.key);
        }
        self.files().tickets.remove(&waiting.ticket);
        self.state.push(Leaving::Outcome(waiting.done, outcome));
    }

    /// Passes notices on. Returns whether there were any.
    fn pass_on(&mut self) -> bool {
        let noticed = std::mem::take(&mut self.files().noticed);
        for notice in &noticed {
            self.notice(*notice);
        }
        !noticed.is_empty()
    }

    fn notice(&mut self, Notice { file, key, outcome }: Notice) {
        match outcome {
            Outcome::Granted(id) => self.granted(file, id),
            Outcome::Lost(id) => {
                self.lost(file, key, id);
                self.freed(file);
            }
            // Nobody has asked, or nobody waits any more.
            Outcome::TimedOut(_) | Outcome::Waits(_) | Outcome::Refused | Outcome::Allowed => {}
        }
    }

    fn lost(&mut self, file: FileId, key: ClientKey, id: LockId) {
        let entry = self.entry(file);
        if let Some(waiting) = entry.waiting.remove(&id) {
            self.drop_lock(file, id);
            return self.end(file, waiting, Err(LockError::Refused));
        }
        if let Some(owner) = entry.keys.get(&key).copied() {
            self.state.push(Leaving::Lost(file, owner));
        }
    }

    /// Tries again to replace locks, for requests that had to wait for that.
    fn retry(&mut self) -> bool {
        let freed = std::mem::take(&mut self.freed);
        for file in &freed {
            self.retry_file(*file);
        }
        !freed.is_empty()
    }

    /// The reply of a file server arrives.
    pub(crate) fn answered(&mut self, file: FileId, message: Message, until_us: Option<u64>) {
        let Message::Reply { call, .. } = message else { return };
        let Some(entry) = self.files().entries.get_mut(&file) else { return };
        let Some(open) = entry.call.take_if(|open| open.id == call) else { return };
        let input = Input::Message { from: FileServerPeer, message };
        self.state.apply(input, &mut until_us.clone());
        self.check_early(file, *open.give_up.borrow());
    }

    /// If a call was given up, the locks that are there since wait for no call, or need another:
    /// asks at once and not at the next check.
    fn check_early(&mut self, file: FileId, is_given_up: bool) {
        let Some(known) = self.state.engine.state().file(file) else { return };
        let is_due = is_given_up || known.locks.has_any_in(At::Waitlock);
        if known.pending_call.is_none() && is_due {
            self.fire(Timer::Check(file));
        }
    }

    /// Fires a timer before it is due, if it is armed.
    pub(crate) fn fire(&mut self, timer: Timer) {
        let now = self.state.now();
        self.state.engine.fire_early(now, timer);
    }

    /// The file server has another manager's lock in the way.
    pub(crate) fn busy(&mut self, file: FileId, call: CallId) {
        let Some(entry) = self.files().entries.get_mut(&file) else { return };
        let Some(open) = entry.call.as_mut().filter(|open| open.id == call) else { return };
        open.is_busy = true;
        let impatient = entry.waiting.iter().filter(|(_, waiting)| !waiting.may_wait);
        let impatient: Vec<LockId> = impatient.map(|(id, _)| *id).collect();
        for id in impatient {
            self.abandon(file, id, LockError::WouldBlock);
        }
        self.give_up(file);
    }

    /// Gives up a call that cannot be answered now: one that no lock waits for, or one that waits
    /// with a lock of the file in the way of others that no lock needs any more.
    pub(crate) fn give_up(&mut self, file: FileId) {
        let Some(known) = self.state.engine.state().file(file) else { return };
        let is_in_the_way =
            known.server == Server::LockRead && known.locks.valid(LockType::Shared) == 0;
        let is_needed = known.locks.has_any_in(At::Waitlock) && !is_in_the_way;
        if let Some(call) = &self.entry(file).call
            && call.is_busy
            && call.is_for_lock
            && !is_needed
        {
            call.give_up.send_replace(true);
        }
    }

    /// Whether a file has lost locks.
    pub(crate) fn has_lost(&self, file: FileId) -> bool {
        let locks = self.locks(file);
        locks.is_some_and(|locks| locks.has_any_in(At::Lost))
    }

    pub(crate) fn count(&self, file: FileId) -> usize {
        self.locks(file).map_or(0, FileLocks::len)
    }

    /// Whether owners have kept the locks by which they read or write a range: who has lost locks
    /// may do so as far as these are elsewhere, and one of the owners may in any case.
    pub(crate) fn has_kept(
        &mut self,
        file: FileId,
        owners: &[Owner],
        access: Access,
        range: ByteRange,
    ) -> bool {
        if !self.has_lost(file) {
            return true;
        }
        let has_lost = |steps: &mut Self, owner: &Owner| {
            let client = steps.entry(file).owners.get(owner).copied();
            let locks = steps.locks(file).zip(client);
            locks.is_some_and(|(locks, client)| {
                locks.of(client.key).any(|(_, lock)| lock.at == At::Lost)
            })
        };
        let losers: Vec<Owner> =
            owners.iter().filter(|owner| has_lost(self, owner)).copied().collect();
        losers.into_iter().all(|owner| self.allows(file, &[owner], access, range))
            && self.allows(file, owners, access, range)
    }

    /// Whether one of these owners may read or write a range.
    pub(crate) fn allows(
        &mut self,
        file: FileId,
        owners: &[Owner],
        access: Access,
        range: ByteRange,
    ) -> bool {
        let operation = match access {
            Access::Read => Operation::Read(range),
            Access::Write => Operation::Write(range),
        };
        let entry = self.entry(file);
        let key = |owner: &Owner| entry.owners.get(owner).map_or(NOBODY, |client| client.key);
        let mut keys: Vec<ClientKey> = owners.iter().map(key).collect();
        if keys.is_empty() {
            keys.push(NOBODY);
        }
        keys.into_iter().any(|key| self.ask(file, key, operation) == Outcome::Allowed)
    }

    /// The client of an owner, which is made if there is none.
    pub(crate) fn client(&mut self, file: FileId, owner: Owner, process: u32) -> ClientKey {
        let entry = self.entry(file);
        if let Some(client) = entry.owners.get_mut(&owner) {
            client.process = process;
            return client.key;
        }
        let key = entry.new_key();
        entry.owners.insert(owner, Client { key, process, turn: None });
        entry.keys.insert(key, owner);
        key
    }

    /// Forgets an owner that has no locks, and waits for none: a request that waits for its guard
    /// has none yet.
    pub(crate) fn forget(&mut self, file: FileId, key: ClientKey) {
        if self.locks(file).is_some_and(|locks| locks.of(key).next().is_some()) {
            return;
        }
        let entry = self.entry(file);
        if entry.replacing > 0 && entry.waiting.values().any(|waiting| waiting.key == key) {
            return;
        }
        if let Some(owner) = entry.keys.remove(&key) {
            entry.owners.remove(&owner);
        }
    }
}
