//! What the lives of a member have in common: its group, which it looks for, and its locks.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, interval, timeout};
use turnstile_group_lock_core as group;
use turnstile_group_lock_core::stack::{Stack, State, Timer};
use turnstile_host::{Node, Notices, Options, Rng, Trace};
use turnstile_view_handler_core::{self as view, MemberId};

use crate::hub::{CoreTransport, Hub};
use crate::peer::Peer;
use crate::router::Router;
use crate::saved::ProcessStore;
use crate::turns::locks::Locks;
use crate::view::GroupView;
use crate::wire::Located;

/// How long a coord collects requests before it makes a view of them.
const QUEUE: Duration = Duration::from_millis(20);
/// The longest suspension of a view handler: longer than any message takes.
const RESUMER: Duration = Duration::from_secs(10);
/// How long a member waits for the answer to a LOCK, and a coordinator for those of a round.
const ANSWER: Duration = Duration::from_secs(5);

/// What a trace calls the core of a life, as a scenario does.
const BEGUN: &str = "member with locks of no group";

pub(crate) type LifeNode = Node<Stack, CoreTransport>;
pub(crate) type Started = (LifeNode, Notices<Stack>);
pub(crate) type Leave = oneshot::Sender<()>;

/// The task of a member.
pub(crate) struct Lives {
    pub(crate) hub: Arc<Hub>,
    pub(crate) locks: Arc<Locks>,
    pub(crate) views: watch::Sender<GroupView>,
    /// The period of the failure detector.
    pub(crate) period: Duration,
    store: ProcessStore,
    /// The owner of the store.
    owner: String,
    trace: Option<Trace>,
    pub(crate) rng: Rng,
}

/// How a member comes into a group.
pub(crate) enum Beginning {
    Alone,
    Join(MemberId),
}

/// How a life has ended.
pub(crate) enum End {
    /// It is in no group any more.
    Excluded,
    /// Its user has it leave.
    Left(Leave),
    Failed,
}

impl Lives {
    pub(crate) fn new(
        hub: Arc<Hub>,
        locks: Arc<Locks>,
        views: watch::Sender<GroupView>,
        period: Duration,
        store: ProcessStore,
        owner: String,
        trace: Option<Trace>,
    ) -> Self {
        Self { hub, locks, views, period, store, owner, trace, rng: Rng::from_entropy() }
    }

    /// Starts the core of a life, which is in no group yet.
    ///
    /// # Errors
    /// When the store cannot be read, or is that of another group.
    pub(crate) async fn start(&self) -> io::Result<Started> {
        let me = self.hub.lock().router.own();
        let hub = Arc::clone(&self.hub);
        let mut options = Options::new(|_: &State, timer| duration(timer));
        options.store = Some(self.store.next_life());
        options.name.clone_from(&self.owner);
        let trace = self.trace.as_ref().map(|trace| trace.of(&me.to_string()));
        options.observer = trace.map(|trace| trace.observer::<Stack>(BEGUN));
        Node::start(Stack::new(me), options, async |inbox| {
            hub.set_inbox(inbox);
            Ok(CoreTransport(hub))
        })
        .await
    }

    /// The next life has another number, and channels of its own.
    pub(crate) fn be_another(&mut self) {
        let before = self.hub.lock().detector.own();
        let (age, member) = (before.age + 1, MemberId(self.rng.number()));
        let own = Peer { age, refutations: 0, member, ..before };
        self.hub.begin_life(Router::new((own.member, own.at), own.age), None);
        self.hub.detect(|detector| detector.become_another(own));
    }

    /// Looks for a group to join. If all that are there are in none, the oldest begins one. Where
    /// two have begun one, they merge.
    pub(crate) async fn discover(&mut self) -> Beginning {
        let begun = Instant::now();
        let mut ticks = interval(self.period / 2);
        loop {
            ticks.tick().await;
            for seed in self.hub.seeds.clone() {
                self.hub.detect(|detector| detector.announce(seed));
            }
            self.hub.ask();
            let answered = self.hub.news.until(|| self.coordinator());
            if let Ok(coordinator) = timeout(self.period / 4, answered).await {
                return Beginning::Join(coordinator);
            }
            let state = self.hub.lock();
            let own = state.detector.own();
            let order = |peer: &Peer| (peer.age, peer.at);
            let is_oldest = state.detector.peers().all(|peer| order(&own) < order(&peer));
            let waited = begun.elapsed();
            if waited >= 2 * self.period && is_oldest || waited >= 6 * self.period {
                return Beginning::Alone;
            }
        }
    }

    /// A coordinator that one of the others has named, whose address is then known.
    pub(crate) fn coordinator(&self) -> Option<MemberId> {
        let mut state = self.hub.lock();
        let (member, at): Located = state.said.iter().flatten().next().copied()?;
        state.router.is_up((member, at));
        Some(member)
    }
}

const fn duration(timer: Timer) -> Duration {
    match timer {
        Timer::Views(view::Timer::Queue) => QUEUE,
        Timer::Views(view::Timer::Merge) => Duration::from_millis(1),
        Timer::Views(view::Timer::Resumer(_)) => RESUMER,
        Timer::Locks(group::Timer::Lock(_) | group::Timer::Reconciliation) => ANSWER,
    }
}
