//! One life of a member: from its request to join until it is in no group any more.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use turnstile_group_lock_core::stack::{Command, Notice, Stack};
use turnstile_host::{Event, EventOf, Notices};
use turnstile_view_handler_core::{self as view, MemberId, View};

use crate::hub::Hub;
use crate::lives::{Beginning, End, Leave, LifeNode, Lives};
use crate::view::GroupView;

/// The command by which a member leaves.
const LEAVE: Command = Command::Views(view::Command::Leave);
/// How often what is due is looked at.
const TICK: Duration = Duration::from_millis(20);
/// A JOIN without an answer is repeated after this time, and given up after five times.
const JOIN: Duration = Duration::from_secs(1);
/// How long a member waits for the view by which it leaves.
const LEAVE_MOST: Duration = Duration::from_secs(2);
/// How long a member that has joined waits until the coordinator says that it gives the state.
const STATE_MOST: Duration = Duration::from_secs(5);
/// A member of a view that the detector has not found for so many periods, or that has not
/// confirmed it, is suspected. It may have gone before the detector of this process began, or
/// before that view was made.
const UNSEEN_PERIODS: u32 = 5;
/// How long what a life sends last may take.
const LAST: Duration = Duration::from_millis(100);

/// One life.
pub(crate) struct OneLife {
    node: LifeNode,
    notices: Notices<Stack>,
    /// Events that came while a command was given.
    unread: VecDeque<EventOf<Stack>>,
    me: MemberId,
    /// When it has sent a JOIN, and how often before.
    joining: Option<(Instant, u32)>,
    /// When it has looked for other coords.
    announced: Instant,
    /// Members of its view, or of one that it makes, that the detector does not find, or which do
    /// not confirm it, and since when.
    unseen: BTreeMap<MemberId, Instant>,
    /// Since when it is to get the application's state.
    awaits_state: Option<Instant>,
    /// The transfer of that state.
    transfer: JoinSet<io::Result<()>>,
}

impl OneLife {
    pub(crate) fn new(node: LifeNode, notices: Notices<Stack>, hub: &Hub) -> Self {
        let me = hub.lock().router.own();
        let (announced, unseen) = (Instant::now(), BTreeMap::new());
        let (joining, awaits_state, transfer) = (None, None, JoinSet::new());
        let unread = VecDeque::new();
        Self { node, notices, unread, me, joining, announced, unseen, awaits_state, transfer }
    }

    pub(crate) async fn run(
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
                self.join(lives, via).await;
            }
        }
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut leaving: Option<(Leave, Instant)> = None;
        let ended = loop {
            tokio::select! {
                biased;
                event = self.next_event() => match event {
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

    async fn join(&mut self, lives: &Lives, via: MemberId) {
        let with_state = lives.hub.state.is_some();
        self.order(Command::Views(view::Command::Join { via, with_state })).await;
    }

    /// Gives the core a command. While too many of its events are unread, a node takes none: they
    /// are read meanwhile.
    async fn order(&mut self, command: Command) {
        let Self { node, notices, unread, .. } = self;
        let mut given = pin!(node.command(command));
        loop {
            tokio::select! {
                biased;
                // A node that has failed says so by its notices.
                _failed = &mut given => return,
                Some(event) = notices.next() => unread.push_back(event),
            }
        }
    }

    async fn next_event(&mut self) -> Option<EventOf<Stack>> {
        match self.unread.pop_front() {
            Some(event) => Some(event),
            None => self.notices.next().await,
        }
    }

    /// Takes an event; `false`: the member is in no group any more.
    fn heard(&mut self, lives: &Lives, event: EventOf<Stack>) -> bool {
        match event {
            Event::Notice(Notice::Locks(notice)) => lives.locks.said(notice),
            Event::Notice(Notice::Views(view::Notice::Installed(view))) => {
                let is_member = view.contains(self.me);
                if self.joining.take().is_some() && lives.hub.state.is_some() {
                    self.awaits_state = Some(Instant::now());
                }
                self.installed(lives, view);
                return is_member;
            }
            Event::Notice(Notice::Views(view::Notice::GotState)) => {
                if self.awaits_state.take().is_some() {
                    let hub = Arc::clone(&lives.hub);
                    self.transfer.spawn(async move { hub.receive_state().await });
                }
            }
            Event::Notice(Notice::Views(
                view::Notice::Suspended(_) | view::Notice::Resumed { .. },
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

    /// What is due: suspicions, the search for other coords, a JOIN that was not answered, and a
    /// transfer of the state that has ended. `false`: the life is over.
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
                self.join(lives, via).await;
            }
            self.joining = Some((Instant::now(), count + 1));
        }
        if !self.has_state() {
            return false;
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

    /// `false`: it does not get the application's state, and has to join again.
    fn has_state(&mut self) -> bool {
        if self.awaits_state.is_some_and(|since| since.elapsed() >= STATE_MOST) {
            tracing::warn!("the coordinator does not give the state of the group");
            return false;
        }
        match self.transfer.try_join_next() {
            None => true,
            Some(Ok(Ok(()))) => {
                tracing::info!("the state of the group has arrived");
                true
            }
            Some(Ok(Err(error))) => {
                tracing::warn!(%error, "the state of the group has not arrived");
                false
            }
            Some(Err(error)) => {
                tracing::error!(%error, "the application has failed to take the state");
                false
            }
        }
    }

    /// Suspects, again and again, the members that the detector does not find, and those that do
    /// not confirm a view: one that has asked to join may be in another group by now.
    async fn suspect_unseen(&mut self, lives: &Lives, core: &view::State, up: &[MemberId]) {
        let made = core.installation.iter().map(|made| &made.view);
        let members = core.view.iter().chain(made).flat_map(|view| view.members.iter());
        let members = members.filter(|member| *member != self.me && !up.contains(member));
        let unconfirmed = core.installation.iter().flat_map(|made| made.missing.iter());
        let unseen: BTreeSet<MemberId> = members.chain(unconfirmed).collect();
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
    async fn suspect(&mut self, member: MemberId) {
        self.order(Command::Views(view::Command::Suspect { member })).await;
        let made = self.node.state().views.installation;
        if made.is_some_and(|made| made.missing.contains(member)) {
            self.order(Command::Views(view::Command::InstallationFails)).await;
        }
    }

    /// MERGE2: a coord tells the processes that are not in its view that it is one.
    async fn announce(&mut self, lives: &Lives, core: &view::State, up: &[MemberId]) {
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
