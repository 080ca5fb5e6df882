//! The nodes of a network and the links between them.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::watch;
use tokio::time::{self, Instant};

use super::conditions::Conditions;
use super::faults::Faults;
use super::link::SimulatedLink;
use crate::Rng;
use crate::transport::counts::HandBack;
use crate::transport::{Unsent, UnsentReason};

/// A message that is being delivered.
pub(super) type Delivery = Pin<Box<dyn Future<Output = ()> + Send>>;

type Deliver<P, M> = Arc<dyn Fn(P, M) -> Delivery + Send + Sync>;

/// A node that has joined.
pub(super) struct Member<P, M> {
    life: u64,
    is_closed: bool,
    deliver: Deliver<P, M>,
    hand_back: HandBack<P, M>,
}

impl<P, M> Member<P, M> {
    pub(super) fn new(deliver: Deliver<P, M>, hand_back: HandBack<P, M>) -> Self {
        Self { life: 0, is_closed: false, deliver, hand_back }
    }
}

pub(super) struct Net<P, M> {
    state: Mutex<State<P, M>>,
}

pub(super) struct State<P, M> {
    pub(super) conditions: Conditions,
    pub(super) links: BTreeMap<(P, P), SimulatedLink<M>>,
    pub(super) faults: Faults,
    rng: Rng,
    /// `None` once the node has left.
    members: BTreeMap<P, Option<Member<P, M>>>,
    lives: u64,
    /// The number of messages of each node in flight or being delivered.
    flying: BTreeMap<P, watch::Sender<usize>>,
}

impl<P: Copy + Ord, M> State<P, M> {
    pub(super) fn link(&mut self, from: P, to: P) -> &mut SimulatedLink<M> {
        self.links.entry((from, to)).or_default()
    }

    fn member(&mut self, own: P, life: u64) -> Option<&mut Member<P, M>> {
        self.members.get_mut(&own)?.as_mut().filter(|member| member.life == life)
    }

    fn count(&mut self, from: P) -> &watch::Sender<usize> {
        self.flying.entry(from).or_insert_with(|| watch::Sender::new(0))
    }

    /// Drops a message; its sender may get it back.
    fn lose(&mut self, (from, life): (P, u64), to: P, message: M) -> Told<P, M> {
        let own = self.links.get(&(from, to)).and_then(|link| link.conditions.as_ref());
        let told = own.unwrap_or(&self.conditions).told;
        if !self.rng.chance(told) {
            return None;
        }
        let hand_back = Arc::clone(&self.member(from, life)?.hand_back);
        self.faults.told += 1;
        Some((hand_back, Unsent { to, message, why: UnsentReason::Unreachable }))
    }
}

/// The messages to hand back, after the lock is released.
type Told<P, M> = Option<(HandBack<P, M>, Unsent<P, M>)>;

fn tell<P, M>(told: Told<P, M>) {
    if let Some((hand_back, unsent)) = told {
        hand_back(unsent);
    }
}

impl<P: Copy + Ord, M> Net<P, M> {
    pub(super) fn state(&self) -> MutexGuard<'_, State<P, M>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn leave(&self, own: P, life: u64) {
        let mut state = self.state();
        if state.member(own, life).is_some() {
            state.members.insert(own, None);
        }
    }
}

impl<P, M> Net<P, M>
where
    P: Copy + Ord + Debug + Send + Sync + 'static,
    M: Clone + Send + 'static,
{
    pub(super) fn new(seed: u64, conditions: Conditions) -> Self {
        let state = State {
            conditions,
            links: BTreeMap::new(),
            faults: Faults::default(),
            rng: Rng::seeded(seed),
            members: BTreeMap::new(),
            lives: 0,
            flying: BTreeMap::new(),
        };
        Self { state: Mutex::new(state) }
    }

    /// Starts the next incarnation of the node.
    pub(super) fn join(&self, own: P, mut member: Member<P, M>) -> u64 {
        let mut state = self.state();
        state.lives += 1;
        member.life = state.lives;
        state.members.insert(own, Some(member));
        state.lives
    }

    pub(super) fn close(&self, own: P, life: u64) {
        if let Some(member) = self.state().member(own, life) {
            member.is_closed = true;
        }
    }

    pub(super) fn send(
        self: &Arc<Self>,
        (from, life): (P, u64),
        to: P,
        message: M,
    ) -> Result<(), (M, UnsentReason)> {
        let mut guard = self.state();
        let state = &mut *guard;
        if state.member(from, life).is_none_or(|member| member.is_closed) {
            return Err((message, UnsentReason::Closed));
        }
        if !state.members.contains_key(&to) {
            return Err((message, UnsentReason::UnknownPeer));
        }
        let link = state.links.entry((from, to)).or_default();
        let conditions = link.conditions.as_ref().unwrap_or(&state.conditions).clone();
        if link.flying.len() >= conditions.queue {
            return Err((message, UnsentReason::QueueFull));
        }
        let is_lost = state.rng.chance(conditions.loss);
        if link.is_cut || is_lost {
            let count = if link.is_cut { &mut state.faults.cut } else { &mut state.faults.lost };
            *count += 1;
            let told = state.lose((from, life), to, message);
            drop(guard);
            tell(told);
            return Ok(());
        }
        let before = link.flying.len();
        link.put(message, life, &conditions, &mut state.rng, &mut state.faults);
        let more = link.flying.len() - before;
        let is_served = std::mem::replace(&mut link.is_served, true);
        state.count(from).send_modify(|flying| *flying += more);
        drop(guard);
        if !is_served {
            tokio::spawn(serve(Arc::downgrade(self), from, to));
        }
        Ok(())
    }

    /// Waits until no message of a node is in flight.
    pub(super) async fn drained(&self, from: P) {
        let mut flying = self.state().count(from).subscribe();
        // An error means that the network was dropped, with all its messages.
        let _drained = flying.wait_for(|flying| *flying == 0).await;
    }

    /// Hands back the messages in flight of one incarnation of a node.
    pub(super) fn recall(&self, own: P, life: u64) {
        let mut state = self.state();
        let Some(member) = state.member(own, life) else { return };
        let hand_back = Arc::clone(&member.hand_back);
        let mut recalled = Vec::new();
        for ((_, to), link) in state.links.iter_mut().filter(|((from, _), _)| *from == own) {
            let flying = link.flying.extract_if(.., |_, flying| flying.life == life);
            recalled.extend(flying.map(|(_, flying)| (*to, flying)));
        }
        state.count(own).send_modify(|flying| *flying -= recalled.len());
        drop(state);
        for (to, flying) in recalled.into_iter().filter(|(_, flying)| !flying.is_copy) {
            hand_back(Unsent { to, message: flying.message, why: UnsentReason::Closed });
        }
    }

    /// Takes the messages that have arrived on a link, or returns when to look again.
    fn arrival(&self, from: P, to: P) -> Arrival {
        let mut guard = self.state();
        let state = &mut *guard;
        let Some(link) = state.links.get_mut(&(from, to)) else { return Arrival::Nothing };
        let Some(flying) = link.take(Instant::now(), &mut state.faults) else {
            return link.next().map_or(Arrival::Nothing, Arrival::At);
        };
        let member = state.members.get(&to).and_then(Option::as_ref);
        if let Some(member) = member.filter(|_| !link.is_cut) {
            return Arrival::Now((member.deliver)(from, flying.message));
        }
        let count = if link.is_cut { &mut state.faults.cut } else { &mut state.faults.absent };
        *count += 1;
        let told =
            if flying.is_copy { None } else { state.lose((from, flying.life), to, flying.message) };
        state.count(from).send_modify(|flying| *flying -= 1);
        drop(guard);
        tell(told);
        Arrival::Lost
    }
}

enum Arrival {
    Now(Delivery),
    At(Instant),
    Lost,
    Nothing,
}

/// Delivers the messages of a link, until the network is dropped.
async fn serve<P, M>(net: Weak<Net<P, M>>, from: P, to: P)
where
    P: Copy + Ord + Debug + Send + Sync + 'static,
    M: Clone + Send + 'static,
{
    loop {
        let Some(strong) = net.upgrade() else { return };
        let changed = Arc::clone(&strong.state().link(from, to).changed);
        let arrival = strong.arrival(from, to);
        drop(strong);
        match arrival {
            Arrival::Now(delivery) => {
                delivery.await;
                let Some(net) = net.upgrade() else { return };
                net.state().count(from).send_modify(|flying| *flying -= 1);
            }
            Arrival::At(time) => tokio::select! {
                biased;
                () = changed.notified() => {}
                () = time::sleep_until(time) => {}
            },
            Arrival::Lost => {}
            Arrival::Nothing => changed.notified().await,
        }
    }
}
