//! The reconciliation of responses: the existing locks, the duplicate ones, the pending requests.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use turnstile_group_lock_machines::group_lock_coordinator::Loop;

use super::context::EventContext;
use super::message::{GrantNumber, LockName, LockRequest};
use super::state::CoordinatorState;
use turnstile_view_handler_core::{MemberId, View};

/// One item of a row's loop: a member, and its lock or request.
type LoopItem = (MemberId, Option<LockRequest>);

impl CoordinatorState {
    /// Clears the responses and records the members of the view, which are to be queried.
    pub(super) fn start_round(&mut self, view: Option<&View>) {
        let members = view.into_iter().flat_map(|view| view.members.iter());
        self.responses = members.map(|member| (member, None)).collect();
    }

    /// The items of a row's loop, in a fixed order.
    pub(super) fn each(&self, each: Loop) -> Vec<LoopItem> {
        let table = &self.table;
        let has = |(member, lock): (MemberId, LockName)| (member, Some(LockRequest::Lock(lock)));
        match each {
            Loop::Members => self.responses.keys().map(|member| (*member, None)).collect(),
            Loop::ExistingLocks => {
                let new = self.existing().into_iter().filter(|(lock, _)| !table.contains_key(lock));
                new.map(|(lock, member)| has((member, lock))).collect()
            }
            Loop::DuplicateLocks => {
                let lost = self.held().filter(|(member, lock)| table.get(lock) != Some(member));
                lost.map(has).collect()
            }
            Loop::PendingRequests => {
                let responses = self.responses.iter();
                let requests = responses.flat_map(|(member, info)| {
                    let requests = info.iter().flat_map(|info| info.requests.iter());
                    requests.map(|request| (*member, Some(*request)))
                });
                requests.collect()
            }
        }
    }

    /// Each held lock with its holder: the one in lock-table, otherwise the first member, by
    /// address, that responded with the lock.
    fn existing(&self) -> BTreeMap<LockName, MemberId> {
        let mut table = self.table.clone();
        for (member, lock) in self.held() {
            table.entry(lock).or_insert(member);
        }
        table
    }

    fn held(&self) -> impl Iterator<Item = (MemberId, LockName)> {
        let responses = self.responses.iter();
        responses.flat_map(|(member, info)| {
            let locks = info.iter().flat_map(|info| info.locks.iter());
            locks.map(|lock| (*member, *lock))
        })
    }

    pub(super) fn add_response(&mut self, ctx: EventContext<'_>) {
        let response = self.responses.get_mut(&ctx.from);
        if let (Some(response), Some(info)) = (response, ctx.info) {
            *response = Some(info.clone());
        }
    }

    /// Records the holders that lose a lock.
    pub(super) fn note_losers(&mut self) {
        let lost = self.each(Loop::DuplicateLocks).into_iter();
        let lost = lost.filter_map(|(member, has)| Some((member, has?.lock())));
        self.losers = lost.collect();
    }

    pub(super) fn clear_locks(&mut self) {
        self.table.clear();
        self.responses.clear();
        self.losers.clear();
        (self.round, self.granted) = (None, GrantNumber::default());
    }

    pub(super) fn note_told(&mut self, ctx: EventContext<'_>) {
        if let Some(lock) = ctx.lock() {
            self.losers.remove(&(ctx.from, lock));
        }
    }
}
