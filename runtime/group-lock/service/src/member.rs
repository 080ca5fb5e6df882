//! A member of a group, for its users.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;
use turnstile_host::store::Store;
use turnstile_host::transport::tcp::{self, Dial, Limits, Listen, SystemTcp, Tls};
use turnstile_host::{Rng, Trace, at as in_place, wall_us};
use turnstile_view_handler_core::MemberId;

use crate::detector::Detector;
use crate::hub::{Hub, Incoming, address};
use crate::lives::Lives;
use crate::peer::Peer;
use crate::router::Router;
use crate::saved::ProcessStore;
use crate::state::{AnyState, ApplicationState};
use crate::status::GroupStatus;
use crate::turns::line;
use crate::turns::locks::{Locks, Turn};
use crate::turns::token::FencingToken;
use crate::view::GroupView;
use crate::wire::PROTOCOL;

/// How often a lock is granted in a row to callers of one member, by default.
const GRANTS_MAX: u32 = 8;
/// The maximum size of a message in bytes: that of all locks, places and requests of 100,000 users.
const FRAME_BYTES: usize = 8 << 20;
/// The longest time for which a try waits for the coordinator's answer.
const TRY_MAX: Duration = Duration::from_secs(5);

/// The configuration of a member.
pub struct Builder {
    group: String,
    listen: SocketAddr,
    advertise: Option<SocketAddr>,
    seeds: BTreeSet<SocketAddr>,
    period: Duration,
    grants_max: u32,
    store: Option<Box<dyn Store>>,
    tls: Option<Tls>,
    trace: Option<Trace>,
    state: Option<Arc<dyn AnyState>>,
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("group", &self.group).finish_non_exhaustive()
    }
}

impl Builder {
    /// The address to listen on; default: any port of the loopback.
    #[must_use]
    pub fn listen(mut self, at: SocketAddr) -> Self {
        self.listen = at;
        self
    }

    /// The address that the others connect to, if it is another one.
    #[must_use]
    pub fn advertise(mut self, at: SocketAddr) -> Self {
        self.advertise = Some(at);
        self
    }

    /// The address of a member that may be there; one of the group is enough. Its own is ignored.
    #[must_use]
    pub fn seed(mut self, at: SocketAddr) -> Self {
        self.seeds.insert(at);
        self
    }

    /// How often one of the others is asked whether it is there; default 500 ms. A member that is
    /// gone is found so after two to six periods.
    #[must_use]
    pub fn period(mut self, period: Duration) -> Self {
        self.period = period;
        self
    }

    /// The maximum number of grants of a lock in a row to callers of this member, after which it is
    /// given to members that wait; default 8, at least 1. Grants that take less than 5 ms in all
    /// are not too many.
    #[must_use]
    pub fn grants_max(mut self, grants_max: NonZeroU32) -> Self {
        self.grants_max = grants_max.get();
        self
    }

    /// The store in which the member saves the number of its view, for example a
    /// [`LogStore`](turnstile_host::store::LogStore), so that its fencing tokens also grow when all
    /// members of the group start again. Without one its locks have no tokens.
    #[must_use]
    pub fn store(mut self, store: impl Store + 'static) -> Self {
        self.store = Some(Box::new(store));
        self
    }

    /// Authenticates the members to each other: a certificate is for the IP address of its member.
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// The application's state, which a member that joins gets from the coordinator. All members
    /// of the group have one, or none has.
    #[must_use]
    pub fn state(mut self, state: impl ApplicationState) -> Self {
        self.state = Some(Arc::new(state));
        self
    }

    /// Records the steps of the member's core. `turnstile replay --together` says whether the
    /// traces of all members are one run.
    #[must_use]
    pub fn trace(mut self, trace: Trace) -> Self {
        self.trace = Some(trace);
        self
    }

    /// Starts the member. It joins the group that its seeds are in, or begins one. Needs a tokio
    /// runtime.
    ///
    /// # Errors
    /// When the address cannot be bound, or the name of the group has more than 200 bytes; when the
    /// store cannot be read, or is that of a member of another group.
    pub async fn start(self) -> io::Result<Member> {
        let listener = TcpListener::bind(self.listen).await.map_err(in_place(self.listen))?;
        let at = self.advertise.unwrap_or(listener.local_addr()?);
        self.start_on(at, wall_us(), listener, SystemTcp).await
    }

    /// Starts the member on other streams and another clock than the system's, for example
    /// simulated ones. The others connect to the address. Of several processes in no group, the one
    /// with the smallest number begins one.
    ///
    /// # Errors
    /// As [`Builder::start`].
    pub async fn start_on(
        self,
        at: SocketAddr,
        age: u64,
        listener: impl Listen,
        dialer: impl Dial,
    ) -> io::Result<Member> {
        let mut rng = Rng::from_entropy();
        let own = Peer { at, age, refutations: 0, member: MemberId(rng.number()) };
        let detector = Detector::new(own, self.period, rng.number());
        let seeds = self.seeds.into_iter().filter(|seed| *seed != at).collect();
        let hub = Hub::new(detector, Router::new((own.member, at), age), seeds, self.state);
        let protocol = format!("{PROTOCOL} {}", self.group);
        let limits = Limits {
            timeout: Duration::from_secs(1),
            backoff_most: Duration::from_secs(1),
            frame_bytes: FRAME_BYTES,
            queue_bytes: 4 * FRAME_BYTES,
            ..Limits::default()
        };
        let options = tcp::Options::new(at, protocol).limits(limits);
        let options = options.addresses_by_id(|at| address(*at));
        let options = if let Some(tls) = self.tls { options.tls(tls) } else { options };
        hub.connect(options.start(listener, dialer, Incoming(Arc::downgrade(&hub)))?);
        let (locks, commands) = Locks::new(self.grants_max);
        let (views, seen) = watch::channel(GroupView::default());
        let (leaving, leaves) = mpsc::channel(1);
        let has_tokens = self.store.is_some();
        let owner = format!("a member of the group {}", self.group);
        let (store, trace) = (ProcessStore::new(self.store)?, self.trace);
        let (shared, used) = (Arc::clone(&hub), Arc::clone(&locks));
        let lives = Lives::new(shared, used, views, self.period, store, owner, trace);
        let first = lives.start().await?;
        let living = tokio::spawn(lives.run(first, commands, leaves)).abort_handle();
        Ok(Member(Arc::new(Inner { at, hub, locks, seen, leaving, living, has_tokens })))
    }
}

/// A member of a group. Clones are handles of the same one. It runs until [`Member::leave`];
/// dropping the last handle and guard is like a crash.
#[derive(Clone)]
pub struct Member(Arc<Inner>);

struct Inner {
    at: SocketAddr,
    hub: Arc<Hub>,
    locks: Arc<Locks>,
    seen: watch::Receiver<GroupView>,
    leaving: mpsc::Sender<oneshot::Sender<()>>,
    living: AbortHandle,
    has_tokens: bool,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.living.abort();
    }
}

impl Member {
    /// The configuration of a member of the group with this name. Processes of groups with other
    /// names reject each other.
    #[must_use]
    pub fn builder(group: &str) -> Builder {
        Builder {
            group: group.to_owned(),
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            advertise: None,
            seeds: BTreeSet::new(),
            period: Duration::from_millis(500),
            grants_max: GRANTS_MAX,
            store: None,
            tls: None,
            trace: None,
            state: None,
        }
    }

    /// The address that the others connect to.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.0.at
    }

    /// The views of the group, the last one first.
    #[must_use]
    pub fn views(&self) -> watch::Receiver<GroupView> {
        self.0.seen.clone()
    }

    /// What this member knows of its group, and which locks its users hold or wait for.
    #[must_use]
    pub fn status(&self) -> GroupStatus {
        let Inner { at, hub, locks, .. } = &*self.0;
        GroupStatus::of(*at, hub, locks)
    }

    /// Waits for a lock. Callers of one member are served in their order, and so are members that
    /// wait: each of them has the lock for so many callers in a row ([`Builder::grants_max`])
    /// before the next one has it.
    ///
    /// In a group that has fallen apart, each part may grant the lock. When the parts meet again,
    /// all but one lose it.
    pub async fn lock(&self, name: &str) -> Guard {
        let mut turn = self.0.locks.turn(name).await;
        if (turn.is_first_in_line() || !turn.has_had_its_share()) && turn.ask().await {
            turn.count();
        } else {
            turn = self.wait_in_line(turn).await;
        }
        Guard { turn, member: self.clone() }
    }

    /// Waits in a task of its own: a caller that is not polled keeps nobody else in line waiting.
    async fn wait_in_line(&self, turn: Turn) -> Turn {
        let mut waiting = JoinSet::new();
        waiting.spawn(line::wait(turn, self.views()));
        match waiting.join_next().await {
            Some(Ok(turn)) => turn,
            Some(Err(error)) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // The runtime ends, and this caller with it.
            Some(Err(_)) | None => std::future::pending().await,
        }
    }

    /// Takes a lock if it is free now: no caller of this member holds it or waits for it, and its
    /// coordinator grants it in one round, or after [`Builder::grants_max`] grants in a row in one
    /// more for each other member, so that none of them waits for it. `None` also if a coordinator,
    /// or a group, is not found within 5 s.
    pub async fn try_lock(&self, name: &str) -> Option<Guard> {
        let turn = self.0.locks.try_turn(name)?;
        let tried = timeout(TRY_MAX, line::try_now(turn, self.views())).await;
        tried.ok().flatten().map(|turn| Guard { turn, member: self.clone() })
    }

    /// Leaves the group: the others hear of it at once. All locks are lost.
    pub async fn leave(&self) {
        let (done, is_done) = oneshot::channel();
        if self.0.leaving.send(done).await.is_ok() {
            // An error means that it has left before.
            let _left = is_done.await;
        }
        self.0.hub.close(Duration::from_secs(1)).await;
    }
}

/// A lock that is held. Dropping it gives the lock back.
pub struct Guard {
    turn: Turn,
    member: Member,
}

impl Guard {
    /// The fencing token, for what the lock protects: it rejects whoever comes with a token that is
    /// less than one that it has seen. `None`: the lock is lost, or the member has no store
    /// ([`Builder::store`]).
    #[must_use]
    pub fn token(&self) -> Option<FencingToken> {
        let token = self.turn.token().filter(|_| self.member.0.has_tokens);
        token.map(FencingToken::new)
    }

    /// Whether it is still held, as far as this member knows.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.turn.is_held()
    }

    /// Waits until the lock is lost.
    pub async fn lost(&self) {
        self.turn.lost().await;
    }
}
