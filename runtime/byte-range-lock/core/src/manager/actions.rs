//! The actions: timers, calls, notices, and events for other machines.

use alloc::vec::Vec;

use turnstile_byte_range_lock_machines::byte_range_lock::{self as lock, State as At};
use turnstile_byte_range_lock_machines::server_lock as server;
use turnstile_machine::Rules;
use turnstile_step::{Effect, RowOutcome};

use super::cache_manager::{Outcome, Timer};
use super::context::{MachineEvent, SERVER, StepContext};
use super::guards::TargetLock;
use super::state::PendingCall;
use crate::locks::{ByteRangeLock, Loss};
use crate::message::{FileServerPeer, Message, ServerLock, ServerRequest};
use crate::number::LockId;
use turnstile_ids::number::CallId;

impl<L: Rules<lock::Machine>, S: Rules<server::Machine>> StepContext<'_, L, S> {
    /// Carries out a block of actions, once or for each item of a loop.
    pub(super) fn apply_block(&mut self, target: TargetLock, run: &lock::Block<'_>) {
        let Some(collection) = run.each else {
            return run.actions.iter().for_each(|entry| self.apply_lock_action(target, entry));
        };
        for other in self.loop_items(target, collection) {
            run.actions.iter().for_each(|entry| self.queue_event(other, entry));
        }
    }

    /// Queues the event of an action for a lock.
    fn queue_event(&mut self, id: LockId, entry: lock::ActionCall<'_>) {
        let events = entry.action.tells();
        self.pending_events.extend(events.map(|event| MachineEvent::Lock(id, event.event(0))));
    }

    fn apply_lock_action(
        &mut self,
        TargetLock { id, lock }: TargetLock,
        entry: lock::ActionCall<'_>,
    ) {
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
            Action::StartWaiting => self.notify(lock.key, Outcome::Waits(id)),
            Action::StopWaiting => {}
            Action::GrantTheLock => self.notify(lock.key, Outcome::Granted(id)),
            Action::RefuseTheLock => {
                let requester = self.requester.unwrap_or(lock.key);
                self.notify(requester, Outcome::Refused);
            }
            Action::EndTheWait => self.notify(lock.key, Outcome::TimedOut(id)),
            Action::AssertTheLock | Action::LookAtTheServerLock => {
                self.pending_events.push_back(MachineEvent::Server(server::Event::LocksChanged));
            }
            Action::LoseTheLock => self.mark_lost(id, &lock),
            Action::LookWhatIsInItsWay
            | Action::LookWhetherItIsGranted
            | Action::TellThatItsClientLostALock
            | Action::TellThatALockWasRemoved => self.queue_event(id, entry),
        }
    }

    /// The items of a loop.
    fn loop_items(
        &self,
        TargetLock { id, lock }: TargetLock,
        collection: lock::Loop,
    ) -> Vec<LockId> {
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

    pub(super) fn apply_server_action(&mut self, entry: server::ActionCall<'_>) {
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
            Action::AskForLockRead => self.call(ServerRequest::Set(ServerLock::LockRead)),
            Action::AskForLockWrite => self.call(ServerRequest::Set(ServerLock::LockWrite)),
            Action::AskToExtend => self.call(ServerRequest::Extend),
            Action::AskToRelease => self.call(ServerRequest::Release),
            Action::NoteTheContents => {
                if let Some(file) = self.state.files.get_mut(&self.id) {
                    file.contents = self.contents.or(file.contents);
                }
            }
            Action::LookAgain => {
                self.pending_events.push_back(MachineEvent::Server(Event::LocksChanged))
            }
            Action::TellWaitlockLocksThatItIsGranted => {
                self.queue_for(lock::Event::ServerGrantedTheLock, |_, one| one.at == At::Waitlock);
            }
            Action::TellWaitlockLocksThatItIsRefused => {
                self.queue_for(lock::Event::ServerRefusedTheLock, |_, one| one.at == At::Waitlock);
            }
            Action::TellLostLocksThatItIsGranted => {
                let is_lost = |_, one: &ByteRangeLock| one.at == At::Lost;
                self.queue_for(lock::Event::ServerGrantedTheLock, is_lost);
                self.queue_for(lock::Event::LocksReasserted, is_lost);
            }
            Action::TellActiveLocksThatItIsNotExtended => {
                self.queue_for(lock::Event::ServerFailsToExtend, |_, one| one.at == At::Active);
            }
        }
    }

    /// Queues an event for every lock that `is_meant` selects, in the order of the list.
    fn queue_for(&mut self, event: lock::Event, is_meant: impl Fn(LockId, &ByteRangeLock) -> bool) {
        let Some(file) = self.state.files.get(&self.id) else { return };
        let meant = file.locks.iter().filter(|(id, one)| is_meant(*id, one));
        self.pending_events.extend(meant.map(|(id, _)| MachineEvent::Lock(id, event)));
    }

    fn mark_lost(&mut self, id: LockId, lock: &ByteRangeLock) {
        if let Some(file) = self.state.files.get_mut(&self.id) {
            let loss = Loss { was: lock.at, contents: file.contents };
            file.locks.set_loss(id, Some(loss));
        }
        self.notify(lock.key, Outcome::Lost(id));
    }

    /// Calls the file server; fails if a call is pending.
    fn call(&mut self, request: ServerRequest) {
        let (id, Some(file)) = (self.id, self.state.files.get_mut(&self.id)) else { return };
        if file.pending_call.is_some() {
            return self.action_failed("a call is pending");
        }
        if self.state.calls.len() > usize::from(u16::MAX) {
            return self.action_failed("every call id is in use");
        }
        let call = CallId::smallest_free(self.state.calls.keys().copied());
        self.state.calls.insert(call, id);
        file.pending_call = Some(PendingCall { call, request });
        if let ServerRequest::Set(whole) = request
            && self.core.tracks_granted()
        {
            file.most = file.most.max(Some(whole));
        }
        let message = Message::Call { call, file: id, request };
        self.effect(Effect::Send { to: FileServerPeer, message });
    }

    fn action_failed(&mut self, reason: &'static str) {
        self.out.rows.push(RowOutcome::ActionFailed { machine: SERVER, action: "call", reason });
    }
}
