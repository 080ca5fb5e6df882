//! A command that the network delivers after its member was excluded and has joined again.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use turnstile_raft::network::hub::HubPort;
use turnstile_raft::network::{Boxed, CallError, Handler, Network};

use super::group::{Group, LOCK, PATIENCE};

/// The first byte of an operation that is forwarded to the leader.
const OPERATION: u8 = 1;

/// A network that can hold back one operation.
pub(crate) struct LateNetwork {
    port: Arc<HubPort>,
    is_armed: AtomicBool,
    held: mpsc::UnboundedSender<HeldRequest>,
    /// The operations that are held back.
    late: Mutex<mpsc::UnboundedReceiver<HeldRequest>>,
    /// All requests since they are recorded.
    sent: Mutex<Option<Vec<Bytes>>>,
}

/// An operation that is held back.
pub(crate) struct HeldRequest {
    to: u64,
    request: Bytes,
    _caller: oneshot::Sender<()>,
}

impl LateNetwork {
    pub(crate) fn new(port: Arc<HubPort>) -> Arc<Self> {
        let (held, late) = mpsc::unbounded_channel();
        let (is_armed, late) = (AtomicBool::new(false), Mutex::new(late));
        Arc::new(Self { port, is_armed, held, late, sent: Mutex::default() })
    }

    /// The next operation that is held back.
    async fn next_late(&self) -> HeldRequest {
        let late = std::future::poll_fn(|context| {
            self.late.lock().expect("no test panics here").poll_recv(context)
        });
        timeout(PATIENCE, late).await.expect("it is forwarded").expect("it is held back")
    }

    /// Records all requests from now on.
    fn record(&self) {
        *self.sent.lock().expect("no test panics here") = Some(Vec::new());
    }

    /// Whether a recorded request has these words: operations that are forwarded, and entries that
    /// this member sends as the leader.
    fn has_sent(&self, words: &[u8]) -> bool {
        let sent = self.sent.lock().expect("no test panics here");
        let mut all = sent.iter().flatten();
        all.any(|one| one.windows(words.len()).any(|part| part == words))
    }
}

impl Network for LateNetwork {
    fn serve(&self, handler: Arc<dyn Handler>) {
        self.port.serve(handler);
    }

    fn set_members(&self, members: &BTreeMap<u64, String>) {
        self.port.set_members(members);
    }

    fn call(&self, to: u64, request: Bytes) -> Boxed<'_, Result<Bytes, CallError>> {
        let is_operation = request.first() == Some(&OPERATION);
        if let Some(sent) = &mut *self.sent.lock().expect("no test panics here") {
            sent.push(request.clone());
        }
        if !is_operation || !self.is_armed.swap(false, Ordering::SeqCst) {
            return self.port.call(to, request);
        }
        let (caller, gone) = oneshot::channel();
        let held = HeldRequest { to, request, _caller: caller };
        assert!(self.held.send(held).is_ok(), "the network has the receiver");
        Box::pin(async move {
            let _dropped = gone.await;
            Err(CallError::new("it is late"))
        })
    }

    fn close(&self) -> Boxed<'_, ()> {
        self.port.close()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_arrives_after_the_reset_is_void() {
    let group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    let others = group.others(leader);
    let (slow, other) = (others[0], others[1]);
    // Its UNLOCK_ALL is executed before this.
    group.lock(slow, "warm").await.unlock().await.expect("it is connected");
    let network = &group.networks[&slow];
    network.is_armed.store(true, Ordering::SeqCst);
    let mutex = group.members[&slow].lock(LOCK);
    let locking = tokio::spawn(async move { mutex.lock().await });
    let late = network.next_late().await;
    let address = group.members[&slow].status().address;
    group.hub.isolate(slow);
    let failed = timeout(PATIENCE, locking).await.expect("it is in a minority").expect("it ends");
    assert!(failed.is_err(), "{failed:?}");
    let is_excluded = || {
        let present = group.members[&leader].status().present;
        !present.iter().any(|member| member.address == address)
    };
    let excluded = timeout(PATIENCE, async {
        while !is_excluded() {
            drop(group.lock(other, "clock").await);
        }
    });
    excluded.await.expect("the leader does not hear of it");
    group.hub.heal();
    group.ready(slow).await;
    // The network delivers it at last, to the leader of that time, which executes it.
    let HeldRequest { to, request, .. } = late;
    network.port.call(to, request).await.expect("the leader answers");
    let tried = group.members[&other].lock(LOCK).try_lock().await.expect("it is connected");
    let status = group.members[&other].status();
    let held = tried.unwrap_or_else(|| panic!("a command from before is executed: {status:#?}"));
    held.unlock().await.expect("it is connected");
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_waited_when_its_member_resigned_does_not_enter_the_log() {
    let group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    let slow = group.others(leader)[0];
    group.lock(slow, "warm").await.unlock().await.expect("it is connected");
    let network = &group.networks[&slow];
    network.record();
    network.is_armed.store(true, Ordering::SeqCst);
    let [first, second] = ["sent first", "sent second"].map(|id| {
        let mutex = group.members[&slow].lock(id);
        move || tokio::spawn(async move { mutex.lock().await.err() })
    });
    let first = first();
    let _never_delivered = network.next_late().await;
    // It waits behind the first one.
    let second = second();
    group.hub.isolate(slow);
    for command in [first, second] {
        let failed = timeout(PATIENCE, command).await.expect("it is in a minority");
        assert!(failed.expect("it ends").is_some(), "it is locked");
    }
    group.hub.heal();
    group.ready(slow).await;
    group.lock(slow, "later").await.unlock().await.expect("it is connected");
    assert!(network.has_sent(b"sent first") && network.has_sent(b"later"));
    assert!(!network.has_sent(b"sent second"), "it is of a former session");
    group.end().await;
}
