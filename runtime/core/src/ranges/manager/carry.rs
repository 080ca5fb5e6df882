//! What the actions do: timers, calls, notices, and what one machine tells others.

use alloc::vec::Vec;

use turnstile_machine::Rules;
use turnstile_machines::byte_range_lock::{self as lock, State as At};
use turnstile_machines::server_lock as server;
use turnstile_step::{Effect, RowOutcome};

use super::look::Asked;
use super::state::Open;
use super::turn::{SERVER, Told, Turn};
use super::{News, Timer};
use crate::number::{CallId, LockId};
use crate::ranges::locks::{Lock, Loss};
use crate::ranges::message::{Ask, Message, Server, Whole};

impl<L: Rules<lock::Machine>, S: Rules<server::Machine>> Turn<'_, L, S> {
    /// What a row of a lock does once, or to each of a collection.
    pub(super) fn carry_run(&mut self, asked: Asked, run: &lock::Block<'_>) {
        let Some(collection) = run.each else {
            return run.actions.iter().for_each(|entry| self.carry_lock(asked, entry));
        };
        for other in self.listed(asked, collection) {
            run.actions.iter().for_each(|entry| self.tell_of(other, entry));
        }
    }

    /// Tells a lock what an action tells.
    fn tell_of(&mut self, id: LockId, entry: lock::ActionCall<'_>) {
        let told = entry.action.tells();
        self.told.extend(told.map(|event| Told::Lock(id, event.event(0))));
    }

    fn carry_lock(&mut self, Asked { id, lock }: Asked, entry: lock::ActionCall<'_>) {
        use lock::{Action, Op, Resource};

        for op in entry.ops {
            let Resource::WaitTimer = op.resource();
            let timer = Timer::Wait(self.id, id);
            self.effect(match op {
                Op::Create(_) | Op::Restart(_) => Effect::Arm(timer),
                Op::Delete(_) | Op::Abandon(_) => Effect::Disarm(timer),
            });
        }
        match entry.action {
            Action::StartWaiting => self.notify(lock.key, News::Waits(id)),
            Action::StopWaiting => {}
            Action::GrantTheLock => self.notify(lock.key, News::Granted(id)),
            Action::RefuseTheLock => {
                let asker = self.asker.unwrap_or(lock.key);
                self.notify(asker, News::Refused);
            }
            Action::EndTheWait => self.notify(lock.key, News::TimedOut(id)),
            Action::AssertTheLock | Action::LookAtTheServerLock => {
                self.told.push_back(Told::Server(server::Event::LocksChanged));
            }
            Action::LoseTheLock => self.lose(id, &lock),
            Action::LookWhatIsInItsWay
            | Action::LookWhetherItIsGranted
            | Action::TellThatItsClientLostALock
            | Action::TellThatALockWasRemoved => self.tell_of(id, entry),
        }
    }

    /// What a loop goes over.
    fn listed(&self, Asked { id, lock }: Asked, collection: lock::Loop) -> Vec<LockId> {
        use lock::Loop;

        let Some(file) = self.file() else { return Vec::new() };
        let mut ids: Vec<LockId> = match collection {
            Loop::OthersOfTheClient => file
                .locks
                .of(lock.key)
                .map(|(other, _)| other)
                .filter(|other| *other != id)
                .collect(),
            Loop::ThoseThatWaitForIt => {
                let over = file.locks.over(lock.range);
                over.filter(|(_, one)| one.at == At::Waitunlock).map(|(id, _)| id).collect()
            }
        };
        ids.sort_unstable();
        ids
    }

    pub(super) fn carry_server(&mut self, entry: server::ActionCall<'_>) {
        use server::{Action, Event, Op, Resource};

        for op in entry.ops {
            let timer = match op.resource() {
                Resource::CheckTimer => Timer::Check(self.id),
                Resource::LeaseTimer => Timer::Lease(self.id),
            };
            self.effect(match op {
                Op::Create(_) | Op::Restart(_) => Effect::Arm(timer),
                Op::Delete(_) | Op::Abandon(_) => Effect::Disarm(timer),
            });
        }
        match entry.action {
            Action::StartCheckTimer
            | Action::StartLeaseTimer
            | Action::RestartLeaseTimer
            | Action::DeleteLeaseTimer => {}
            Action::AskForLockRead => self.call(Ask::Set(Whole::LockRead)),
            Action::AskForLockWrite => self.call(Ask::Set(Whole::LockWrite)),
            Action::AskToExtend => self.call(Ask::Extend),
            Action::AskToRelease => self.call(Ask::Release),
            Action::NoteTheContents => {
                if let Some(file) = self.state.files.get_mut(&self.id) {
                    file.contents = self.contents.or(file.contents);
                }
            }
            Action::LookAgain => self.told.push_back(Told::Server(Event::LocksChanged)),
            Action::TellWaitlockLocksThatItIsGranted => {
                self.tell(lock::Event::ServerGrantedTheLock, |_, one| one.at == At::Waitlock);
            }
            Action::TellWaitlockLocksThatItIsRefused => {
                self.tell(lock::Event::ServerRefusedTheLock, |_, one| one.at == At::Waitlock);
            }
            Action::TellLostLocksThatItIsGranted => {
                let is_lost = |_, one: &Lock| one.at == At::Lost;
                self.tell(lock::Event::ServerGrantedTheLock, is_lost);
                self.tell(lock::Event::LocksReasserted, is_lost);
            }
            Action::TellActiveLocksThatItIsNotExtended => {
                self.tell(lock::Event::ServerFailsToExtend, |_, one| one.at == At::Active);
            }
        }
    }

    /// Tells every lock of a kind, in the order in which they came.
    fn tell(&mut self, event: lock::Event, is_meant: impl Fn(LockId, &Lock) -> bool) {
        let Some(file) = self.state.files.get(&self.id) else { return };
        let meant = file.locks.iter().filter(|(id, one)| is_meant(*id, one));
        self.told.extend(meant.map(|(id, _)| Told::Lock(id, event)));
    }

    fn lose(&mut self, id: LockId, lock: &Lock) {
        if let Some(file) = self.state.files.get_mut(&self.id) {
            let loss = Loss { was: lock.at, contents: file.contents };
            file.locks.note(id, Some(loss));
        }
        self.notify(lock.key, News::Lost(id));
    }

    /// Calls the file server, unless a call is out already.
    fn call(&mut self, ask: Ask) {
        let (id, Some(file)) = (self.id, self.state.files.get_mut(&self.id)) else { return };
        if file.open.is_some() {
            return self.undone("a call is out");
        }
        if self.state.calls.len() > usize::from(u16::MAX) {
            return self.undone("every number for a call is taken");
        }
        let call = CallId::smallest_free(self.state.calls.keys().copied());
        self.state.calls.insert(call, id);
        file.open = Some(Open { call, ask });
        if let Ask::Set(whole) = ask
            && self.core.asks_for_most()
        {
            file.most = file.most.max(Some(whole));
        }
        let message = Message::Call { call, file: id, ask };
        self.effect(Effect::Send { to: Server, message });
    }

    fn undone(&mut self, because: &'static str) {
        self.out.rows.push(RowOutcome::ActionFailed { machine: SERVER, action: "call", because });
    }
}
