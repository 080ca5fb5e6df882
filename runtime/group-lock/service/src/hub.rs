//! What the tasks of a process share: its detector, its channels, and the core of its present life.

mod hand_over;
mod transfers;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use turnstile_group_lock_core::stack::{Message, Stack};
use turnstile_host::transport::tcp::{Address, Tcp};
use turnstile_host::transport::{Receiver, Transport, Unsent, UnsentReason};
use turnstile_host::{Bell, Inbox};
use turnstile_view_handler_core::{self as view, MemberId};

use self::transfers::Transfers;
use crate::detector::{Act, Detector, Wake};
use crate::router::{Outgoing, Router};
use crate::state::AnyState;
use crate::wire::{Located, Packet, is_possible};

/// More answers than these are not kept until the next question.
const SAID_MAX: usize = 1024;
/// The message by which a core says that the state is there.
const STATE: Message = Message::Views(view::Message::State);

/// What the tasks share.
pub(crate) struct Hub {
    pub(crate) seeds: BTreeSet<SocketAddr>,
    /// The application's state, if the members share one.
    pub(crate) state: Option<Arc<dyn AnyState>>,
    shared: Mutex<HubState>,
    tcp: OnceLock<Tcp<SocketAddr, Packet>>,
    /// Rings when a process comes or goes, or has said who coordinates it.
    pub(crate) news: Bell,
}

/// The part behind the mutex.
pub(crate) struct HubState {
    pub(crate) detector: Detector,
    pub(crate) router: Router,
    /// The core, while the member is one.
    inbox: Option<Inbox<Stack>>,
    /// Members that are gone, or read too slowly, and are to be suspected.
    pub(crate) suspects: BTreeSet<MemberId>,
    /// What the processes have said that were asked who coordinates them.
    pub(crate) said: Vec<Option<Located>>,
    transfers: Transfers,
}

impl Hub {
    pub(crate) fn new(
        detector: Detector,
        router: Router,
        seeds: BTreeSet<SocketAddr>,
        state: Option<Arc<dyn AnyState>>,
    ) -> Arc<Self> {
        let (suspects, said) = (BTreeSet::new(), Vec::new());
        let transfers = Transfers::default();
        let shared = HubState { detector, router, inbox: None, suspects, said, transfers };
        let (shared, tcp) = (Mutex::new(shared), OnceLock::new());
        Arc::new(Self { seeds, state, shared, tcp, news: Bell::default() })
    }

    /// Sets the transport, once it is started with this hub as its receiver.
    pub(crate) fn connect(self: &Arc<Self>, tcp: Tcp<SocketAddr, Packet>) {
        let tcp = self.tcp.get_or_init(|| tcp);
        self.seeds.iter().for_each(|seed| tcp.set_peer(*seed, Some(address(*seed))));
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, HubState> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, if a packet is for the present life and not for a former one.
    fn lock_for(&self, to: MemberId) -> Option<MutexGuard<'_, HubState>> {
        Some(self.lock()).filter(|state| state.router.own() == to)
    }

    /// The core of another life, which has these channels.
    pub(crate) fn begin_life(&self, router: Router, inbox: Option<Inbox<Stack>>) {
        let mut state = self.lock();
        let up: Vec<Located> = state.router.up().collect();
        state.router = router;
        up.into_iter().for_each(|peer| state.router.is_up(peer));
        (state.inbox, state.suspects) = (inbox, BTreeSet::new());
        state.transfers = Transfers::default();
    }

    pub(crate) fn set_inbox(&self, inbox: Inbox<Stack>) {
        self.lock().inbox = Some(inbox);
    }

    pub(crate) fn transmit(&self, packets: Vec<Outgoing>) {
        let Some(tcp) = self.tcp.get() else { return };
        for (to, packet) in packets {
            let Err(unsent) = tcp.send(to, packet) else { continue };
            match unsent.why {
                UnsentReason::UnknownPeer => {
                    tcp.set_peer(to, Some(address(to)));
                    // If it is not queued now, it is repeated.
                    let _again = tcp.send(to, unsent.message);
                }
                // The channel repeats it; the detector has its own timeouts.
                UnsentReason::QueueFull
                | UnsentReason::Unreachable
                | UnsentReason::TooLong
                | UnsentReason::Unencodable
                | UnsentReason::Closed => {}
            }
        }
    }

    /// Lets the detector do something, and carries out what follows.
    pub(crate) fn detect(self: &Arc<Self>, act: impl FnOnce(&mut Detector) -> Vec<Act>) {
        let mut packets = Vec::new();
        let mut state = self.lock();
        let acts = act(&mut state.detector);
        for act in acts {
            match act {
                Act::Send { to, packet } => packets.push((to, Packet::Gossip(packet))),
                Act::Arm { wake, after } => self.arm(*wake, after),
                Act::Up(peer) if peer.member == MemberId::default() => {}
                Act::Up(peer) => {
                    tracing::info!(at = %peer.at, member = %hex(peer.member), "a member is there");
                    state.router.is_up((peer.member, peer.at));
                    self.news.ring();
                }
                Act::Down(peer) => {
                    tracing::info!(at = %peer.at, member = %hex(peer.member), "a member is gone");
                    state.router.is_down(peer.member, Instant::now());
                    state.suspects.insert(peer.member);
                    self.news.ring();
                }
            }
        }
        drop(state);
        self.transmit(packets);
    }

    fn arm(self: &Arc<Self>, wake: Wake, after: Duration) {
        let hub = Arc::downgrade(self);
        tokio::spawn(async move {
            sleep(after).await;
            if let Some(hub) = hub.upgrade() {
                hub.detect(|detector| detector.wake(wake));
            }
        });
    }

    /// Sends what is due.
    pub(crate) fn tick(&self) {
        let packets = self.lock().router.tick(Instant::now());
        self.transmit(packets);
    }

    /// Asks all processes who coordinates them.
    pub(crate) fn ask(&self) {
        let up: Vec<Located> = {
            let mut state = self.lock();
            state.said.clear();
            state.router.up().collect()
        };
        self.transmit(up.into_iter().map(|(_, at)| (at, Packet::Ask)).collect());
    }

    /// Takes a message of a channel; returns it, with the core that gets it, if it is the next one.
    fn arrived(
        &self,
        from: Located,
        to: MemberId,
        place: (u64, u64),
        members: &[Located],
        mut message: Message,
    ) -> Option<(Inbox<Stack>, Message)> {
        if !is_possible(&mut message) {
            tracing::warn!(at = %from.1, "a message with a number that cannot be is ignored");
            return None;
        }
        let mut state = self.lock_for(to)?;
        // Otherwise the life has not begun.
        let inbox = state.inbox.clone()?;
        let (is_next, due) = state.router.arrived(from, place, members);
        if is_next && message == STATE {
            state.transfers.giver = Some(from);
        }
        drop(state);
        self.transmit(due.into_iter().collect());
        is_next.then_some((inbox, message))
    }

    async fn hear(self: &Arc<Self>, at: SocketAddr, packet: Packet) {
        match packet {
            Packet::Gossip(packet) => self.detect(|detector| detector.hear(&packet)),
            Packet::Message { from, to, channel, place, members, message } => {
                let next = self.arrived((from, at), to, (channel, place), &members, message);
                if let Some((inbox, message)) = next {
                    inbox.deliver(from, message).await;
                }
            }
            Packet::Acknowledge { from, to, channel, before } => {
                let due = self.lock_for(to).map(|mut state| {
                    state.router.acknowledged(from, channel, before, Instant::now())
                });
                self.transmit(due.unwrap_or_default());
            }
            Packet::Doubt { from, to, channel } => {
                let confirmed = self
                    .lock_for(to)
                    .and_then(|mut state| state.router.doubted((from, at), channel));
                self.transmit(confirmed.into_iter().collect());
            }
            Packet::Confirm { from, to, channel } => {
                if let Some(mut state) = self.lock_for(to) {
                    state.router.confirmed(from, channel);
                }
            }
            Packet::Ask => {
                let inbox = self.lock().inbox.clone();
                let coordinator =
                    inbox.and_then(|inbox| inbox.read(|core| core.views.coordinator()));
                let coordinator = coordinator
                    .flatten()
                    .and_then(|member| Some((member, self.lock().router.address(member)?)));
                self.transmit(vec![(at, Packet::Coordinator(coordinator))]);
            }
            Packet::Coordinator(coordinator) => {
                let mut state = self.lock();
                if state.said.len() < SAID_MAX {
                    state.said.push(coordinator);
                }
                drop(state);
                self.news.ring();
            }
            Packet::Pull { from, to, place } => self.pulled((from, at), to, place),
            Packet::Piece { from, to, place, piece } => self.piece(from, to, (place, piece)),
        }
    }

    pub(crate) async fn close(&self, timeout: Duration) {
        if let Some(tcp) = self.tcp.get() {
            tcp.close(timeout).await;
        }
    }
}

/// A member's number as its status has it.
fn hex(member: MemberId) -> String {
    format!("{:016x}", member.0)
}

/// The address of a process, by its id in the transport.
pub(crate) fn address(at: SocketAddr) -> Address {
    Address::new(at.ip().to_string(), at.port())
}

/// The receiver of the transport.
#[derive(Clone)]
pub(crate) struct Incoming(pub(crate) Weak<Hub>);

impl Receiver<SocketAddr, Packet> for Incoming {
    async fn deliver(&self, from: SocketAddr, packet: Packet) {
        // The transport belongs to the hub: without it nobody hears.
        if let Some(hub) = self.0.upgrade() {
            hub.hear(from, packet).await;
        }
    }

    fn unsent(&self, unsent: Unsent<SocketAddr, Packet>) {
        if let (Packet::Message { .. }, Some(hub)) = (unsent.message, self.0.upgrade()) {
            hub.lock().router.returned(unsent.to);
        }
    }
}

/// The transport of the core.
pub(crate) struct CoreTransport(pub(crate) Arc<Hub>);

impl Transport<MemberId, Message> for CoreTransport {
    fn send(&self, to: MemberId, message: Message) -> Result<(), Unsent<MemberId, Message>> {
        if message == STATE {
            self.0.offer_state(to);
        }
        let packets = {
            let mut state = self.0.lock();
            if !state.router.push(to, message) {
                // It reads too slowly, which is as if it were gone.
                state.suspects.insert(to);
                self.0.news.ring();
            }
            state.router.due(to, Instant::now())
        };
        self.0.transmit(packets);
        Ok(())
    }

    async fn close(&self, _timeout: Duration) {}
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use turnstile_host::Rng;
    use turnstile_view_handler_core::number::ViewId;

    use super::*;
    use crate::channel::{KEPT_MAX, UNACKNOWLEDGED_MAX};
    use crate::peer::Peer;

    #[tokio::test]
    async fn a_member_that_acknowledges_nothing_is_suspected_and_its_queue_is_bounded() {
        let peer = |member, port| {
            let at = (Ipv4Addr::LOCALHOST, port).into();
            Peer { at, age: 1, refutations: 0, member: MemberId(member) }
        };
        let (own, slow) = (peer(1, 1), peer(2, 2));
        let detector = Detector::new(own, Duration::from_secs(1), Rng::seeded(1).number());
        let router = Router::new((own.member, own.at), 1);
        let hub = Hub::new(detector, router, BTreeSet::new(), None);
        hub.lock().router.is_up((slow.member, slow.at));
        let transport = CoreTransport(Arc::clone(&hub));
        let message = Message::Views(view::Message::Installed(ViewId::new(1)));
        for _ in 0..KEPT_MAX {
            transport.send(slow.member, message.clone()).expect("it is kept");
        }
        assert!(hub.lock().suspects.is_empty());
        for _ in 0..1000 {
            transport.send(slow.member, message.clone()).expect("what is too much is lost");
        }
        assert_eq!(hub.lock().suspects, BTreeSet::from([slow.member]));
        // What is sent again is what was sent.
        hub.lock().router.returned(slow.at);
        let repeated = hub.lock().router.due(slow.member, Instant::now());
        assert_eq!(repeated.len(), UNACKNOWLEDGED_MAX);
    }
}
