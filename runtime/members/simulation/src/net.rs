//! A network of simulated members: a seed decides how long each message takes and which are lost.
//!
//! Links can be cut, in one direction or both; what is held arrives once it is released. A message
//! arrives at most once, in any order, also when its sender has ended in the meantime.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Arguments;
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};
use turnstile_host::{Bell, Rng};
use turnstile_raft::network::{Boxed, CallError, Handler, Network};
use turnstile_raft::{Member, Status};

/// How long a message takes at most.
const LATENCY_MOST: Duration = Duration::from_millis(8);
/// How long one takes at most whose sender or receiver is slow: longer than many a time-out.
const LATE_MOST: Duration = Duration::from_secs(4);
/// The share of such messages that are late.
const LATE: f64 = 0.2;
/// The sender of a message that cannot be sent hears of it after so long.
const EXPIRY: Duration = Duration::from_secs(1);
/// The share of messages that are lost on a link that is not cut.
const LOSS: f64 = 0.003;

/// All that happens in a simulation, in order, with its time; or nothing of it, if nobody compares.
#[derive(Clone)]
pub struct Trace(Option<Arc<Mutex<Vec<String>>>>);

impl Trace {
    /// An empty one.
    pub fn new(is_kept: bool) -> Self {
        Self(is_kept.then(Arc::default))
    }

    /// Notes what happens now.
    pub fn note(&self, what: Arguments<'_>) {
        if let Some(lines) = &self.0 {
            let now = turmoil::sim_elapsed().unwrap_or_default();
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            lines.push(format!("{now:?} {what}"));
        }
    }

    /// Notes some bytes by their hash.
    pub fn note_bytes(&self, what: Arguments<'_>, bytes: &[u8]) {
        if self.0.is_some() {
            let hash = hash(bytes);
            self.note(format_args!("{what}: {} bytes, {hash:016x}", bytes.len()));
        }
    }

    /// What has happened, a line each.
    pub fn lines(&self) -> Vec<String> {
        let lines =
            self.0.as_ref().map(|lines| lines.lock().unwrap_or_else(PoisonError::into_inner));
        lines.map_or_else(Vec::new, |lines| lines.clone())
    }
}

/// Notes each change of a member's role, and shows it.
pub async fn watch(id: u64, member: Member, trace: Trace, show: impl Fn(&Status)) {
    let mut last = None;
    loop {
        let is_other = |status: &Status| last != Some((status.role, status.term, status.leader));
        let Ok(status) = member.wait_for(Duration::MAX, is_other).await else { return };
        let Status { role, term, leader, .. } = status;
        trace.note(format_args!("{id} is {role:?} in {term}, led by {leader:?}"));
        show(&status);
        last = Some((role, term, leader));
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// Runs each of the first seeds twice: both runs have the same trace, and each seed another one.
///
/// # Panics
/// Otherwise.
pub fn check_exact(seeds: u64, run: impl Fn(u64) -> Vec<String>) {
    let hashes: BTreeSet<u64> = (0..seeds).map(|seed| hash_of_exact(seed, &run)).collect();
    assert_eq!(hashes.len() as u64, seeds, "each seed has a run of its own");
}

/// The hash of a seed's trace, which is that of any process.
fn hash_of_exact(seed: u64, run: impl Fn(u64) -> Vec<String>) -> u64 {
    let (first, second) = (run(seed), run(seed));
    let differs = |at: &usize| first.get(*at) != second.get(*at);
    if let Some(at) = (0..first.len().max(second.len())).find(differs) {
        let some = |lines: &[String]| -> Vec<String> {
            lines.iter().skip(at.saturating_sub(3)).take(6).cloned().collect()
        };
        panic!(
            "seed {seed} has other runs, at line {at}: {:#?}, {:#?}",
            some(&first),
            some(&second)
        );
    }
    assert!(first.len() > 100, "seed {seed}: {} lines", first.len());
    let hash = hash(first.join("\n").as_bytes());
    println!("seed {seed}: {} lines, {hash:016x}", first.len());
    hash
}

/// The network; clones share it.
#[derive(Clone)]
pub struct Net(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// Rings when members are released.
    released: Bell,
    trace: Trace,
}

struct State {
    rng: Rng,
    inboxes: BTreeMap<u64, mpsc::UnboundedSender<Request>>,
    /// The links that lose everything: from, to.
    cut: BTreeSet<(u64, u64)>,
    /// The members whose messages are held.
    held: BTreeSet<u64>,
    /// The members of whose messages some are late.
    slow: BTreeSet<u64>,
    lost: u64,
}

/// A request on its way; its answer is sent, or dropped when it is lost.
struct Request {
    from: u64,
    bytes: Bytes,
    answer: oneshot::Sender<Bytes>,
    latency: Duration,
}

impl Net {
    /// A network without members whose seed decides about its messages.
    pub fn new(seed: u64, trace: &Trace) -> Self {
        let state = State {
            rng: Rng::seeded(seed),
            inboxes: BTreeMap::new(),
            cut: BTreeSet::new(),
            held: BTreeSet::new(),
            slow: BTreeSet::new(),
            lost: 0,
        };
        let (state, released) = (Mutex::new(state), Bell::default());
        Self(Arc::new(Shared { state, released, trace: trace.clone() }))
    }

    /// The network of a member's process.
    pub fn join(&self, own: u64) -> Arc<Port> {
        Arc::new(Port { own, net: self.clone() })
    }

    /// Loses all that one member sends to another.
    pub fn cut(&self, from: u64, to: u64) {
        self.lock().cut.insert((from, to));
    }

    /// Cuts a member off from these others, in both directions.
    pub fn isolate(&self, id: u64, all: impl IntoIterator<Item = u64>) {
        for other in all.into_iter().filter(|other| *other != id) {
            self.cut(id, other);
            self.cut(other, id);
        }
    }

    /// Holds all messages of a member.
    pub fn hold(&self, member: u64) {
        self.lock().held.insert(member);
    }

    /// Delays some messages of a member, so that later ones overtake them.
    pub fn slow(&self, member: u64) {
        self.lock().slow.insert(member);
    }

    /// Repairs all links, and releases what was held. What is late stays so.
    pub fn heal(&self) {
        let mut state = self.lock();
        state.cut.clear();
        state.held.clear();
        state.slow.clear();
        drop(state);
        self.0.released.ring();
    }

    /// How many messages were lost.
    pub fn lost(&self) -> u64 {
        self.lock().lost
    }

    /// How long a message takes; `None`: it is lost.
    fn fate(&self, from: u64, to: u64) -> Option<Duration> {
        let mut state = self.lock();
        let is_lost = state.rng.chance(LOSS) || state.cut.contains(&(from, to));
        state.lost += u64::from(is_lost);
        let is_slow = state.slow.contains(&from) || state.slow.contains(&to);
        let most = if is_slow && state.rng.chance(LATE) { LATE_MOST } else { LATENCY_MOST };
        (!is_lost).then(|| state.rng.between(Duration::from_millis(1), most))
    }

    /// Waits as long as one of the two is held.
    async fn pass(&self, one: u64, other: u64) {
        let look = || {
            let state = self.lock();
            let is_held = state.held.contains(&one) || state.held.contains(&other);
            (!is_held).then_some(())
        };
        self.0.released.until(look).await;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A member's end of a [`Net`].
pub struct Port {
    own: u64,
    net: Net,
}

impl Port {
    async fn carry(&self, to: u64, bytes: Bytes) -> Result<Bytes, CallError> {
        let (own, net) = (self.own, &self.net);
        net.0.trace.note_bytes(format_args!("request {own} to {to}"), &bytes);
        let (answer, answered) = oneshot::channel();
        if let Some(latency) = net.fate(own, to) {
            let request = Request { from: own, bytes, answer, latency };
            let inbox = net.lock().inboxes.get(&to).cloned();
            // A process that has ended hears nothing.
            let _ended = inbox.map(|inbox| inbox.send(request));
        }
        if let Ok(bytes) = answered.await {
            let latency = net.fate(to, own);
            if let Some(latency) = latency {
                tokio::time::sleep(latency).await;
                net.pass(own, to).await;
                net.0.trace.note_bytes(format_args!("answer {to} to {own}"), &bytes);
                return Ok(bytes);
            }
        }
        let is_noticed = net.lock().rng.number().is_multiple_of(2);
        if is_noticed {
            tokio::time::sleep(EXPIRY).await;
            return Err(CallError::new(format!("a message to {to} is lost")));
        }
        std::future::pending().await
    }
}

impl Network for Port {
    fn serve(&self, handler: Arc<dyn Handler>) {
        let (inbox, mut requests) = mpsc::unbounded_channel();
        self.net.lock().inboxes.insert(self.own, inbox);
        let (own, net) = (self.own, self.net.clone());
        tokio::spawn(async move {
            while let Some(Request { from, bytes, answer, latency }) = requests.recv().await {
                let (net, handler) = (net.clone(), Arc::clone(&handler));
                tokio::spawn(async move {
                    tokio::time::sleep(latency).await;
                    net.pass(from, own).await;
                    net.0.trace.note_bytes(format_args!("arrival {from} at {own}"), &bytes);
                    if let Some(bytes) = handler.handle(bytes).await {
                        // The caller may have given up.
                        let _unheard = answer.send(bytes);
                    }
                });
            }
        });
    }

    fn set_members(&self, _members: &BTreeMap<u64, String>) {}

    fn call(&self, to: u64, request: Bytes) -> Boxed<'_, Result<Bytes, CallError>> {
        Box::pin(self.carry(to, request))
    }

    fn close(&self) -> Boxed<'_, ()> {
        self.net.lock().inboxes.remove(&self.own);
        Box::pin(std::future::ready(()))
    }
}
