//! A network for tests: seeded delays, loss, duplicates, overtaking and cuts, on tokio's time.
//!
//! All nodes are in one process. With paused time on one thread, what happens follows from the seed
//! and from what the nodes do: the same again is the same again, and hours take no time. What the
//! network does to messages is counted, so that a test can show that it has met each fault.
//!
//! Unlike the other transports it may deliver a message twice, where it is told to.

mod link;
mod net;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use super::counts::Tally;
use super::{Counts, Receiver, Transport, Unsent};
use net::{Member, Net};

/// How a link treats messages. Chances are from 0 (never) to 1 (always).
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    /// The shortest time that a message takes.
    pub delay_least: Duration,
    /// The longest time that a message takes, unless its receiver is busy. Each time between the
    /// two is as likely.
    pub delay_most: Duration,
    /// The chance that a message is lost.
    pub loss: f64,
    /// The chance that the sender is told of a message that does not arrive, when it would have:
    /// it is handed back as [`super::Why::Unreachable`].
    pub told: f64,
    /// The chance that a message arrives twice.
    pub duplication: f64,
    /// Whether messages arrive in the order in which they were sent. If not, one may overtake
    /// another that takes longer.
    pub fifo: bool,
    /// The most messages on the way, from 0; more are handed back as [`super::Why::QueueFull`].
    pub queue: usize,
}

impl Default for Conditions {
    /// Each message arrives after 1 to 10 ms, in order; at most 4096 are on the way.
    fn default() -> Self {
        Self {
            delay_least: Duration::from_millis(1),
            delay_most: Duration::from_millis(10),
            loss: 0.0,
            told: 0.0,
            duplication: 0.0,
            fifo: true,
            queue: 4096,
        }
    }
}

/// What the network has done to messages so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Messages lost by chance.
    pub lost: u64,
    /// Messages lost because the link was cut when they were sent or when they would have arrived.
    pub cut: u64,
    /// Messages lost because their receiver had left.
    pub absent: u64,
    /// Messages of these that were handed back.
    pub told: u64,
    /// Messages sent a second time.
    pub duplicated: u64,
    /// Messages that arrived before one that was sent earlier.
    pub overtaking: u64,
}

/// The network. Clones share it.
pub struct Simulated<P, M> {
    net: Arc<Net<P, M>>,
}

/// One node's end of a [`Simulated`].
pub struct SimulatedTransport<P: Copy + Ord, M> {
    net: Arc<Net<P, M>>,
    own: P,
    /// Which life of the node this is.
    life: u64,
    tally: Arc<Tally>,
}

/// A node that is dropped leaves as one does that crashes.
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
    /// A network that nobody has joined.
    #[must_use]
    pub fn new(seed: u64, conditions: Conditions) -> Self {
        Self { net: Arc::new(Net::new(seed, conditions)) }
    }

    /// Lets a node join by an id, in place of one that has it. What is on the way to that one
    /// arrives at the new one.
    pub fn join<R: Receiver<P, M>>(&self, own: P, receiver: R) -> SimulatedTransport<P, M> {
        let tally = Arc::new(Tally::default());
        let hand_back = Arc::clone(&tally).to(receiver.clone());
        let deliver = {
            let tally = Arc::clone(&tally);
            move |from, message| -> net::Delivery {
                let (tally, receiver) = (Arc::clone(&tally), receiver.clone());
                Box::pin(async move {
                    receiver.deliver(from, message).await;
                    tally.received();
                })
            }
        };
        let life = self.net.join(own, Member::new(Arc::new(deliver), hand_back));
        SimulatedTransport { net: Arc::clone(&self.net), own, life, tally }
    }

    /// Treats messages from one node to another otherwise than those of the rest, from now on.
    pub fn set_link(&self, from: P, to: P, conditions: Conditions) {
        self.net.state().link(from, to).conditions = Some(conditions);
    }

    /// Treats messages otherwise from now on, where no link has conditions of its own.
    pub fn set_conditions(&self, conditions: Conditions) {
        self.net.state().conditions = conditions;
    }

    /// Cuts two nodes off from each other: what is on the way between them is lost, too, unless
    /// they are healed before it arrives.
    pub fn cut(&self, one: P, other: P) {
        self.cut_one_way(one, other);
        self.cut_one_way(other, one);
    }

    /// Cuts one direction.
    pub fn cut_one_way(&self, from: P, to: P) {
        self.net.state().link(from, to).is_cut = true;
    }

    /// Lets two nodes reach each other again.
    pub fn heal(&self, one: P, other: P) {
        let mut state = self.net.state();
        state.link(one, other).is_cut = false;
        state.link(other, one).is_cut = false;
    }

    /// Lets all nodes reach each other again.
    pub fn heal_all(&self) {
        self.net.state().links.values_mut().for_each(|link| link.is_cut = false);
    }

    /// What the network has done to messages so far.
    #[must_use]
    pub fn faults(&self) -> Faults {
        self.net.state().faults
    }
}

impl<P: Copy + Ord, M> SimulatedTransport<P, M> {
    /// What this node has done so far. Messages that the network lost count as sent.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.tally.counts()
    }

    /// Leaves at once, as a node does that crashes. What it has sent is on its way; what is on the
    /// way to it is lost, unless it joins again before.
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
        sent.map_err(|back| self.tally.unsent(to, back))?;
        self.tally.sent(1);
        Ok(())
    }

    /// Waits until nothing is on the way that this node has sent, and leaves. What is on the way
    /// after `patience` is handed back as [`super::Why::Closed`], copies left out.
    async fn close(&self, patience: Duration) {
        self.net.close(self.own, self.life);
        let _late = tokio::time::timeout(patience, self.net.drained(self.own)).await;
        self.net.recall(self.own, self.life);
        self.net.leave(self.own, self.life);
    }
}
