//! What a node does when its store, its user or its network fails, each for itself.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{advance, timeout};
use turnstile_host::store::{Batch, Disk, Key, Store, Visitor};
use turnstile_host::transport::{Receiver as _, Transport, Unsent, UnsentReason};
use turnstile_host::{Event, Inbox, Node, Notices, Options, Stop};

use crate::runner::{At, Begin, HasBaton, Message, Runner, Timer};

const RUNNER: Runner = Runner { other: 1 };
const HOLD: Duration = Duration::from_millis(20);
const RETRY: Duration = Duration::from_millis(100);

/// A network that keeps what is sent, or refuses it.
#[derive(Clone, Default)]
struct Wire {
    sent: Arc<Mutex<Vec<Message>>>,
    is_full: Arc<AtomicBool>,
}

impl Wire {
    fn sent(&self) -> Vec<Message> {
        std::mem::take(&mut *self.sent.lock().expect("no holder panics"))
    }
}

impl Transport<u8, Message> for Wire {
    fn send(&self, to: u8, message: Message) -> Result<(), Unsent<u8, Message>> {
        if self.is_full.load(Ordering::Relaxed) {
            return Err(Unsent { to, message, why: UnsentReason::QueueFull });
        }
        self.sent.lock().expect("no holder panics").push(message);
        Ok(())
    }

    async fn close(&self, _patience: Duration) {}
}

/// A store that counts its syncs, and refuses them for as long as it is told to.
#[derive(Clone, Default)]
struct Picky {
    syncs: Arc<AtomicUsize>,
    refuses: Arc<AtomicBool>,
}

impl Store for Picky {
    fn read(&mut self, _each: Visitor<'_>) -> io::Result<()> {
        Ok(())
    }

    fn write(&mut self, _batch: &Batch) {}

    fn sync(&mut self) -> io::Result<()> {
        self.syncs.fetch_add(1, Ordering::Relaxed);
        if self.refuses.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }
}

type Started = (Node<Runner, Wire>, Notices<Runner>, Inbox<Runner>, Wire);

async fn start(store: Option<Box<dyn Store>>, notices_max: usize) -> Started {
    let durations = |_: &_, timer| match timer {
        Timer::Hold => HOLD,
        Timer::Retry => RETRY,
    };
    let options = Options { store, notices_max, ..Options::new(durations) };
    let wire = Wire::default();
    let (outer, mut kept) = (wire.clone(), None);
    let (node, notices) = Node::start(RUNNER, options, |inbox| {
        kept = Some(inbox);
        std::future::ready(Ok(wire))
    })
    .await
    .expect("the store can be read");
    (node, notices, kept.expect("the transport was made"), outer)
}

#[tokio::test(start_paused = true)]
async fn nothing_leaves_while_the_store_refuses_and_all_of_it_leaves_then() {
    let store = Picky::default();
    let (node, mut notices, inbox, wire) = start(Some(Box::new(store.clone())), 8).await;
    store.refuses.store(true, Ordering::Relaxed);
    node.command(Begin).await.expect("it runs");
    assert!(timeout(10 * RETRY, notices.next()).await.is_err(), "it is not durable");
    // The node stands still: no timer fires, and no input is taken.
    let message = inbox.deliver(1, Message::Baton(1));
    assert!(timeout(10 * RETRY, message).await.is_err(), "it stands still");
    assert_eq!((node.state().at, wire.sent()), (At::Holding, Vec::new()));
    store.refuses.store(false, Ordering::Relaxed);
    assert_eq!(notices.notice().await, Some(HasBaton(0)));
    timeout(RETRY, inbox.deliver(1, Message::Baton(0))).await.expect("it takes inputs again");
    while wire.sent.lock().expect("no holder panics").len() < 2 {
        tokio::task::yield_now().await;
    }
    // The hold timer was due before the message came.
    assert_eq!(wire.sent(), [Message::Baton(1), Message::Thanks(0)]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_a_store_that_refuses() {
    let store = Picky::default();
    let (node, mut notices, ..) = start(Some(Box::new(store.clone())), 8).await;
    store.refuses.store(true, Ordering::Relaxed);
    node.command(Begin).await.expect("it runs");
    assert!(timeout(10 * RETRY, notices.next()).await.is_err(), "it is not durable");
    let refuses = store.refuses.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(3)).await;
        refuses.store(false, Ordering::Relaxed);
    });
    assert!(node.stop(Duration::from_secs(10)).await.is_durable);
    assert_eq!(notices.notice().await, Some(HasBaton(0)));
}

#[tokio::test(start_paused = true)]
async fn one_sync_serves_many_steps() {
    let store = Picky::default();
    let (node, mut notices, inbox, wire) = start(Some(Box::new(store.clone())), 8).await;
    node.command(Begin).await.expect("it runs");
    assert_eq!(notices.notice().await, Some(HasBaton(0)));
    let before = store.syncs.load(Ordering::Relaxed);
    for _ in 0..1_000 {
        inbox.deliver(1, Message::Baton(0)).await;
    }
    while wire.sent.lock().expect("no holder panics").len() < 1_000 {
        tokio::task::yield_now().await;
    }
    let syncs = store.syncs.load(Ordering::Relaxed) - before;
    assert!(syncs < 100, "{syncs} syncs for 1,000 steps");
}

#[tokio::test(start_paused = true)]
async fn a_user_that_does_not_read_stops_the_node_and_loses_nothing() {
    let (node, mut notices, inbox, wire) = start(None, 3).await;
    let mut taken = 0;
    for number in 1..100 {
        let message = inbox.deliver(1, Message::Baton(2 * number));
        if timeout(RETRY / 2, message).await.is_err() {
            break;
        }
        taken += 1;
        // It hands each of them over and is thanked, as long as it takes inputs.
        advance(2 * HOLD).await;
        let thanks = inbox.deliver(1, Message::Thanks(2 * number + 1));
        let _waits = timeout(RETRY / 2, thanks).await;
    }
    assert_eq!(taken, 3, "as many notices wait as may");
    for number in 1..=3 {
        assert_eq!(notices.notice().await, Some(HasBaton(2 * number)));
    }
    timeout(RETRY, inbox.deliver(1, Message::Baton(0))).await.expect("it takes inputs again");
    assert!(wire.sent().contains(&Message::Thanks(2)));
    drop(node);
    assert_eq!(notices.notice().await, None, "the end of a node is the end of its notices");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_sent_is_handed_back() {
    let (node, mut notices, _inbox, wire) = start(None, 8).await;
    wire.is_full.store(true, Ordering::Relaxed);
    node.command(Begin).await.expect("it runs");
    assert_eq!(notices.next().await, Some(Event::Notice(HasBaton(0))));
    let unsent = Unsent { to: 1, message: Message::Baton(1), why: UnsentReason::QueueFull };
    assert_eq!(notices.next().await, Some(Event::Unsent(unsent)));
}

/// The machine stands still for an hour, and its clock jumps: each timer fires once.
#[tokio::test(start_paused = true)]
async fn a_clock_that_jumps_fires_what_is_due_once() {
    let (node, mut notices, _inbox, wire) = start(None, 8).await;
    node.command(Begin).await.expect("it runs");
    assert_eq!(notices.notice().await, Some(HasBaton(0)));
    advance(Duration::from_secs(3_600)).await;
    tokio::time::sleep(RETRY / 2).await;
    assert_eq!((node.state().at, wire.sent()), (At::Handing, vec![Message::Baton(1)]));
}

#[tokio::test(start_paused = true)]
async fn a_duration_beyond_all_clocks_never_fires() {
    let longest =
        [Duration::MAX, Duration::from_micros(u64::MAX - 1), Duration::from_secs(1 << 43)];
    for lasts in longest {
        let options = Options::new(move |_: &_, _| lasts);
        let started = Node::start(RUNNER, options, |_| std::future::ready(Ok(Wire::default())));
        let (node, mut notices) = started.await.expect("there is no store to read");
        node.command(Begin).await.expect("it runs");
        assert_eq!(notices.notice().await, Some(HasBaton(0)));
        advance(Duration::from_secs(3 * 366 * 86_400)).await;
        assert!(timeout(RETRY, notices.next()).await.is_err());
        assert_eq!(node.state().at, At::Holding, "{lasts:?}");
    }
}

/// A stop after each step of a life, and what the next life begins with.
#[tokio::test(start_paused = true)]
async fn a_node_stops_in_every_state_and_goes_on_with_it() {
    let mut met = Vec::new();
    for steps in 0..8_u64 {
        let disk = Disk::default();
        let (node, _notices, inbox, wire) = start(Some(Box::new(disk.open())), 64).await;
        for step in 0..steps {
            match step % 4 {
                0 => inbox.deliver(1, Message::Baton(step / 2 + 2)).await,
                1 => tokio::time::sleep(2 * HOLD).await,
                2 => tokio::time::sleep(2 * RETRY).await,
                _ => inbox.deliver(1, Message::Thanks(step / 4 * 2 + 3)).await,
            }
        }
        let Stop { state: last, is_durable } = node.stop(RETRY).await;
        assert!(is_durable);
        let sent = wire.sent();
        let (node, ..) = start(Some(Box::new(disk.open())), 64).await;
        assert_eq!(node.state(), last, "after {steps} steps: {sent:?}");
        met.push(last.at);
    }
    for at in [At::Idle, At::Holding, At::Handing] {
        assert!(met.contains(&at), "{at} is not in {met:?}");
    }
}

#[tokio::test]
async fn a_store_of_another_core_is_refused() {
    for (saved, why) in [
        (&b"\x01\x07not what a runner saves"[..], "another core's"),
        (b"\x02", "saved state has version 2, and this program reads version 1: start the program"),
    ] {
        let disk = Disk::default();
        let mut batch = Batch::default();
        batch.put(&Key::single(1), saved);
        let mut store = disk.open();
        store.write(&batch);
        store.sync().expect("this disk takes it");
        let options = Options { store: Some(Box::new(disk.open())), ..Options::new(|_, _| HOLD) };
        let started = Node::start(RUNNER, options, |_| std::future::ready(Ok(Wire::default())));
        let error = started.await.expect_err("it is another core's").to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[tokio::test]
async fn a_store_of_another_node_is_refused() {
    let disk = Disk::default();
    let start = |name: &str| {
        let (store, name) = (Some(Box::new(disk.open()) as Box<dyn Store>), name.to_owned());
        let options = Options { store, name, ..Options::new(|_, _| HOLD) };
        Node::start(RUNNER, options, |_| std::future::ready(Ok(Wire::default())))
    };
    // A node without a name saves into it; one that has a name makes it its own, though it only
    // starts and stops.
    let (node, mut notices) = start("").await.expect("it is free");
    node.command(Begin).await.expect("it runs");
    notices.next().await.expect("it runs");
    for node in [node, start("runner 1").await.expect("it is free").0] {
        assert!(node.stop(RETRY).await.is_durable);
    }
    for _ in 0..2 {
        let error = start("runner 2").await.expect_err("it is another's").to_string();
        assert!(error.contains(r#"that of "runner 1", and this node is "runner 2""#), "{error}");
        for name in ["runner 1", ""] {
            let (node, _notices) = start(name).await.expect("it is its own");
            assert_ne!(node.state().at, At::Idle, "it goes on");
            node.stop(RETRY).await;
        }
    }
}
