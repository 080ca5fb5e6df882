//! The renaming of members, which are symmetric.

use turnstile_replicated_lock_core::types::{Address, LogEntry};
use turnstile_world::NodeId;

use super::Cluster;

impl Cluster {
    /// Renames members, and their addresses.
    pub(crate) fn rename(&mut self, to: &[NodeId], each: &mut dyn FnMut(&mut Address)) {
        let before = self.members.clone();
        before.into_iter().zip(to).for_each(|(member, &to)| self.members[to] = member);
        self.leader = self.leader.map(|node| to[node]);
        self.answers.iter_mut().for_each(|(address, _)| each(address));
        self.log_state.visit_addresses(each);
        let pending = self.members.iter_mut().flat_map(|member| {
            each(&mut member.address);
            member.pending.iter_mut().map(|(_, (_, entry))| entry)
        });
        let pending: Vec<&mut LogEntry> = pending.collect();
        for entry in pending.into_iter().chain(&mut self.held).chain(&mut self.lost) {
            entry.visit_addresses(each);
        }
    }
}
