//! Changes of the members: one at a time, here or at the leader.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::engine::Engine;
use crate::error::MemberError;
use crate::options::Options;
use crate::status::{Role, Status};

const UNFINISHED: &str = "a change of the members is not finished: it is retried";

/// A change of the members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemberChange {
    /// Adds a member, which has been started.
    Add {
        /// Its id, which no other member may ever have had.
        id: u64,
        /// Its address.
        address: String,
    },
    /// Removes a member.
    Remove {
        /// Its id.
        id: u64,
    },
}

/// Makes the changes, if this member leads.
pub(crate) struct Changes {
    engine: Arc<Engine>,
    options: Options,
    /// One change is in progress at a time.
    changing: Mutex<()>,
}

impl Changes {
    pub(crate) fn new(engine: Arc<Engine>, options: Options) -> Arc<Self> {
        Arc::new(Self { engine, options, changing: Mutex::new(()) })
    }

    /// Makes a change after those before it.
    pub(crate) async fn make(&self, change: &MemberChange) -> Result<(), MemberError> {
        let serialized = async {
            let _changing = self.changing.lock().await;
            self.engine.check_leader()?;
            match change {
                MemberChange::Add { id, address } => {
                    self.engine.add_member(*id, address, self.options.timeout / 2).await
                }
                MemberChange::Remove { id } => self.engine.remove_member(*id).await,
            }
        };
        match timeout(self.options.timeout, serialized).await {
            Ok(changed) => changed,
            Err(_) => Err(self.engine.timed_out(&self.options)),
        }
    }

    /// Finishes changes that a former leader has left between their two steps, until the member
    /// stops.
    pub(crate) async fn finish(self: Arc<Self>) {
        let Self { engine, options, changing } = &*self;
        let is_left = |status: &Status| status.role == Role::Leader && status.voters.len() > 1;
        while engine.wait_for_change(is_left).await.is_ok() {
            let _changing = changing.lock().await;
            match timeout(options.timeout, engine.finish_change()).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::warn!(%error, "{UNFINISHED}");
                    tokio::time::sleep(options.heartbeat).await;
                }
                Err(_) => tracing::warn!("{UNFINISHED}"),
            }
        }
    }
}
