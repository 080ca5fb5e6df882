//! What a coordinator makes of the responses: which locks exist, who has one that another has,
//! what is still asked for.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use turnstile_machines::group_lock_client as client;
use turnstile_machines::group_lock_coordinator::Rules;

use super::message::{Info, LockName, Says};
use super::turn::{Heard, Turn};
use crate::view::{MemberId, View};

impl<C: client::Rules, K: Rules> Turn<'_, C, K> {
    /// Forgets what was responded before, and notes who is asked.
    pub(super) fn begin(&mut self) {
        let members = self.state.view.iter().flat_map(|view: &View| view.members.iter());
        self.state.server.responses = members.map(|member| (member, None)).collect();
    }

    pub(super) fn ask_all(&mut self) {
        let round = self.state.server.round;
        let members: Vec<MemberId> = self.state.server.responses.keys().copied().collect();
        for member in members {
            self.send(member, Says::LockInfoReq, round);
        }
    }

    pub(super) fn add_response(&mut self, heard: Heard<'_>) {
        let response = self.state.server.responses.get_mut(&heard.from);
        if let (Some(response), Some(info)) = (response, heard.info) {
            *response = Some(info.clone());
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

    pub(super) fn add_existing_locks(&mut self) {
        self.state.server.table = self.existing();
    }

    pub(super) fn drop_duplicate_locks(&mut self) {
        let table = &self.state.server.table;
        let is_lost = |(member, lock): &(MemberId, LockName)| table.get(lock) != Some(member);
        let losers: BTreeSet<_> = self.held().filter(is_lost).collect();
        let round = self.state.server.round;
        for (member, lock) in &losers {
            self.send(*member, Says::DuplicateLock(*lock), round);
        }
        self.state.server.losers = losers;
    }

    /// Whether two members hold one lock, as far as they have responded.
    pub(super) fn has_duplicates(&self, heard: Heard<'_>) -> bool {
        let info: Option<&Info> = heard.info;
        let last = info.iter().flat_map(|info| info.locks.iter().map(|lock| (heard.from, *lock)));
        let mut table = self.existing();
        let mut all = self.held().chain(last);
        all.any(|(member, lock)| *table.entry(lock).or_insert(member) != member)
    }

    pub(super) fn add_requests(&mut self) {
        let responses = core::mem::take(&mut self.state.server.responses);
        let requests = responses.into_iter().flat_map(|(member, info)| {
            let requests = info.into_iter().flat_map(|info| info.requests);
            requests.map(move |request| (member, request))
        });
        self.state.server.queue.extend(requests);
    }

    pub(super) fn clear_locks(&mut self) {
        let server = &mut self.state.server;
        server.table.clear();
        server.responses.clear();
        server.losers.clear();
        server.round = None;
    }

    pub(super) fn note_told(&mut self, heard: Heard<'_>) {
        if let Some(lock) = heard.lock {
            self.state.server.losers.remove(&(heard.from, lock));
        }
    }
}
