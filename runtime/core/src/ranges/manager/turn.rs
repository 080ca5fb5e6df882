//! One step of a cache manager: which machines of one file move, and what they tell each other.
//!
//! A machine that is told something moves after the one that told it has done all its actions, in
//! the order of telling.

use alloc::collections::VecDeque;

use turnstile_machine::Rules;
use turnstile_machines::byte_range_lock::{self, Machine, State as At};
use turnstile_machines::server_lock;
use turnstile_step::{Effect, EffectOf, OutOf, RowOutcome, take};

use super::look::{Asked, Look};
use super::state::{File, Open, State};
use super::{CacheManager, News, Notice, Timer, Wish};
use crate::number::{DataVersion, LockId};
use crate::ranges::locks::{Key, Lock};
use crate::ranges::message::{Answer, Ask, FileId, Lease, Whole};

pub(super) const LOCK: &str = <Machine as turnstile_machine::Machine>::TABLE.machine;
pub(super) const SERVER: &str = <server_lock::Machine as turnstile_machine::Machine>::TABLE.machine;

/// What a machine is told.
#[derive(Clone, Copy, Debug)]
pub(super) enum Told {
    Lock(LockId, byte_range_lock::Event),
    Server(server_lock::Event),
}

/// One step on its way.
pub(super) struct Turn<'a, L: Rules<Machine>, S: Rules<server_lock::Machine>> {
    pub(super) core: &'a CacheManager<L, S>,
    pub(super) state: &'a mut State,
    pub(super) id: FileId,
    pub(super) out: &'a mut OutOf<CacheManager<L, S>>,
    pub(super) told: VecDeque<Told>,
    /// Who asks for what the lock's machine is told.
    pub(super) asker: Option<Key>,
    /// What the answer that is heard grants.
    pub(super) lease: Lease,
    pub(super) contents: Option<DataVersion>,
}

impl<'a, L: Rules<Machine>, S: Rules<server_lock::Machine>> Turn<'a, L, S> {
    pub(super) fn new(
        core: &'a CacheManager<L, S>,
        state: &'a mut State,
        id: FileId,
        out: &'a mut OutOf<CacheManager<L, S>>,
    ) -> Self {
        let (told, lease) = (VecDeque::new(), Lease::Lapsed);
        Self { core, state, id, out, told, asker: None, lease, contents: None }
    }

    /// A client asks.
    pub(super) fn ask(mut self, key: Key, wish: Wish) {
        self.asker = Some(key);
        match wish {
            Wish::Lock(kind, range) => {
                let id = self.state.last.next();
                let file = self.state.files.entry(self.id).or_insert_with(File::new);
                file.locks.push(id, Lock { key, kind, range, at: At::NotExist, lost: None });
                self.server(server_lock::Event::FileIsUsed);
                self.lock(id, byte_range_lock::Event::LockIsRequested);
                // What is refused leaves nothing behind, and no number used up.
                if self.file().is_some_and(|file| file.locks.lock(id).is_some()) {
                    self.state.last = id;
                }
            }
            Wish::Unlock(lock) => self.lock(lock, byte_range_lock::Event::LockIsReleased),
            Wish::Abandon(lock) => self.lock(lock, byte_range_lock::Event::LockIsAbandoned),
            Wish::Read(range) => {
                let table = &self.core.locks;
                self.answer(key, |file| file.may_read(table, key, range));
            }
            Wish::Write(range) => {
                let table = &self.core.locks;
                let is_allowed = self.answer(key, |file| file.may_write(table, key, range));
                if is_allowed && let Some(file) = self.state.files.get_mut(&self.id) {
                    file.locks.modified();
                }
            }
        }
        self.finish();
    }

    /// Tells a client whether it may do what it asks for. Where nothing is locked, it may.
    fn answer(&mut self, key: Key, is_so: impl FnOnce(&File) -> bool) -> bool {
        let is_allowed = self.file().is_none_or(is_so);
        self.notify(key, if is_allowed { News::Allowed } else { News::Refused });
        is_allowed
    }

    /// A timer fires.
    pub(super) fn fire(mut self, timer: Timer) {
        match timer {
            Timer::Check(_) => self.server(server_lock::Event::CheckTimerTriggers),
            Timer::Lease(_) => self.server(server_lock::Event::LeaseTimerTriggers),
            Timer::Wait(_, lock) => self.lock(lock, byte_range_lock::Event::WaitTimerTriggers),
        }
        self.finish();
    }

    /// The call that is out is answered.
    pub(super) fn hear(mut self, answer: Answer, lease: Lease) {
        use server_lock::{Event, ExtendAnswer, ReleaseAnswer, SetAnswer};

        let Some(file) = self.state.files.get_mut(&self.id) else { return };
        let Some(Open { ask, .. }) = file.open.take() else { return };
        self.lease = lease;
        // An answer to another question is none.
        let event = match (ask, answer) {
            (Ask::Set(_), Answer::Set(whole, contents)) => {
                self.contents = Some(contents);
                if self.core.asks_for_most() {
                    file.most = Some(whole);
                }
                let answer = match whole {
                    Whole::LockRead => SetAnswer::LockRead,
                    Whole::LockWrite => SetAnswer::LockWrite,
                };
                Event::Set { answer }
            }
            (Ask::Set(_), Answer::Refused) => Event::Set { answer: SetAnswer::Refused },
            (Ask::Set(_), _) => Event::Set { answer: SetAnswer::NoAnswer },
            (Ask::Extend, Answer::Extended(contents)) => {
                self.contents = Some(contents);
                Event::Extend { answer: ExtendAnswer::Extended }
            }
            (Ask::Extend, Answer::Refused) => {
                file.most = None;
                Event::Extend { answer: ExtendAnswer::Refused }
            }
            (Ask::Extend, _) => Event::Extend { answer: ExtendAnswer::NoAnswer },
            (Ask::Release, Answer::Released) => {
                file.most = None;
                Event::Release { answer: ReleaseAnswer::Released }
            }
            (Ask::Release, _) => Event::Release { answer: ReleaseAnswer::NoAnswer },
        };
        self.server(event);
        self.finish();
    }

    /// Moves what was told, until nothing is left to be told.
    fn finish(mut self) {
        self.asker = None;
        let locks = self.file().map_or(0, |file| file.locks.len());
        let locks = u64::try_from(locks).unwrap_or(u64::MAX);
        let each = TELLS_EACH.saturating_mul(locks).saturating_mul(locks.saturating_add(1));
        let mut most = each.saturating_add(TELLS_MIN);
        while let Some(told) = self.told.pop_front() {
            if most == 0 {
                let (machine, action) = (LOCK, "tell");
                let because = "too many machines tell each other";
                self.out.rows.push(RowOutcome::ActionFailed { machine, action, because });
                break;
            }
            most -= 1;
            match told {
                Told::Lock(id, event) => self.lock(id, event),
                Told::Server(event) => self.server(event),
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

    pub(super) fn look(&self) -> Option<Look<'_>> {
        Some(Look { file: self.file()?, lease: self.lease })
    }

    pub(super) fn effect(&mut self, effect: EffectOf<CacheManager<L, S>>) {
        self.out.effects.push(effect);
    }

    pub(super) fn notify(&mut self, key: Key, what: News) {
        self.effect(Effect::Notify(Notice { file: self.id, key, what }));
    }

    /// The machine of a lock takes an event.
    fn lock(&mut self, id: LockId, event: byte_range_lock::Event) {
        let Some(file) = self.file() else { return };
        let Some(&lock) = file.locks.lock(id) else { return };
        let Some(moved) = file.moved(id, self.asker) else { return };
        let asked = Asked { id, lock };
        let core = self.core;
        let guards = |guard| core.locks.guard(guard, &moved);
        let (taken, step) = take(&core.locks, lock.at, event, &guards);
        self.out.rows.push(taken);
        let to = step.map_or(lock.at, |step| step.to);
        if let Some(step) = step {
            self.settle(asked, to);
            for run in step.blocks() {
                self.carry_run(asked, &run);
            }
        }
        if to == At::NotExist
            && let Some(file) = self.state.files.get_mut(&self.id)
        {
            file.locks.remove(id);
        }
    }

    /// Moves a lock, which is removed later where nothing else is to come of it.
    fn settle(&mut self, Asked { id, lock }: Asked, to: At) {
        let Some(file) = self.state.files.get_mut(&self.id) else { return };
        file.locks.put(id, to);
        if to != At::Lost {
            file.locks.note(id, None);
        }
        if to == At::Deleted && lock.at != to {
            let event = byte_range_lock::Event::RemovedFromTheCmScacheT;
            self.told.push_back(Told::Lock(id, event));
        }
    }

    /// The machine of the file's server lock takes an event.
    fn server(&mut self, event: server_lock::Event) {
        let Some(look) = self.look() else { return };
        let (core, at) = (self.core, look.file.server);
        let (taken, step) = take(&core.servers, at, event, &|guard| look.of_server(guard));
        self.out.rows.push(taken);
        let Some(step) = step else { return };
        if let Some(file) = self.state.files.get_mut(&self.id) {
            file.server = step.to;
        }
        for entry in step.actions {
            self.carry_server(entry);
        }
    }
}

/// The most that machines tell each other in one step: each lock every other one a few times.
const TELLS_EACH: u64 = 8;
/// Where there are hardly any.
const TELLS_MIN: u64 = 64;
