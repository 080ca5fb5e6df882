//! A simulated network for tests: seeded delays, loss, duplicates, reordering and partitions, on
//! tokio's clock.
//!
//! All nodes are in one process. With paused time on one thread, a run is determined by the seed
//! and by the nodes, and takes no real time. The faults are counted, so that a test can check that
//! each has occurred.
//!
//! Unlike the other transports it can deliver a message twice, if so configured.

mod conditions;
mod faults;
mod link;
mod net;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use super::counts::Counters;
use super::{Counts, Receiver, Transport, Unsent};
pub use conditions::Conditions;
pub use faults::Faults;
use net::{Member, Net};

/// The network. Clones share it.
pub struct Simulated<P, M> {
    net: Arc<Net<P, M>>,
}

/// One node's end of a [`Simulated`].
pub struct SimulatedTransport<P: Copy + Ord, M> {
    net: Arc<Net<P, M>>,
    own: P,
    /// The incarnation of the node.
    life: u64,
    counters: Arc<Counters>,
}

/// Dropping the transport is like a crash of the node.
impl<P: Copy + Ord, M> Drop for SimulatedTransport<P, M> {
    fn drop(&mut self) {
        self.crash();
    }
}

impl<P, M> Clone for Simulated<P, M> {
    fn clone(&self) -> Self {
        Self { net: Arc::clone(&self.net) }
    }
}

impl<P, M> Simulated<P, M>
where
    P: Copy + Ord + Debug + Send + Sync + 'static,
    M: Clone + Send + 'static,
{
    /// A network without nodes.
    #[must_use]
    pub fn new(seed: u64, conditions: Conditions) -> Self {
        Self { net: Arc::new(Net::new(seed, conditions)) }
    }

    /// Adds a node, or replaces the one with this id. Messages in flight to the old node are
    /// delivered to the new one.
    pub fn join<R: Receiver<P, M>>(&self, own: P, receiver: R) -> SimulatedTransport<P, M> {
        let counters = Arc::new(Counters::default());
        let hand_back = Arc::clone(&counters).to(receiver.clone());
        let deliver = {
            let counters = Arc::clone(&counters);
            move |from, message| -> net::Delivery {
                let (counters, receiver) = (Arc::clone(&counters), receiver.clone());
                Box::pin(async move {
                    receiver.deliver(from, message).await;
                    counters.received();
                })
            }
        };
        let life = self.net.join(own, Member::new(Arc::new(deliver), hand_back));
        SimulatedTransport { net: Arc::clone(&self.net), own, life, counters }
    }

    /// Sets the conditions of the link from one node to another.
    pub fn set_link(&self, from: P, to: P, conditions: Conditions) {
        self.net.state().link(from, to).conditions = Some(conditions);
    }

    /// Sets the conditions of all links without conditions of their own.
    pub fn set_conditions(&self, conditions: Conditions) {
        self.net.state().conditions = conditions;
    }

    /// Partitions two nodes: messages in flight between them are lost, too, unless the partition is
    /// healed before they arrive.
    pub fn cut(&self, one: P, other: P) {
        self.cut_one_way(one, other);
        self.cut_one_way(other, one);
    }

    /// Cuts one direction of a link.
    pub fn cut_one_way(&self, from: P, to: P) {
        self.net.state().link(from, to).is_cut = true;
    }

    /// Heals the partition of two nodes.
    pub fn heal(&self, one: P, other: P) {
        let mut state = self.net.state();
        state.link(one, other).is_cut = false;
        state.link(other, one).is_cut = false;
    }

    /// Heals all partitions.
    pub fn heal_all(&self) {
        self.net.state().links.values_mut().for_each(|link| link.is_cut = false);
    }

    /// The counts of faults so far.
    #[must_use]
    pub fn faults(&self) -> Faults {
        self.net.state().faults
    }
}

impl<P: Copy + Ord, M> SimulatedTransport<P, M> {
    /// The counts of this node. Messages that the network lost count as sent.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counters.counts()
    }

    /// Removes the node as a crash does. Messages that it has sent are still delivered; messages to
    /// it are lost, unless it joins again before they arrive.
    pub fn crash(&self) {
        self.net.leave(self.own, self.life);
    }
}

impl<P, M> Transport<P, M> for SimulatedTransport<P, M>
where
    P: Copy + Ord + Debug + Send + Sync + 'static,
    M: Clone + Send + 'static,
{
    fn send(&self, to: P, message: M) -> Result<(), Unsent<P, M>> {
        let sent = self.net.send((self.own, self.life), to, message);
        sent.map_err(|back| self.counters.unsent(to, back))?;
        self.counters.sent(1);
        Ok(())
    }

    /// Waits until no message of this node is in flight, and leaves. After `timeout` the messages
    /// in flight are handed back as [`super::UnsentReason::Closed`], without duplicates.
    async fn close(&self, timeout: Duration) {
        self.net.close(self.own, self.life);
        let _late = tokio::time::timeout(timeout, self.net.drained(self.own)).await;
        self.net.recall(self.own, self.life);
        self.net.leave(self.own, self.life);
    }
}
