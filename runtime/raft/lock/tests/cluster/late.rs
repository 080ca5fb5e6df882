//! A command that the network delivers after its member was excluded and has joined again.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use turnstile_raft::network::hub::HubPort;
use turnstile_raft::network::{Boxed, CallError, Handler, Network};

use crate::group::{Group, LOCK, PATIENCE};

/// The first byte of an operation that is forwarded to the leader.
const OPERATION: u8 = 1;

/// A network that can hold back one operation.
pub(crate) struct LateNetwork {
    port: Arc<HubPort>,
    is_armed: AtomicBool,
    held: mpsc::UnboundedSender<Held>,
    /// The operations that are held back.
    pub(crate) late: Mutex<mpsc::UnboundedReceiver<Held>>,
}

/// An operation that is held back.
pub(crate) struct Held {
    to: u64,
    request: Bytes,
    _caller: oneshot::Sender<()>,
}

impl LateNetwork {
    pub(crate) fn new(port: Arc<HubPort>) -> Arc<Self> {
        let (held, late) = mpsc::unbounded_channel();
        let (is_armed, late) = (AtomicBool::new(false), Mutex::new(late));
        Arc::new(Self { port, is_armed, held, late })
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
        if !is_operation || !self.is_armed.swap(false, Ordering::SeqCst) {
            return self.port.call(to, request);
        }
        let (caller, gone) = oneshot::channel();
        let held = Held { to, request, _caller: caller };
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
    let late = std::future::poll_fn(|context| {
        network.late.lock().expect("no test panics here").poll_recv(context)
    });
    let late = timeout(PATIENCE, late).await.expect("it is forwarded").expect("it is held back");
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
    let Held { to, request, .. } = late;
    network.port.call(to, request).await.expect("the leader answers");
    let tried = group.members[&other].lock(LOCK).try_lock().await.expect("it is connected");
    let status = group.members[&other].status();
    let held = tried.unwrap_or_else(|| panic!("a command from before is executed: {status:#?}"));
    held.unlock().await.expect("it is connected");
    group.end().await;
}
