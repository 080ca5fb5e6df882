//! What properties ask of a server's queues: no step needs it.

use alloc::collections::BTreeSet;

use turnstile_claim_machines::claim_record as machine;

use super::state::{Record, State, Status};
use crate::number::ClaimId;

impl State {
    /// Whether each claim has the place that its state names, and no other claim has one.
    #[must_use]
    pub fn is_queued_by_state(&self) -> bool {
        let all = |is_meant: &dyn Fn(&Record) -> bool| -> BTreeSet<ClaimId> {
            self.claims().filter(|(_, record)| is_meant(record)).map(|(id, _)| id).collect()
        };
        let is_absent = |record: &Record| record.at == machine::State::Absent;
        let are_queued = self.queues.iter().all(|(resource, queue)| {
            let of_it = |record: &Record, status| {
                record.resource == *resource && record.status() == Some(status)
            };
            let waiting = all(&|record| of_it(record, Status::Waiting) && !is_absent(record));
            let absent = all(&|record| of_it(record, Status::Waiting) && is_absent(record));
            let active = all(&|record| of_it(record, Status::Active));
            let is_open =
                |id: &ClaimId| self.claim(*id).is_some_and(|record| record.open_request.is_some());
            let listening: BTreeSet<ClaimId> = waiting.iter().copied().filter(is_open).collect();
            active.len() <= 1
                && queue.holder == active.first().copied()
                && (&queue.waiting, &queue.absent) == (&waiting, &absent)
                && queue.listening == listening
                && active.len() + waiting.len() + absent.len() > 0
        });
        let is_final = |record: &Record| record.status().is_none_or(Status::is_final);
        let mut open = self.claims().filter(|(_, record)| !is_final(record));
        let keyed = self.claims().filter_map(|(id, record)| Some((record.key?, id)));
        are_queued
            && open.all(|(_, record)| self.queues.contains_key(&record.resource))
            && self.finished == all(&is_final)
            && self.keys == keyed.collect()
    }
}
