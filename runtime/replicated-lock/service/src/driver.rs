//! The tasks that drive the presence: its ticks, its reports, and its registrations.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval, timeout};
use turnstile_raft::{Member as RaftMember, Role};

use crate::operation::{NewSession, Operation, decode, encode};
use crate::presence::RaftView;
use crate::shared::Shared;

#[derive(Clone)]
pub(crate) struct Driver {
    pub(crate) shared: Arc<Shared>,
    pub(crate) raft: RaftMember,
    pub(crate) heartbeat: Duration,
    pub(crate) lease: Duration,
}

impl Driver {
    /// Compares what Raft says with the past.
    pub(crate) async fn tick(self) {
        let mut interval = steady(self.heartbeat / 2);
        loop {
            interval.tick().await;
            let status = self.raft.status();
            self.shared.tick(&RaftView {
                term: status.term,
                is_leader: status.role == Role::Leader,
                is_caught_up: status.applied_term == Some(status.term),
                quorum_age: status.millis_since_quorum_ack.map(Duration::from_millis),
            });
        }
    }

    /// Reports to the leader.
    pub(crate) async fn report(self) {
        let mut interval = steady(self.heartbeat);
        loop {
            interval.tick().await;
            let status = self.raft.status();
            let Some(leader) = status.leader.filter(|leader| *leader != status.id) else {
                continue;
            };
            let report = {
                let data = self.shared.lock();
                data.presence.report(&data.sessions)
            };
            let (sent, request) = (self.shared.now(), encode(&report));
            let reply = timeout(2 * self.heartbeat, self.raft.call(leader, &request)).await;
            if let Ok(Ok(reply)) = reply
                && let Some(reply) = decode(&reply)
            {
                self.shared.replied(sent, report, reply);
            }
        }
    }

    /// Registers the session, whenever there is a new one.
    pub(crate) async fn register(self) {
        let mut interval = steady(self.heartbeat);
        loop {
            interval.tick().await;
            let register = {
                let data = self.shared.lock();
                let is_unregistered = data.presence.is_unregistered(&data.sessions);
                is_unregistered.then(|| {
                    Operation::Register(NewSession {
                        session: data.presence.session(),
                        member: self.raft.status().id,
                        lease: data.presence.lease(),
                        after: data.sessions.count(),
                    })
                })
            };
            if let Some(register) = register {
                // Whether it succeeds is seen in the log.
                let _answer = timeout(self.lease, self.raft.forward(encode(&register))).await;
            }
        }
    }
}

fn steady(period: Duration) -> tokio::time::Interval {
    let mut interval = interval(period.max(Duration::from_millis(1)));
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}
