//! Checks that answers of the file server take effect, and that calls to it match the locks:
//! compares each step with its input and its effects, so that no history is needed.

use turnstile_byte_range_lock_core::locks::{ByteRangeLock, LockType};
use turnstile_byte_range_lock_core::manager::{Command, File, Notice, Timer};
use turnstile_byte_range_lock_core::message::{
    FileId, FileServerPeer, Lease, Message, ServerLock, ServerReply, ServerRequest,
};
use turnstile_byte_range_lock_machines::byte_range_lock::State as At;
use turnstile_byte_range_lock_machines::server_lock::State as Server;
use turnstile_step::{Effect, Input};

use crate::reassertion;

type ManagerInput = Input<FileServerPeer, Message, Timer, Command, ()>;
type ManagerEffect = Effect<FileServerPeer, Message, Timer, Notice, ()>;

/// A step of a cache manager on one file: the states before and after, the input and the effects.
pub(super) struct ServerCheck<'a> {
    pub(super) id: FileId,
    pub(super) before: Option<&'a File>,
    pub(super) input: &'a ManagerInput,
    pub(super) after: Option<&'a File>,
    pub(super) effects: &'a [ManagerEffect],
}

/// An answer to the pending call.
#[derive(Clone, Copy)]
struct Answer {
    request: ServerRequest,
    reply: ServerReply,
    lease: Lease,
}

/// The server lock of a state.
const fn held(server: Server) -> Option<ServerLock> {
    match server {
        Server::NotExist | Server::Unlocked => None,
        Server::LockRead => Some(ServerLock::LockRead),
        Server::LockWrite => Some(ServerLock::LockWrite),
    }
}

/// The server lock that locks need.
fn needed<'a>(locks: impl Iterator<Item = &'a ByteRangeLock>) -> Option<ServerLock> {
    locks
        .map(|lock| match lock.kind {
            LockType::Shared => ServerLock::LockRead,
            LockType::Exclusive => ServerLock::LockWrite,
        })
        .max()
}

/// Whether a lock is VALID.
fn is_valid(lock: &ByteRangeLock) -> bool {
    matches!(lock.at, At::Active | At::Waitlock)
}

/// The VALID locks.
fn valid(file: &File) -> impl Iterator<Item = &ByteRangeLock> {
    let locks = file.locks.iter().map(|(_, lock)| lock);
    locks.filter(|lock| is_valid(lock))
}

/// The server lock that the VALID locks need, and those that can be reasserted.
fn needed_at_check(file: &File) -> Option<ServerLock> {
    let lost = file.locks.iter().map(|(_, lock)| lock).filter(|lock| {
        let was_active = lock.lost.is_some_and(|loss| loss.was == At::Active);
        was_active && reassertion::is_unmodified(file, lock)
    });
    needed(valid(file).chain(lost))
}

impl ServerCheck<'_> {
    /// Whether an answer that arrives in time takes effect, and only that restarts the lease.
    pub(super) fn takes_answer(&self) -> bool {
        let arms = self.effects.contains(&Effect::Arm(Timer::Lease(self.id)));
        let (Some(before), Some(answer)) = (self.before, self.answer()) else { return !arms };
        let Some(after) = self.after else { return false };
        let is_same = || {
            before.locks == after.locks
                && (before.server, before.contents) == (after.server, after.contents)
        };
        let is_held = held(before.server).is_some();
        let becomes = |was: At, to: At| {
            let mut locks = before.locks.iter().filter(|(_, lock)| lock.at == was);
            locks.all(|(id, _)| after.locks.lock(id).is_some_and(|lock| lock.at == to))
        };
        let Answer { request, reply, lease } = answer;
        match (request, reply, lease) {
            (ServerRequest::Set(_), ServerReply::Set(lock, contents), Lease::Live) => {
                arms && after.contents == Some(contents) && self.has_or_returns(after, lock)
            }
            (ServerRequest::Set(_), ServerReply::Refused, _) => {
                !arms && becomes(At::Waitlock, At::Lost)
            }
            (ServerRequest::Extend, ServerReply::Extended(contents), Lease::Live) if is_held => {
                let lock = held(before.server).unwrap_or(ServerLock::LockRead);
                arms && after.contents == Some(contents) && self.has_or_returns(after, lock)
            }
            (ServerRequest::Extend, ServerReply::Refused, _) if is_held => {
                !arms && held(after.server).is_none() && becomes(At::Active, At::Lost)
            }
            (ServerRequest::Set(_), ..) => !arms && is_same() && after.pending_call.is_none(),
            (ServerRequest::Extend, ..) if is_held => {
                !arms && is_same() && after.pending_call.is_none()
            }
            (ServerRequest::Extend | ServerRequest::Release, ..) => !arms && is_same(),
        }
    }

    /// Whether the strongest lock that the file server may hold is known, from the calls and the
    /// replies.
    pub(super) fn knows_what_may_be_held(&self) -> bool {
        let Some(after) = self.after else { return true };
        let known = self.before.and_then(|before| before.most);
        let left = match self.answer() {
            Some(Answer {
                request: ServerRequest::Set(_),
                reply: ServerReply::Set(lock, _),
                ..
            }) => Some(lock),
            Some(Answer {
                request: ServerRequest::Extend, reply: ServerReply::Refused, ..
            })
            | Some(Answer {
                request: ServerRequest::Release, reply: ServerReply::Released, ..
            }) => None,
            Some(_) | None => known,
        };
        let asked = match self.new_call() {
            Some(ServerRequest::Set(lock)) => Some(lock),
            Some(ServerRequest::Extend | ServerRequest::Release) | None => None,
        };
        after.most == left.max(asked)
    }

    /// Whether the locks that the file server grants again are reasserted.
    pub(super) fn reasserts(&self) -> bool {
        match (self.answer(), self.after) {
            (
                Some(Answer { reply: ServerReply::Set(lock, _), lease: Lease::Live, .. }),
                Some(file),
            ) => reassertion::is_complete(file, lock),
            _ => true,
        }
    }

    /// Whether the server lock falls only by a loss or with the call that returns it, whether a new
    /// call is one that the locks need, and none is missing.
    pub(super) fn makes_calls(&self) -> bool {
        let server = |file: Option<&File>| file.and_then(|file| held(file.server));
        let falls = server(self.after) < server(self.before);
        let has_call = |request| self.new_call() == Some(request);
        let is_returned = match server(self.after) {
            None => has_call(ServerRequest::Release) || self.is_loss(),
            Some(lock) => has_call(ServerRequest::Set(lock)),
        };
        (!falls || is_returned)
            && self.new_call().is_none_or(|request| self.is_needed(request))
            && !self.misses_call()
            && self.forgets()
    }

    /// The answer to the pending call, if this step handles one.
    fn answer(&self) -> Option<Answer> {
        let pending = self.before?.pending_call?;
        match *self.input {
            Input::Message { message: Message::Reply { call, reply, lease }, .. }
                if call == pending.call =>
            {
                Some(Answer { request: pending.request, reply, lease })
            }
            Input::Message { .. } | Input::Fired(_) | Input::Command(_) | Input::Restart(_) => None,
        }
    }

    fn is_check(&self) -> bool {
        matches!(self.input, Input::Fired(Timer::Check(_)))
    }

    /// Whether the server lock is lost.
    fn is_loss(&self) -> bool {
        let is_refused = |answer: Answer| answer.reply == ServerReply::Refused;
        matches!(self.input, Input::Fired(Timer::Lease(_))) || self.answer().is_some_and(is_refused)
    }

    /// The call that this step makes.
    fn new_call(&self) -> Option<ServerRequest> {
        let is_old = self.before.is_some_and(|file| file.pending_call.is_some());
        let pending = self.after?.pending_call?;
        (!is_old || self.answer().is_some()).then_some(pending.request)
    }

    /// Whether the server lock is this one, or a call that returns it is out.
    fn has_or_returns(&self, after: &File, lock: ServerLock) -> bool {
        let returned = match held(after.server) {
            None => ServerRequest::Release,
            Some(less) => ServerRequest::Set(less),
        };
        held(after.server) == Some(lock)
            || held(after.server) < Some(lock) && self.new_call() == Some(returned)
    }

    /// Whether the locks need the call. Those that were VALID when it was made may since be LOST,
    /// and a LOST lock that is reinstated may since be VALID.
    fn is_needed(&self, request: ServerRequest) -> bool {
        let Some(after) = self.after else { return false };
        if let Some(before) = self.before.filter(|_| self.is_check()) {
            return self.at_check(before) == Some(request);
        }
        let at = |file: Option<&File>, id| file?.locks.lock(id).map(|lock| lock.at);
        let lost = || {
            let is_lost = |id| at(self.after, id) == Some(At::Lost);
            let before = self.before.into_iter().flat_map(|file| file.locks.iter());
            let waited = before.filter(move |(id, lock)| lock.at == At::Waitlock && is_lost(*id));
            waited.map(|(_, lock)| lock)
        };
        let kept = || {
            let all = after.locks.iter().filter(|(_, lock)| is_valid(lock));
            let is_new = |id| at(self.before, id) == Some(At::Lost);
            let kept = all.filter(move |(id, lock)| lock.at == At::Active || !is_new(*id));
            kept.map(|(_, lock)| lock)
        };
        let is_shared = |lock: &ByteRangeLock| lock.kind == LockType::Shared;
        let read = Some(ServerLock::LockRead);
        match request {
            ServerRequest::Release => {
                kept().next().is_none() || self.had() == read && !kept().any(is_shared)
            }
            // What no lock needs would be in the way of another host that asks for the same.
            ServerRequest::Set(_) if held(after.server) == read && !valid(after).any(is_shared) => {
                false
            }
            ServerRequest::Set(lock) => [
                needed(valid(after)),
                needed(valid(after).chain(lost())),
                needed(kept()),
                needed(kept().chain(lost())),
            ]
            .contains(&Some(lock)),
            ServerRequest::Extend => false,
        }
    }

    /// The server lock that there was when this step made a call.
    fn had(&self) -> Option<ServerLock> {
        match self.answer() {
            Some(Answer { reply: ServerReply::Set(lock, _), lease: Lease::Live, .. }) => Some(lock),
            Some(_) | None => self.before.and_then(|before| held(before.server)),
        }
    }

    /// The call of a check: it extends the server lock, requests what is needed again if there is
    /// none, and repeats the call for a downgrade that may not have reached the file server.
    fn at_check(&self, before: &File) -> Option<ServerRequest> {
        let lock = held(before.server);
        if lock.is_none() {
            return needed_at_check(before).map(ServerRequest::Set);
        }
        let is_write = |lock: Option<ServerLock>| lock == Some(ServerLock::LockWrite);
        let is_downgrade =
            !is_write(lock) && is_write(before.most) && !is_write(needed(valid(before)));
        let again = ServerRequest::Set(ServerLock::LockRead);
        Some(if is_downgrade { again } else { ServerRequest::Extend })
    }

    /// Whether no call is out, although the locks need another server lock since this step.
    fn misses_call(&self) -> bool {
        let Some(after) = self.after.filter(|file| file.pending_call.is_none()) else {
            return false;
        };
        if let Some(before) = self.before.filter(|_| self.is_check()) {
            return self.at_check(before).is_some();
        }
        let (lock, need) = (held(after.server), needed(valid(after)));
        // After a call without an answer, the server lock may exceed the need; others may use it.
        let is_old = |before: &File| {
            let old = needed(valid(before));
            before.pending_call.is_none()
                && before.locks.iter().all(|(id, _)| after.locks.lock(id).is_some())
                && held(before.server) == lock
                && (old == need || old != lock && old < need && need < lock)
        };
        let is_open = self.answer().is_some_and(|answer| match answer.reply {
            ServerReply::Refused => matches!(answer.request, ServerRequest::Set(_)),
            ServerReply::None => {
                self.before.is_some_and(|before| before.server == after.server)
                    && self.is_of_held(answer.request)
            }
            ServerReply::Set(..) | ServerReply::Extended(_) => {
                answer.lease == Lease::Lapsed && self.is_of_held(answer.request)
            }
            ServerReply::Released => false,
        });
        lock != need
            && !self.before.is_some_and(is_old)
            && !matches!(self.input, Input::Fired(Timer::Lease(_)))
            && !is_open
    }

    /// Whether a request is for a lock, or to extend the one that is held.
    fn is_of_held(&self, request: ServerRequest) -> bool {
        match request {
            ServerRequest::Set(_) => true,
            ServerRequest::Extend => self.before.is_some_and(|file| held(file.server).is_some()),
            ServerRequest::Release => false,
        }
    }

    /// Whether a check forgets a file without locks, server lock and call, and nothing else does.
    fn forgets(&self) -> bool {
        let is_over = self.before.is_some_and(|file| {
            self.is_check()
                && file.locks.iter().next().is_none()
                && held(file.server).is_none()
                && file.pending_call.is_none()
        });
        self.before.is_none() || self.after.is_none() == is_over
    }
}
