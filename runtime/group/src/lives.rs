//! The lives of a member: it looks for its group, joins or begins one, and begins again when it is
//! in none any more.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use turnstile_core::group;
use turnstile_core::stack::{Command, Notice, Stack, State, Timer};
use turnstile_core::view::{self, MemberId, View};
use turnstile_host::{Event, Node, Notices, Options, Rng, Trace};

use crate::hub::{CoreTransport, Hub};
use crate::locks::Locks;
use crate::member::{GroupView, LEAVE};
use crate::peer::Peer;
use crate::router::Router;
use crate::saved::ProcessStore;
use crate::wire::Located;

/// How often what is due is looked at.
const TICK: Duration = Duration::from_millis(20);
/// How long a coord collects requests before it makes a view of them.
const QUEUE: Duration = Duration::from_millis(20);
/// The longest suspension of a view handler: longer than any message takes.
const RESUMER: Duration = Duration::from_secs(10);
/// How long a member waits for the answer to a LOCK, and a coordinator for those of a round.
const ANSWER: Duration = Duration::from_secs(5);
/// A JOIN without an answer is repeated after this time, and given up after five times.
const JOIN: Duration = Duration::from_secs(1);
/// How long a member waits for the view by which it leaves.
const LEAVE_MOST: Duration = Duration::from_secs(2);

/// A member of a view that the detector has not found for so many periods is suspected. It may have
/// gone before the detector of this process began, or before that view was made.
const UNSEEN_PERIODS: u32 = 5;
/// How long what a life sends last may take.
const LAST: Duration = Duration::from_millis(100);

/// What a trace calls the core of a life, as a scenario does.
const BEGUN: &str = "member with locks of no group";

type LifeNode = Node<Stack, CoreTransport>;
type Started = (LifeNode, Notices<Stack>);
type Leave = oneshot::Sender<()>;

/// The task of a member.
pub(crate) struct Lives {
    hub: Arc<Hub>,
    locks: Arc<Locks>,
    views: watch::Sender<GroupView>,
    /// The period of the failure detector.
    period: Duration,
    store: ProcessStore,
    /// The owner of the store.
    owner: String,
    trace: Option<Trace>,
    rng: Rng,
}

/// How a member comes into a group.
enum Beginning {
    Alone,
    Join(MemberId),
}

/// How a life has ended.
enum End {
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
        ((store, owner), trace): ((ProcessStore, String), Option<Trace>),
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
                    self.hub.detect(crate::detector::Detector::leave);
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

    /// The next life has another number, and channels of its own.
    fn be_another(&mut self) {
        let before = self.hub.lock().detector.own();
        let (age, member) = (before.age + 1, MemberId(self.rng.number()));
        let own = Peer { age, refutations: 0, member, ..before };
        self.hub.begin_life(Router::new((own.member, own.at), own.age), None);
        self.hub.detect(|detector| detector.become_another(own));
    }

    /// Looks for a group to join. If all that are there are in none, the oldest begins one. Where
    /// two have begun one, they merge.
    async fn discover(&mut self) -> Beginning {
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
    fn coordinator(&self) -> Option<MemberId> {
        let mut state = self.hub.lock();
        let (member, at): Located = state.said.iter().flatten().next().copied()?;
        state.router.is_up((member, at));
        Some(member)
    }
}

/// One life.
struct OneLife {
    node: LifeNode,
    notices: Notices<Stack>,
    me: MemberId,
    /// When it has sent a JOIN, and how often before.
    joining: Option<(Instant, u32)>,
    /// When it has looked for other coords.
    announced: Instant,
    /// Members of its view, or of one that it makes, that the detector does not find, and since
    /// when.
    unseen: BTreeMap<MemberId, Instant>,
}

impl OneLife {
    fn new(node: LifeNode, notices: Notices<Stack>, hub: &Hub) -> Self {
        let me = hub.lock().router.own();
        let (announced, unseen) = (Instant::now(), BTreeMap::new());
        Self { node, notices, me, joining: None, announced, unseen }
    }

    async fn run(
        mut self,
        lives: &mut Lives,
        beginning: Beginning,
        commands: &mut mpsc::UnboundedReceiver<Command>,
        leaves: &mut mpsc::Receiver<Leave>,
    ) -> End {
        match beginning {
            Beginning::Alone => self.order(Command::Begin).await,
            Beginning::Join(via) => {
                self.joining = Some((Instant::now(), 0));
                self.order(join(via)).await;
            }
        }
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut leaving: Option<(Leave, Instant)> = None;
        let ended = loop {
            tokio::select! {
                biased;
                event = self.notices.next() => match event {
                    Some(event) => if !self.heard(lives, event) { break End::Excluded },
                    None => break End::Failed,
                },
                Some(command) = commands.recv() => self.order(command).await,
                Some(leave) = leaves.recv() => {
                    // Its users hear of it before others may have their locks.
                    lives.locks.lose_all();
                    self.order(LEAVE).await;
                    leaving = Some((leave, Instant::now()));
                }
                _ = ticks.tick() => {
                    let is_lost = !self.tick(lives).await;
                    let is_late =
                        leaving.as_ref().is_some_and(|(_, since)| since.elapsed() >= LEAVE_MOST);
                    if is_lost || is_late {
                        break End::Excluded;
                    }
                }
            }
        };
        // What it sends last, for example that it hands over to the next coordinator.
        lives.hub.tick();
        self.node.stop(LAST).await;
        match leaving {
            Some((leave, _)) => End::Left(leave),
            None => ended,
        }
    }

    async fn order(&self, command: Command) {
        // A node that has failed says so by its notices.
        let _failed = self.node.command(command).await;
    }

    /// Takes an event; `false`: the member is in no group any more.
    fn heard(&mut self, lives: &Lives, event: turnstile_host::EventOf<Stack>) -> bool {
        match event {
            Event::Notice(Notice::Locks(notice)) => lives.locks.said(notice),
            Event::Notice(Notice::Views(view::Notice::Installed(view))) => {
                let is_member = view.contains(self.me);
                self.joining = None;
                self.installed(lives, view);
                return is_member;
            }
            Event::Notice(Notice::Views(
                view::Notice::GotState | view::Notice::Suspended(_) | view::Notice::Resumed { .. },
            ))
            | Event::Unsent(_) => {}
            Event::Broken => return false,
        }
        true
    }

    fn installed(&self, lives: &Lives, view: View) {
        let mut state = lives.hub.lock();
        let members = view.members.iter().filter_map(|member| state.router.address(member));
        let seen = GroupView { id: view.id.number(), members: members.collect() };
        state.router.installed(view, Instant::now());
        drop(state);
        tracing::info!(view = seen.id, members = ?seen.members, "a view is installed");
        lives.views.send_replace(seen);
    }

    /// What is due: suspicions, the search for other coords, and a JOIN that was not answered.
    /// `false`: it is not taken in.
    async fn tick(&mut self, lives: &mut Lives) -> bool {
        lives.hub.tick();
        let suspects = std::mem::take(&mut lives.hub.lock().suspects);
        for member in suspects {
            self.suspect(member).await;
        }
        if let Some((since, count)) = self.joining
            && since.elapsed() >= JOIN
        {
            if count >= 5 {
                return false;
            }
            lives.hub.ask();
            let answered = lives.hub.news.until(|| lives.coordinator());
            if let Ok(via) = timeout(lives.period / 4, answered).await {
                self.order(join(via)).await;
            }
            self.joining = Some((Instant::now(), count + 1));
        }
        if self.announced.elapsed() >= lives.period {
            // Two that have found each other do not try at the same time again and again.
            self.announced = Instant::now() - lives.rng.between(Duration::ZERO, lives.period / 2);
            let core = self.node.state().views;
            let up: Vec<MemberId> =
                lives.hub.lock().router.up().map(|(member, _)| member).collect();
            self.announce(lives, &core, &up).await;
            self.suspect_unseen(lives, &core, &up).await;
        }
        true
    }

    /// Suspects, again and again, the members that the detector does not find.
    async fn suspect_unseen(&mut self, lives: &Lives, core: &view::State, up: &[MemberId]) {
        let made = core.installation.iter().map(|made| &made.view);
        let members = core.view.iter().chain(made).flat_map(|view| view.members.iter());
        let unseen: BTreeSet<MemberId> =
            members.filter(|member| *member != self.me && !up.contains(member)).collect();
        self.unseen.retain(|member, _| unseen.contains(member));
        for member in unseen {
            let since = *self.unseen.entry(member).or_insert_with(Instant::now);
            if since.elapsed() >= UNSEEN_PERIODS * lives.period {
                self.suspect(member).await;
            }
        }
    }

    /// Tells the core that a member is gone, and that a view which that one has to confirm is not
    /// installed: nobody waits for it until the suspension ends.
    async fn suspect(&self, member: MemberId) {
        self.order(Command::Views(view::Command::Suspect { member })).await;
        let made = self.node.state().views.installation;
        if made.is_some_and(|made| made.missing.contains(member)) {
            self.order(Command::Views(view::Command::InstallationFails)).await;
        }
    }

    /// MERGE2: a coord tells the processes that are not in its view that it is one.
    async fn announce(&self, lives: &Lives, core: &view::State, up: &[MemberId]) {
        let view = core.view.as_ref().filter(|view| view.coordinator() == Some(self.me));
        let Some(view) = view else { return };
        for to in up.iter().copied().filter(|member| !view.contains(*member)) {
            self.order(Command::Views(view::Command::Announce { to })).await;
        }
        // They may not be known as gone, or their seeds have been away.
        for seed in lives.hub.seeds.clone() {
            let is_there = lives.hub.lock().router.up().any(|(_, at)| at == seed);
            if !is_there {
                lives.hub.detect(|detector| detector.announce(seed));
            }
        }
    }
}

const fn join(via: MemberId) -> Command {
    Command::Views(view::Command::Join { via, with_state: false })
}

const fn duration(timer: Timer) -> Duration {
    match timer {
        Timer::Views(view::Timer::Queue) => QUEUE,
        Timer::Views(view::Timer::Merge) => Duration::from_millis(1),
        Timer::Views(view::Timer::Resumer(_)) => RESUMER,
        Timer::Locks(group::Timer::Lock(_) | group::Timer::Reconciliation) => ANSWER,
    }
}
