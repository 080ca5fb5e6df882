//! Checks that notifications match lock states: compares each step with its notifications, so that
//! no history is needed.

use turnstile_byte_range_lock_core::ByteRange;
use turnstile_byte_range_lock_core::locks::{ByteRangeLock, ClientKey, LockType};
use turnstile_byte_range_lock_core::manager::{
    Command, File, Notice, Operation, Outcome, PendingCall, State,
};
use turnstile_byte_range_lock_core::message::{FileId, ServerLock, ServerRequest};
use turnstile_byte_range_lock_core::number::LockId;
use turnstile_byte_range_lock_machines::byte_range_lock::{Machine, State as At};
use turnstile_byte_range_lock_machines::server_lock::State as Server;
use turnstile_machine::Rules;

/// What a client knows of its lock.
const fn outcome(id: LockId, at: At) -> Option<Outcome> {
    match at {
        At::Active => Some(Outcome::Granted(id)),
        At::Waitlock | At::Waitunlock => Some(Outcome::Waits(id)),
        At::Lost => Some(Outcome::Lost(id)),
        At::NotExist | At::Deleted => None,
    }
}

/// Every lock of every file.
fn all(state: &State) -> impl Iterator<Item = (FileId, LockId, &ByteRangeLock)> {
    state.files().flat_map(|(id, file)| file.locks.iter().map(move |(lock, one)| (id, lock, one)))
}

/// A step of a cache manager: the states before and after, the command, and the notifications.
pub(super) struct StepCheck<'a> {
    pub(super) before: &'a State,
    pub(super) asked: Option<&'a Command>,
    pub(super) after: &'a State,
    pub(super) notices: Vec<Notice>,
}

impl StepCheck<'_> {
    /// Whether each client that knew the states of its locks still does, and every request is
    /// answered.
    pub(super) fn notifies(&self) -> bool {
        let there = all(self.after).all(|(file, id, lock)| {
            let before = self.before.file(file).and_then(|file| file.locks.lock(id));
            let known = before.and_then(|lock| outcome(id, lock.at));
            self.last(file, id, lock).or(known) == outcome(id, lock.at)
        });
        let mut gone = all(self.before).filter(|(file, id, _)| !self.is_there(*file, *id));
        there
            && gone.all(|(file, id, lock)| self.is_told_gone(file, id, lock))
            && self.asked.is_none_or(|command| self.is_answered(command))
    }

    /// Whether only a client with a LOST lock is refused a lock.
    pub(super) fn is_refused_for_a_loss(&self) -> bool {
        let Some(Command { file, key, operation: Operation::Lock(..) }) = self.asked else {
            return true;
        };
        let has_lost = self
            .before
            .file(*file)
            .is_some_and(|file| file.locks.of(*key).any(|(_, lock)| lock.at == At::Lost));
        has_lost || !self.says(*file, *key, Outcome::Refused)
    }

    /// Whether a call to the file server is outstanding wherever a lock has begun to wait for one.
    pub(super) fn calls_server(&self) -> bool {
        self.after.files().all(|(id, file)| {
            let waits = |state: &State, lock| {
                let lock = state.file(id).and_then(|file| file.locks.lock(lock));
                lock.is_some_and(|lock| lock.at == At::Waitlock)
            };
            let mut locks = file.locks.iter();
            let is_any = locks.any(|(id, _)| waits(self.after, id) && !waits(self.before, id));
            (!is_any || file.pending_call.is_some()) && self.is_needed(id, file)
        })
    }

    /// Whether some lock needs the server lock that is requested now; a LockRead that the cache
    /// manager already has may be requested again.
    fn is_needed(&self, id: FileId, file: &File) -> bool {
        let before = self.before.file(id);
        let Some(PendingCall { request: ServerRequest::Set(whole), .. }) = file.pending_call else {
            return true;
        };
        let is_old = before.is_some_and(|before| before.pending_call == file.pending_call);
        let kind = match whole {
            ServerLock::LockRead => LockType::Shared,
            ServerLock::LockWrite => LockType::Exclusive,
        };
        let needs = |lock: &ByteRangeLock| {
            lock.kind == kind && matches!(lock.at, At::Active | At::Waitlock | At::Lost)
        };
        is_old
            || file.locks.iter().any(|(_, lock)| needs(lock))
            || before.is_some_and(|before| before.server == Server::LockRead)
    }

    /// Whether a request to read or write is permitted exactly if the rule permits it for each
    /// byte; evaluates the rule one byte at a time.
    pub(super) fn follows_rules(&self, table: &impl Rules<Machine>) -> bool {
        let Some(&Command { file: id, key, operation }) = self.asked else { return true };
        let (Operation::Read(range) | Operation::Write(range)) = operation else { return true };
        let bytes = || (range.first()..=range.last()).map(ByteRange::byte);
        let may = self.before.file(id).is_none_or(|file| match operation {
            Operation::Write(_) => bytes().all(|byte| file.may_write(table, key, byte)),
            Operation::Read(_)
            | Operation::Lock(..)
            | Operation::Unlock(_)
            | Operation::Abandon(_) => bytes().all(|byte| file.may_read(table, key, byte)),
        });
        let expected = if may { Outcome::Allowed } else { Outcome::Refused };
        self.notices == [Notice { file: id, key, outcome: expected }]
    }

    fn is_there(&self, file: FileId, id: LockId) -> bool {
        self.after.file(file).is_some_and(|file| file.locks.lock(id).is_some())
    }

    /// The last notification about a lock to its client.
    fn last(&self, file: FileId, id: LockId, lock: &ByteRangeLock) -> Option<Outcome> {
        let mut told = self.notices.iter().rev();
        told.find(|notice| {
            let is_of_it = match notice.outcome {
                Outcome::Granted(of)
                | Outcome::Waits(of)
                | Outcome::TimedOut(of)
                | Outcome::Lost(of) => of == id,
                Outcome::Refused | Outcome::Allowed => false,
            };
            is_of_it && notice.file == file && notice.key == lock.key
        })
        .map(|notice| notice.outcome)
    }

    /// A lock has ended because its client gave it up, or its client is notified.
    fn is_told_gone(&self, file: FileId, id: LockId, lock: &ByteRangeLock) -> bool {
        let is_its_wish = self.asked.is_some_and(|command| {
            let is_meant = matches!(
                command.operation,
                Operation::Unlock(of) | Operation::Abandon(of) if of == id
            );
            is_meant && command.file == file && command.key == lock.key
        });
        is_its_wish || self.last(file, id, lock) == Some(Outcome::TimedOut(id))
    }

    /// A request for a lock is granted, queued or refused; a released lock is gone, or belongs to
    /// another client and the release is refused.
    fn is_answered(&self, &Command { file, key, operation }: &Command) -> bool {
        let locks = |state: &State| state.file(file).map_or(0, |file| file.locks.of(key).count());
        let is_refused = self.says(file, key, Outcome::Refused);
        let is_given_up = |id: LockId, is_meant: fn(&Outcome) -> bool| {
            let lock = self.before.file(file).and_then(|file| file.locks.lock(id));
            let lock = lock.filter(|lock| outcome(id, lock.at).as_ref().is_some_and(is_meant));
            lock.is_none_or(|lock| {
                let is_own = lock.key == key;
                is_own != self.is_there(file, id) && is_own != is_refused
            })
        };
        match operation {
            Operation::Lock(..) => locks(self.after) > locks(self.before) || is_refused,
            Operation::Unlock(id) => {
                is_given_up(id, |outcome| matches!(outcome, Outcome::Granted(_) | Outcome::Lost(_)))
            }
            Operation::Abandon(id) => {
                is_given_up(id, |outcome| matches!(outcome, Outcome::Waits(_)))
            }
            Operation::Read(_) | Operation::Write(_) => {
                is_refused || self.says(file, key, Outcome::Allowed)
            }
        }
    }

    fn says(&self, file: FileId, key: ClientKey, outcome: Outcome) -> bool {
        self.notices.contains(&Notice { file, key, outcome })
    }
}
