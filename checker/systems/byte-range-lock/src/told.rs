//! Whether clients are told what becomes of their locks, and nothing else: a step is held against
//! what it tells, so that nobody need remember what was told before.

use turnstile_core::number::LockId;
use turnstile_core::ranges::ByteRange;
use turnstile_core::ranges::locks::{Key, Lock, LockType};
use turnstile_core::ranges::manager::{Command, File, News, Notice, Open, State, Wish};
use turnstile_core::ranges::message::{Ask, FileId, Whole};
use turnstile_machine::Rules;
use turnstile_machines::byte_range_lock::{Machine, State as At};
use turnstile_machines::server_lock::State as Server;

/// What there is to know of a lock in some state.
const fn news(id: LockId, at: At) -> Option<News> {
    match at {
        At::Active => Some(News::Granted(id)),
        At::Waitlock | At::Waitunlock => Some(News::Waits(id)),
        At::Lost => Some(News::Lost(id)),
        At::NotExist | At::Deleted => None,
    }
}

/// Every lock of every file.
fn all(state: &State) -> impl Iterator<Item = (FileId, LockId, &Lock)> {
    state.files().flat_map(|(id, file)| file.locks.iter().map(move |(lock, one)| (id, lock, one)))
}

/// A step of a cache manager: what it was before, what it was asked, what it is and what it tells.
pub(super) struct Step<'a> {
    pub(super) before: &'a State,
    pub(super) asked: Option<&'a Command>,
    pub(super) after: &'a State,
    pub(super) notices: Vec<Notice>,
}

impl Step<'_> {
    /// Whether each client knows now what its locks are, if it did before, and whoever asks is
    /// answered.
    pub(super) fn is_told(&self) -> bool {
        let there = all(self.after).all(|(file, id, lock)| {
            let before = self.before.file(file).and_then(|file| file.locks.lock(id));
            let known = before.and_then(|lock| news(id, lock.at));
            self.last(file, id, lock).or(known) == news(id, lock.at)
        });
        let mut gone = all(self.before).filter(|(file, id, _)| !self.is_there(*file, *id));
        there
            && gone.all(|(file, id, lock)| self.is_told_gone(file, id, lock))
            && self.asked.is_none_or(|command| self.is_answered(command))
    }

    /// Whether only a client that has lost a lock is refused another one.
    pub(super) fn is_refused_for_a_loss(&self) -> bool {
        let Some(Command { file, key, wish: Wish::Lock(..) }) = self.asked else { return true };
        let has_lost = self
            .before
            .file(*file)
            .is_some_and(|file| file.locks.of(*key).any(|(_, lock)| lock.at == At::Lost));
        has_lost || !self.says(*file, *key, News::Refused)
    }

    /// Whether a call to the file server is out wherever a lock has come to wait for one.
    pub(super) fn is_asked_for(&self) -> bool {
        self.after.files().all(|(id, file)| {
            let waits = |state: &State, lock| {
                let lock = state.file(id).and_then(|file| file.locks.lock(lock));
                lock.is_some_and(|lock| lock.at == At::Waitlock)
            };
            let mut locks = file.locks.iter();
            let is_any = locks.any(|(id, _)| waits(self.after, id) && !waits(self.before, id));
            (!is_any || file.open.is_some()) && self.is_needed(id, file)
        })
    }

    /// Whether some lock needs what the file server is asked for now; a LockRead that the cache
    /// manager counts on already may be asked for once more.
    fn is_needed(&self, id: FileId, file: &File) -> bool {
        let before = self.before.file(id);
        let Some(Open { ask: Ask::Set(whole), .. }) = file.open else { return true };
        let is_old = before.is_some_and(|before| before.open == file.open);
        let kind = match whole {
            Whole::LockRead => LockType::Shared,
            Whole::LockWrite => LockType::Exclusive,
        };
        let needs = |lock: &Lock| {
            lock.kind == kind && matches!(lock.at, At::Active | At::Waitlock | At::Lost)
        };
        is_old
            || file.locks.iter().any(|(_, lock)| needs(lock))
            || before.is_some_and(|before| before.server == Server::LockRead)
    }

    /// Whether a client that asks to read or write bytes is allowed to exactly if the rule allows
    /// it each of them: the rule is asked here of one byte at a time.
    pub(super) fn is_judged(&self, table: &impl Rules<Machine>) -> bool {
        let Some(&Command { file: id, key, wish }) = self.asked else { return true };
        let (Wish::Read(range) | Wish::Write(range)) = wish else { return true };
        let bytes = || (range.first()..=range.last()).map(ByteRange::byte);
        let may = self.before.file(id).is_none_or(|file| match wish {
            Wish::Write(_) => bytes().all(|byte| file.may_write(table, key, byte)),
            Wish::Read(_) | Wish::Lock(..) | Wish::Unlock(_) | Wish::Abandon(_) => {
                bytes().all(|byte| file.may_read(table, key, byte))
            }
        });
        let expected = if may { News::Allowed } else { News::Refused };
        self.notices == [Notice { file: id, key, what: expected }]
    }

    fn is_there(&self, file: FileId, id: LockId) -> bool {
        self.after.file(file).is_some_and(|file| file.locks.lock(id).is_some())
    }

    /// What was told last of a lock, to its client.
    fn last(&self, file: FileId, id: LockId, lock: &Lock) -> Option<News> {
        let mut told = self.notices.iter().rev();
        told.find(|notice| {
            let is_of_it = match notice.what {
                News::Granted(of) | News::Waits(of) | News::TimedOut(of) | News::Lost(of) => {
                    of == id
                }
                News::Refused | News::Allowed => false,
            };
            is_of_it && notice.file == file && notice.key == lock.key
        })
        .map(|notice| notice.what)
    }

    /// A lock is gone because its client gave it up, or is told so.
    fn is_told_gone(&self, file: FileId, id: LockId, lock: &Lock) -> bool {
        let is_its_wish = self.asked.is_some_and(|command| {
            let is_meant = matches!(command.wish, Wish::Unlock(of) | Wish::Abandon(of) if of == id);
            is_meant && command.file == file && command.key == lock.key
        });
        is_its_wish || self.last(file, id, lock) == Some(News::TimedOut(id))
    }

    /// Who asks for a lock gets one or is refused; what is given up is gone, or it is another's and
    /// that is refused.
    fn is_answered(&self, &Command { file, key, wish }: &Command) -> bool {
        let locks = |state: &State| state.file(file).map_or(0, |file| file.locks.of(key).count());
        let is_refused = self.says(file, key, News::Refused);
        let is_given_up = |id: LockId, is_meant: fn(&News) -> bool| {
            let lock = self.before.file(file).and_then(|file| file.locks.lock(id));
            let lock = lock.filter(|lock| news(id, lock.at).as_ref().is_some_and(is_meant));
            lock.is_none_or(|lock| {
                let is_own = lock.key == key;
                is_own != self.is_there(file, id) && is_own != is_refused
            })
        };
        match wish {
            Wish::Lock(..) => locks(self.after) > locks(self.before) || is_refused,
            Wish::Unlock(id) => {
                is_given_up(id, |what| matches!(what, News::Granted(_) | News::Lost(_)))
            }
            Wish::Abandon(id) => is_given_up(id, |what| matches!(what, News::Waits(_))),
            Wish::Read(_) | Wish::Write(_) => is_refused || self.says(file, key, News::Allowed),
        }
    }

    fn says(&self, file: FileId, key: Key, what: News) -> bool {
        self.notices.contains(&Notice { file, key, what })
    }
}
