//! The state of a member in a snapshot, and in a backup for another group.

use std::io;

use tokio::time::timeout;
use turnstile_host::simulation::blocking;
use turnstile_host::store::Store;

use super::Member;
use crate::encoding::backup::Backup;
use crate::engine;
use crate::error::{MemberError, Members};
use crate::group::Founding;
use crate::log::Log;
use crate::options::Options;
use crate::status::Status;

impl Member {
    /// Makes a snapshot, unless the last one has all that is applied, and returns once it is
    /// durable.
    ///
    /// # Errors
    /// When it is not made in time, or the member has stopped.
    pub async fn snapshot(&self) -> Result<Status, MemberError> {
        let applied = self.status().applied_index;
        let is_made = |status: &Status| status.snapshot_index >= applied;
        let made = async {
            while !is_made(&self.status()) {
                self.engine.trigger_snapshot().await?;
                // In time or not: it looks again.
                let _made = self.wait_for(engine::TRIGGERED_EVERY, is_made).await;
            }
            Ok(self.status())
        };
        timeout(self.options.timeout, made).await.unwrap_or(Err(MemberError::TimedOut))
    }

    /// Makes a snapshot, and returns the state in it: what this member has applied.
    ///
    /// # Errors
    /// When the snapshot is not made in time, or there is nothing that could be in it.
    pub async fn backup(&self) -> io::Result<Backup> {
        self.snapshot().await.map_err(io::Error::other)?;
        let bytes = self.engine.snapshot();
        let bytes = bytes.ok_or_else(|| io::Error::other("the member has applied nothing yet"))?;
        Backup::decode(bytes)
    }

    /// Writes the state of another group into an empty store, for a member of a new group with
    /// these members: one, to which others are added, or several, each of which is restored from
    /// the same backup with the same list, and which begin once all of them run. What the other
    /// group has executed after the backup is not there.
    ///
    /// # Errors
    /// When the store is not empty, cannot be written, or this member is not in the list.
    pub async fn restore(
        options: &Options,
        store: Box<dyn Store>,
        backup: &Backup,
        members: &Members,
    ) -> io::Result<()> {
        let id = options.id;
        if !members.contains_key(&id) {
            let text = format!("member {id}, which is this one, is not in the list");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let (name, members) = (options.group.clone(), members.clone());
        let founding = Founding { name, members, origin: Some(backup.0.checksum()) };
        let log = blocking(move || Log::open(store, id)).await??;
        // It is not retried: the operator sees the error.
        log.give_up();
        let restored = engine::restore(&log, &backup.0, &founding).await;
        blocking(move || log.close()).await?;
        restored
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Condvar, Mutex};
    use std::time::Duration;

    use turnstile_host::store::Disk;

    use super::*;
    use crate::machine::{Encode, LogPosition, StateMachine};
    use crate::network::hub::Hub;

    /// A machine without a state, whose snapshots wait while they are held.
    #[derive(Clone, Default)]
    struct HeldSnapshots(Arc<(Mutex<bool>, Condvar)>);

    impl StateMachine for HeldSnapshots {
        fn apply(&mut self, _place: LogPosition, operation: &[u8]) -> io::Result<Vec<u8>> {
            Ok(operation.to_vec())
        }

        fn snapshot(&self) -> Encode {
            let gate = Arc::clone(&self.0);
            Box::new(move |_| {
                let is_held = gate.0.lock().expect("no holder panics");
                let _open = gate.1.wait_while(is_held, |is_held| *is_held);
            })
        }

        fn install(&mut self, _snapshot: &[u8]) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn snapshots_are_made_also_after_one_that_has_nothing_new() {
        let (machine, store) = (HeldSnapshots::default(), Box::new(Disk::default().open()));
        let hold = |is_held| {
            *machine.0.0.lock().expect("no holder panics") = is_held;
            machine.0.1.notify_all();
        };
        let options = Options { snapshot_every: 5, ..Options::new(1) };
        let member = Member::start(options, store, machine.clone(), Hub::new().join(1)).await;
        let member = member.expect("the store is empty");
        member.initialize(&[(1, "first".into())].into()).await.expect("it is one of them");
        member.forward("a").await.expect("it is alone");
        member.snapshot().await.expect("it is made");
        hold(true);
        member.engine.trigger_snapshot().await.expect("it runs");
        for _ in 0..6 {
            member.propose("a").await.expect("it leads");
        }
        let applied = member.status().applied_index;
        hold(false);
        let is_made = |status: &Status| status.snapshot_index >= applied;
        member.wait_for(Duration::from_secs(60), is_made).await.expect("it is due");
        member.stop().await;
    }
}
