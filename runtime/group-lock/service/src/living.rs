//! The lives of a member, one after the other: it looks for its group, joins or begins one, and
//! begins again when it is in none any more.

use tokio::sync::mpsc;
use tokio::time::sleep;
use turnstile_group_lock_core::stack::Command;

use crate::detector::Detector;
use crate::life::OneLife;
use crate::lives::{End, Leave, Lives, Started};
use crate::view::GroupView;

impl Lives {
    /// Lives until its user has it leave.
    pub(crate) async fn run(
        mut self,
        first: Started,
        mut commands: mpsc::UnboundedReceiver<Command>,
        mut leaves: mpsc::Receiver<Leave>,
    ) {
        let (mut node, mut notices) = first;
        loop {
            let beginning = tokio::select! {
                biased;
                leave = leaves.recv() => return drop(leave),
                beginning = self.discover() => beginning,
            };
            let life = OneLife::new(node, notices, &self.hub);
            let ended = life.run(&mut self, beginning, &mut commands, &mut leaves).await;
            self.locks.lose_all();
            self.views.send_replace(GroupView::default());
            match ended {
                End::Excluded => tracing::warn!("this member is in no group any more"),
                End::Failed => tracing::error!("the core of this member has failed"),
                End::Left(leave) => {
                    self.hub.detect(Detector::leave);
                    // An error means that nobody waits any more.
                    let _unheard = leave.send(());
                    return;
                }
            }
            self.be_another();
            (node, notices) = tokio::select! {
                biased;
                leave = leaves.recv() => return drop(leave),
                started = self.start_again() => started,
            };
        }
    }

    /// Starts the core of another life, as often as it has to be tried.
    async fn start_again(&self) -> Started {
        loop {
            match self.start().await {
                Ok(started) => return started,
                Err(error) => tracing::error!(%error, "the core of this member is not started"),
            }
            sleep(self.period).await;
        }
    }
}
