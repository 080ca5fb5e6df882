//! One step of a cache manager: the events of one file's machines.
//!
//! An event that one machine causes at another is queued; it is taken after all actions of the
//! first machine's row.

use alloc::collections::VecDeque;

use turnstile_byte_range_lock_machines::byte_range_lock::{self, Machine, State as At};
use turnstile_byte_range_lock_machines::server_lock;
use turnstile_machine::Rules;
use turnstile_step::{Effect, EffectOf, OutOf, RowOutcome, step_machine};

use super::cache_manager::{CacheManager, Notice, Operation, Outcome, Timer};
use super::guards::{ServerGuards, TargetLock};
use super::state::{File, PendingCall, State};
use crate::locks::{ByteRangeLock, ClientKey};
use crate::message::{FileId, Lease, ServerLock, ServerReply, ServerRequest};
use crate::number::{DataVersion, LockId};

pub(super) const LOCK: &str = <Machine as turnstile_machine::Machine>::TABLE.machine;
pub(super) const SERVER: &str = <server_lock::Machine as turnstile_machine::Machine>::TABLE.machine;

/// A queued event of a machine.
#[derive(Clone, Copy, Debug)]
pub(super) enum MachineEvent {
    Lock(LockId, byte_range_lock::Event),
    Server(server_lock::Event),
}

/// The step in progress.
pub(super) struct StepContext<'a, L: Rules<Machine>, S: Rules<server_lock::Machine>> {
    pub(super) core: &'a CacheManager<L, S>,
    pub(super) state: &'a mut State,
    pub(super) id: FileId,
    pub(super) out: &'a mut OutOf<CacheManager<L, S>>,
    pub(super) pending_events: VecDeque<MachineEvent>,
    /// The client of the operation that this step handles.
    pub(super) requester: Option<ClientKey>,
    /// Whether the lease of the reply that this step handles still runs.
    pub(super) lease: Lease,
    pub(super) contents: Option<DataVersion>,
}

impl<'a, L: Rules<Machine>, S: Rules<server_lock::Machine>> StepContext<'a, L, S> {
    pub(super) fn new(
        core: &'a CacheManager<L, S>,
        state: &'a mut State,
        id: FileId,
        out: &'a mut OutOf<CacheManager<L, S>>,
    ) -> Self {
        let (pending_events, lease) = (VecDeque::new(), Lease::Lapsed);
        Self { core, state, id, out, pending_events, requester: None, lease, contents: None }
    }

    /// A client issues an operation.
    pub(super) fn on_command(mut self, key: ClientKey, operation: Operation) {
        self.requester = Some(key);
        match operation {
            Operation::Lock(kind, range) => {
                let id = self.state.last.next();
                let file = self.state.files.entry(self.id).or_insert_with(File::new);
                file.locks
                    .push(id, ByteRangeLock { key, kind, range, at: At::NotExist, lost: None });
                self.server(server_lock::Event::FileIsUsed);
                self.lock(id, byte_range_lock::Event::LockIsRequested);
                // A refused lock is removed and uses no number.
                if self.file().is_some_and(|file| file.locks.lock(id).is_some()) {
                    self.state.last = id;
                }
            }
            Operation::Unlock(lock) => self.lock(lock, byte_range_lock::Event::LockIsReleased),
            Operation::Abandon(lock) => self.lock(lock, byte_range_lock::Event::LockIsAbandoned),
            Operation::Read(range) => {
                let table = &self.core.locks;
                self.notify_permission(key, |file| file.may_read(table, key, range));
            }
            Operation::Write(range) => {
                let table = &self.core.locks;
                let is_allowed =
                    self.notify_permission(key, |file| file.may_write(table, key, range));
                if is_allowed && let Some(file) = self.state.files.get_mut(&self.id) {
                    file.locks.mark_modified();
                }
            }
        }
        self.finish();
    }

    /// Notifies a client whether a read or write is allowed; it is if nothing is locked.
    fn notify_permission(&mut self, key: ClientKey, is_so: impl FnOnce(&File) -> bool) -> bool {
        let is_allowed = self.file().is_none_or(is_so);
        self.notify(key, if is_allowed { Outcome::Allowed } else { Outcome::Refused });
        is_allowed
    }

    /// A timer fires.
    pub(super) fn on_timer(mut self, timer: Timer) {
        match timer {
            Timer::Check(_) => self.server(server_lock::Event::CheckTimerTriggers),
            Timer::Lease(_) => self.server(server_lock::Event::LeaseTimerTriggers),
            Timer::Wait(_, lock) => self.lock(lock, byte_range_lock::Event::WaitTimerTriggers),
        }
        self.finish();
    }

    /// The reply to the pending call arrives.
    pub(super) fn on_reply(mut self, reply: ServerReply, lease: Lease) {
        use server_lock::{Event, ExtendAnswer, ReleaseAnswer, SetAnswer};

        let Some(file) = self.state.files.get_mut(&self.id) else { return };
        let Some(PendingCall { request, .. }) = file.pending_call.take() else { return };
        self.lease = lease;
        // A reply of another kind counts as no reply.
        let event = match (request, reply) {
            (ServerRequest::Set(_), ServerReply::Set(whole, contents)) => {
                self.contents = Some(contents);
                if self.core.tracks_granted() {
                    file.most = Some(whole);
                }
                let answer = match whole {
                    ServerLock::LockRead => SetAnswer::LockRead,
                    ServerLock::LockWrite => SetAnswer::LockWrite,
                };
                Event::Set { answer }
            }
            (ServerRequest::Set(_), ServerReply::Refused) => {
                Event::Set { answer: SetAnswer::Refused }
            }
            (ServerRequest::Set(_), _) => Event::Set { answer: SetAnswer::NoAnswer },
            (ServerRequest::Extend, ServerReply::Extended(contents)) => {
                self.contents = Some(contents);
                Event::Extend { answer: ExtendAnswer::Extended }
            }
            (ServerRequest::Extend, ServerReply::Refused) => {
                file.most = None;
                Event::Extend { answer: ExtendAnswer::Refused }
            }
            (ServerRequest::Extend, _) => Event::Extend { answer: ExtendAnswer::NoAnswer },
            (ServerRequest::Release, ServerReply::Released) => {
                file.most = None;
                Event::Release { answer: ReleaseAnswer::Released }
            }
            (ServerRequest::Release, _) => Event::Release { answer: ReleaseAnswer::NoAnswer },
        };
        self.server(event);
        self.finish();
    }

    /// Takes the queued events until none is left.
    fn finish(mut self) {
        self.requester = None;
        let locks = self.file().map_or(0, |file| file.locks.len());
        let locks = u64::try_from(locks).unwrap_or(u64::MAX);
        let each =
            EVENTS_PER_LOCK_PAIR.saturating_mul(locks).saturating_mul(locks.saturating_add(1));
        let mut most = each.saturating_add(EVENTS_MIN);
        while let Some(next) = self.pending_events.pop_front() {
            if most == 0 {
                let (machine, action) = (LOCK, "queue event");
                let reason = "more events follow than one step takes";
                self.out.rows.push(RowOutcome::ActionFailed { machine, action, reason });
                break;
            }
            most -= 1;
            match next {
                MachineEvent::Lock(id, event) => self.lock(id, event),
                MachineEvent::Server(event) => self.server(event),
            }
        }
        let is_over =
            |file: &File| file.server == server_lock::State::NotExist && file.locks.is_empty();
        if self.file().is_some_and(is_over) {
            self.state.forget(self.id);
        }
    }

    pub(super) fn file(&self) -> Option<&File> {
        self.state.files.get(&self.id)
    }

    pub(super) fn server_guards(&self) -> Option<ServerGuards<'_>> {
        Some(ServerGuards { file: self.file()?, lease: self.lease })
    }

    pub(super) fn effect(&mut self, effect: EffectOf<CacheManager<L, S>>) {
        self.out.effects.push(effect);
    }

    pub(super) fn notify(&mut self, key: ClientKey, outcome: Outcome) {
        self.effect(Effect::Notify(Notice { file: self.id, key, outcome }));
    }

    /// Steps the machine of a lock.
    fn lock(&mut self, id: LockId, event: byte_range_lock::Event) {
        let Some(file) = self.file() else { return };
        let Some(&lock) = file.locks.lock(id) else { return };
        let Some(moved) = file.moved(id, self.requester) else { return };
        let target = TargetLock { id, lock };
        let core = self.core;
        let guards = |guard| core.locks.guard(guard, &moved);
        let step = step_machine(&core.locks, lock.at, event, &guards).report(&mut self.out.rows);
        let to = step.map_or(lock.at, |step| step.to);
        if let Some(step) = step {
            self.set_lock_state(target, to);
            for run in step.blocks() {
                self.apply_block(target, &run);
            }
        }
        if to == At::NotExist
            && let Some(file) = self.state.files.get_mut(&self.id)
        {
            file.locks.remove(id);
        }
    }

    /// Sets the state of a lock; a deleted lock is removed by a later event.
    fn set_lock_state(&mut self, TargetLock { id, lock }: TargetLock, to: At) {
        let Some(file) = self.state.files.get_mut(&self.id) else { return };
        file.locks.put(id, to);
        if to != At::Lost {
            file.locks.set_loss(id, None);
        }
        if to == At::Deleted && lock.at != to {
            let event = byte_range_lock::Event::RemovedFromTheCmScacheT;
            self.pending_events.push_back(MachineEvent::Lock(id, event));
        }
    }

    /// Steps the machine of the file's server lock.
    fn server(&mut self, event: server_lock::Event) {
        let Some(guards) = self.server_guards() else { return };
        let (core, at) = (self.core, guards.file.server);
        let step = step_machine(&core.servers, at, event, &|guard| guards.holds(guard));
        let Some(step) = step.report(&mut self.out.rows) else { return };
        if let Some(file) = self.state.files.get_mut(&self.id) {
            file.server = step.to;
        }
        for entry in step.actions {
            self.apply_server_action(entry);
        }
    }
}

/// The most queued events of one step, for each pair of locks.
const EVENTS_PER_LOCK_PAIR: u64 = 8;
/// The same, for any number of locks.
const EVENTS_MIN: u64 = 64;
