//! Who seems to be there, and who seems to be gone: SWIM, by foca, without IO or a clock.
//!
//! What it says becomes the documents' SUSPECT, and tells with whom to join or merge; it may be
//! wrong, which the documents allow for.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::num::{NonZeroU8, NonZeroUsize};
use std::time::Duration;

use foca::{
    Config, Foca, NoCustomBroadcast, Notification, PeriodicParams, PostcardCodec, Runtime, Timer,
};
use rand::rand_core::TryRng;
use turnstile_host::Rng;
use turnstile_view_handler_core::MemberId;

use crate::peer::Peer;

/// The maximum size of a packet.
const PACKET_BYTES: usize = 16 << 10;
/// How many members are asked at once where several are.
const SOME: NonZeroUsize = NonZeroUsize::new(3).expect("it is not zero");

/// A timer of the detector.
pub(crate) type Wake = Timer<Peer>;

/// What the detector has done.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// A packet is to be sent.
    Send { to: SocketAddr, packet: Vec<u8> },
    /// The detector is to be woken.
    Arm { wake: Box<Wake>, after: Duration },
    /// A process is there.
    Up(Peer),
    /// It is gone, or another one has taken its place.
    Down(Peer),
}

/// The detector of one process.
pub(crate) struct Detector {
    foca: Swim,
    own: Peer,
}

type Swim = Foca<Peer, PostcardCodec, Generator, NoCustomBroadcast>;

impl Detector {
    /// A detector that asks one of the others in each period, and takes one for gone that has been
    /// silent for two more.
    pub(crate) fn new(own: Peer, period: Duration, seed: u64) -> Self {
        let rng = Generator(Rng::seeded(seed));
        Self { foca: Foca::new(own, config(period), rng, PostcardCodec), own }
    }

    /// This process, as the others know it.
    pub(crate) const fn own(&self) -> Peer {
        self.own
    }

    /// Those that seem to be there.
    pub(crate) fn peers(&self) -> impl Iterator<Item = Peer> + '_ {
        self.foca.iter_members().map(|member| *member.id())
    }

    /// Asks whoever is at an address for the others.
    pub(crate) fn announce(&mut self, to: SocketAddr) -> Vec<Act> {
        let to = Peer { at: to, age: 0, refutations: 0, member: MemberId::default() };
        self.act(|foca, acts| foca.announce(to, acts))
    }

    /// This process begins another life.
    pub(crate) fn become_another(&mut self, own: Peer) -> Vec<Act> {
        self.own = own;
        self.act(|foca, acts| foca.change_identity(own, acts))
    }

    /// A packet has arrived.
    pub(crate) fn hear(&mut self, packet: &[u8]) -> Vec<Act> {
        self.act(|foca, acts| foca.handle_data(packet, acts))
    }

    /// The time of a timer has come.
    pub(crate) fn wake(&mut self, wake: Wake) -> Vec<Act> {
        self.act(|foca, acts| foca.handle_timer(wake, acts))
    }

    /// Tells the others that this process goes.
    pub(crate) fn leave(&mut self) -> Vec<Act> {
        self.act(|foca, acts| foca.leave_cluster(acts))
    }

    fn act(
        &mut self,
        act: impl FnOnce(&mut Swim, &mut Acts) -> Result<(), foca::Error>,
    ) -> Vec<Act> {
        let mut acts = Acts::default();
        if let Err(error) = act(&mut self.foca, &mut acts) {
            // A packet that is none, or one of a former identity.
            tracing::debug!(%error, "the failure detector refuses an input");
        }
        if let Some(own) = acts.renewed {
            self.own = own;
        }
        acts.all
    }
}

fn config(period: Duration) -> Config {
    let periodic = |frequency| Some(PeriodicParams { frequency, num_members: SOME });
    Config {
        probe_period: period,
        probe_rtt: period * 2 / 5,
        num_indirect_probes: SOME,
        max_transmissions: NonZeroU8::new(10).expect("it is not zero"),
        suspect_to_down_after: 2 * period,
        remove_down_after: Some(Duration::from_secs(60)),
        max_packet_size: NonZeroUsize::new(PACKET_BYTES).expect("it is not zero"),
        notify_down_members: true,
        periodic_announce: periodic(20 * period),
        // After a partition both sides take each other for gone.
        periodic_announce_to_down_members: periodic(2 * period),
        periodic_gossip: periodic(period),
    }
}

/// What foca has done in one call.
#[derive(Default)]
struct Acts {
    all: Vec<Act>,
    /// This process, which had been taken for gone, has refuted it.
    renewed: Option<Peer>,
}

impl Runtime<Peer> for Acts {
    fn notify(&mut self, notification: Notification<'_, Peer>) {
        match notification {
            Notification::MemberUp(peer) => self.all.push(Act::Up(*peer)),
            Notification::MemberDown(peer) => self.all.push(Act::Down(*peer)),
            Notification::Rename(before, after) if before.member != after.member => {
                self.all.extend([Act::Down(*before), Act::Up(*after)]);
            }
            Notification::Rejoin(own) => self.renewed = Some(*own),
            // A process has refuted that it is gone; or how this one stands, which it hears of from
            // the group.
            Notification::Rename(..)
            | Notification::Active
            | Notification::Idle
            | Notification::Defunct => {}
        }
    }

    fn send_to(&mut self, to: Peer, packet: &[u8]) {
        self.all.push(Act::Send { to: to.at, packet: packet.to_vec() });
    }

    fn submit_after(&mut self, wake: Wake, after: Duration) {
        self.all.push(Act::Arm { wake: Box::new(wake), after });
    }
}

/// Foca's generator, by a seed.
struct Generator(Rng);

impl TryRng for Generator {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        // The upper half.
        Ok((self.0.number() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.number())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.0.number().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}
