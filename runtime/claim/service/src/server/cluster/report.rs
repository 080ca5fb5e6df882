//! What a member says of itself to operators: whether it is ready, and the metrics of its log.

use hyper::header::HeaderValue;
use siphasher::sip::SipHasher13;
use tokio::time::{sleep, timeout};
use turnstile_raft::{Role, Status};

use super::ReplicatedEngine;
use crate::server::state::backend::Backend as _;
use crate::server::state::handle::server_id;
use crate::server::state::reply::Reply;
use crate::server::web::metrics::put;

impl ReplicatedEngine {
    /// The id of the cluster, which all members know: that of its group.
    pub(super) fn cluster_id(&self) -> Option<HeaderValue> {
        if self.id.get().is_none() {
            let group = self.member().status().group?;
            let digits = format!("{:016x}", SipHasher13::new().hash(group.as_bytes()));
            // Another task may have been first, with the same.
            let _set = self.id.set(server_id(&digits));
        }
        self.id.get().cloned()
    }

    /// Whether requests can be answered here. A follower has the leader confirm that a majority
    /// answers it, since it hears a leader that has none, too.
    ///
    /// # Errors
    /// Why they cannot.
    pub(super) async fn check_ready(&self) -> Result<(), &'static str> {
        let status = self.member().status();
        let begun = self.shared.lock().head.term;
        if self.is_failed() {
            Err("this member has failed, or its disk rejects writes")
        } else if status.is_unknown {
            Err("the others do not know this member: it was removed, or they run with older data")
        } else if status.is_removed() {
            Err("this member was removed from the cluster")
        } else if status.leader.is_none() && status.refused.contains_key(&status.id) {
            Err("another process of this member runs: end the one that has a copy of the data")
        } else if status.leader.is_none() {
            Err("no leader is known")
        } else if status.role == Role::Leader
            && !self.forwarder.has_majority(self.member().leadership())
        {
            Err("no majority of the members answers")
        } else if begun != status.term {
            Err("the term of the leader has not begun here")
        } else if status.role != Role::Leader && !self.is_confirmed_soon().await {
            Err("the leader does not answer, or no majority answers it")
        } else {
            Ok(())
        }
    }

    /// Whether a read is confirmed in half of the lease: those who ask have little patience.
    async fn is_confirmed_soon(&self) -> bool {
        let confirmed = timeout(self.forwarder.lease / 2, async {
            // A question may be lost with its connection.
            while !self.reads.confirm(&self.forwarder).await {
                sleep(self.options.raft.heartbeat).await;
            }
        });
        confirmed.await.is_ok()
    }

    /// The 503 to a request that was not executed.
    pub(super) fn not_executed(&self) -> Reply {
        if self.is_failed() { Reply::storage_rejects_writes() } else { Reply::no_majority() }
    }

    /// The 503 to a request that may be executed.
    pub(super) fn outcome_unknown(&self) -> Reply {
        if self.is_failed() { Reply::storage_in_trouble() } else { Reply::outcome_unknown() }
    }

    /// The metrics of the log in the Prometheus text format.
    pub(super) async fn metrics(&self) -> String {
        let status = self.member().status();
        let Status { last_log_index, applied_index, snapshot_index, .. } = status;
        let index = |index: Option<u64>| index.map_or(0, |index| index + 1);
        let begun = self.shared.lock().head.term;
        let (last, applied) = (index(last_log_index), index(applied_index));
        let is_ready = u64::from(self.check_ready().await.is_ok());
        let (leads, fails) = (u64::from(status.role == Role::Leader), status.is_store_failing);
        let single = [
            ("ready", "Whether this member can answer requests.", is_ready),
            ("leads", "Whether this member leads.", leads),
            ("leader", "The number of the leader; 0 if none is known.", status.leader.unwrap_or(0)),
            ("term", "The term of the log.", status.term),
            ("term_begun", "The last term whose leader gives the time.", begun),
            ("entries", "Entries of the log, purged ones included.", last),
            ("entries_applied", "Entries that are applied.", applied),
            ("entries_lag", "Entries that this member has and has not applied.", last - applied),
            ("entries_in_snapshot", "Entries in the last snapshot.", index(snapshot_index)),
            ("version", "The version of the operations.", self.member().version().into()),
            ("members", "Members of the cluster.", status.members.len() as u64),
            ("store_failing", "Whether the disk rejects writes.", u64::from(fails)),
        ];
        let mut text = String::new();
        for (name, help, value) in single {
            put(&mut text, &format!("log_{name}"), "gauge", help, &[(String::new(), value)]);
        }
        let (syncs, seconds) = (status.syncs, status.sync_time.as_secs_f64());
        let help = "Syncs of the log to the disk.";
        put(&mut text, "log_syncs_total", "counter", help, &[(String::new(), syncs)]);
        let help = "Seconds that the syncs took together.";
        put(&mut text, "log_sync_seconds_total", "counter", help, &[(String::new(), seconds)]);
        if let Some(millis) = status.millis_since_quorum_ack {
            let (age, seconds) = ("log_quorum_age_seconds", millis as f64 / 1e3);
            let help = "Seconds since a majority has answered this leader.";
            put(&mut text, age, "gauge", help, &[(String::new(), seconds)]);
        }
        text
    }
}
