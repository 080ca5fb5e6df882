//! What a coordinator makes of the responses: which locks exist, who has one that another has,
//! what is still asked for.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use turnstile_machine::Rules;
use turnstile_machines::group_lock_client as client;
use turnstile_machines::group_lock_coordinator::{Loop, Machine};

use super::message::{LockName, Request, Says};
use super::turn::{Heard, Turn};
use crate::view::{MemberId, View};

/// One of several that a row is about: a member, and what it has or asks for.
type One = (MemberId, Option<Request>);

impl<C: Rules<client::Machine>, K: Rules<Machine>> Turn<'_, C, K> {
    /// Forgets what was responded before, and notes who is asked.
    pub(super) fn begin(&mut self) {
        let members = self.state.view.iter().flat_map(|view: &View| view.members.iter());
        self.state.server.responses = members.map(|member| (member, None)).collect();
    }

    /// All that a row speaks of, in a fixed order.
    pub(super) fn each(&self, each: Loop) -> Vec<One> {
        let table = &self.state.server.table;
        let has = |(member, lock): (MemberId, LockName)| (member, Some(Request::Lock(lock)));
        match each {
            Loop::Members => {
                self.state.server.responses.keys().map(|member| (*member, None)).collect()
            }
            Loop::ExistingLocks => {
                let new = self.existing().into_iter().filter(|(lock, _)| !table.contains_key(lock));
                new.map(|(lock, member)| has((member, lock))).collect()
            }
            Loop::DuplicateLocks => {
                let lost = self.held().filter(|(member, lock)| table.get(lock) != Some(member));
                lost.map(has).collect()
            }
            Loop::PendingRequests => {
                let responses = self.state.server.responses.iter();
                let requests = responses.flat_map(|(member, info)| {
                    let requests = info.iter().flat_map(|info| info.requests.iter());
                    requests.map(|request| (*member, Some(*request)))
                });
                requests.collect()
            }
        }
    }

    /// Each lock that is held, with who has it: those in lock-table keep what they have there,
    /// and of those that responded the first one has it.
    fn existing(&self) -> BTreeMap<LockName, MemberId> {
        let mut table = self.state.server.table.clone();
        for (member, lock) in self.held() {
            table.entry(lock).or_insert(member);
        }
        table
    }

    fn held(&self) -> impl Iterator<Item = (MemberId, LockName)> {
        let responses = self.state.server.responses.iter();
        responses.flat_map(|(member, info)| {
            let locks = info.iter().flat_map(|info| info.locks.iter());
            locks.map(|lock| (*member, *lock))
        })
    }

    pub(super) fn add_response(&mut self, heard: Heard<'_>) {
        let response = self.state.server.responses.get_mut(&heard.from);
        if let (Some(response), Some(info)) = (response, heard.info) {
            *response = Some(info.clone());
        }
    }

    pub(super) fn send_back_duplicate(&mut self, heard: Heard<'_>) {
        let round = self.state.server.round;
        if let Some(lock) = heard.lock() {
            self.send(heard.from, Says::DuplicateLock(lock), round);
        }
    }

    /// Notes who loses a lock.
    pub(super) fn note_losers(&mut self) {
        let lost = self.each(Loop::DuplicateLocks).into_iter();
        let lost = lost.filter_map(|(member, has)| Some((member, has?.lock())));
        self.state.server.losers = lost.collect();
    }

    pub(super) fn clear_locks(&mut self) {
        let server = &mut self.state.server;
        server.table.clear();
        server.responses.clear();
        server.losers.clear();
        server.round = None;
    }

    pub(super) fn note_told(&mut self, heard: Heard<'_>) {
        if let Some(lock) = heard.lock() {
            self.state.server.losers.remove(&(heard.from, lock));
        }
    }
}
