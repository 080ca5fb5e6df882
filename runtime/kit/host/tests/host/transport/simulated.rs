//! The simulated network: the same seed is the same run, and each fault is met.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;
use turnstile_host::transport::simulated::{Conditions, Faults, Simulated, SimulatedTransport};
use turnstile_host::transport::{Receiver, Transport, Unsent, UnsentReason};

use super::inbox::{LONG, Text, inbox};

const NODES: u32 = 4;

fn text(node: u32, number: u64) -> Text {
    (node, number, Vec::new())
}

/// What has happened in a run: when, at whom, from or to whom, which message, and why it came back.
type Event = (Duration, u32, u32, u64, Option<UnsentReason>);

/// Writes down what happens.
#[derive(Clone)]
struct Recorder {
    own: u32,
    begun: Instant,
    events: Arc<Mutex<Vec<Event>>>,
}

impl Recorder {
    fn note(&self, other: u32, number: u64, why: Option<UnsentReason>) {
        let event = (self.begun.elapsed(), self.own, other, number, why);
        self.events.lock().expect("no panic").push(event);
    }
}

impl Receiver<u32, Text> for Recorder {
    async fn deliver(&self, from: u32, (said, number, _): Text) {
        assert_eq!(from, said);
        self.note(from, number, None);
        // Some messages keep the node busy.
        if number % 7 == 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    fn unsent(&self, unsent: Unsent<u32, Text>) {
        self.note(unsent.to, unsent.message.1, Some(unsent.why));
    }
}

/// All faults at once: what happened, and what the network has done.
async fn run(seed: u64) -> (Vec<Event>, Faults) {
    let conditions = Conditions {
        loss: 0.05,
        told: 0.5,
        duplication: 0.05,
        fifo: false,
        queue: 30,
        ..Conditions::default()
    };
    let net = Simulated::new(seed, conditions.clone());
    net.set_link(1, 2, Conditions { fifo: true, ..conditions });
    let (begun, events) = (Instant::now(), Arc::new(Mutex::new(Vec::new())));
    let join = |own| net.join(own, Recorder { own, begun, events: Arc::clone(&events) });
    let mut nodes: Vec<SimulatedTransport<u32, Text>> = (0..NODES).map(join).collect();
    for number in 0..300 {
        for (from, node) in (0..).zip(&nodes) {
            for to in (0..NODES).filter(|to| *to != from) {
                // Where it comes back it is counted, and no more is wanted here.
                let _queued = node.send(to, text(from, number));
            }
        }
        match number {
            50 => net.cut(0, 1),
            60 => net.cut_one_way(2, 3),
            90 => net.heal(0, 1),
            100 => nodes[3].crash(),
            120 => nodes[3] = join(3),
            150 => net.heal_all(),
            _ => {}
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    for node in &nodes {
        node.close(LONG).await;
    }
    let faults = net.faults();
    let events = std::mem::take(&mut *events.lock().expect("no panic"));
    (events, faults)
}

fn paused() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().start_paused(true).build().expect("a runtime can be made")
}

#[test]
fn the_same_seed_is_the_same_run_and_meets_each_fault() {
    let mut last = Vec::new();
    for seed in 0..20 {
        let (events, faults) = paused().block_on(run(seed));
        let again = paused().block_on(run(seed));
        assert!((&events, faults) == (&again.0, again.1), "seed {seed}");
        assert!(events != last, "seed {seed}");
        let Faults { lost, cut, absent, told, duplicated, overtaking } = faults;
        for (count, what) in [
            (lost, "lost"),
            (cut, "cut"),
            (absent, "absent"),
            (told, "told"),
            (duplicated, "duplicated"),
            (overtaking, "overtaking"),
        ] {
            assert!(count > 0, "seed {seed}: {what}");
        }
        in_order_where_it_must_be(&events, seed);
        last = events;
    }
}

/// The link from 1 to 2 keeps the order, whatever else happens.
fn in_order_where_it_must_be(events: &[Event], seed: u64) {
    let heard = |from, to| {
        let at = events.iter().filter(move |event| event.4.is_none() && event.1 == to);
        at.filter(move |event| event.2 == from).map(|event| event.3).collect::<Vec<_>>()
    };
    assert!(heard(1, 2).is_sorted() && heard(1, 2).len() > 200, "seed {seed}");
    assert!(!heard(2, 1).is_sorted(), "seed {seed}");
}

#[tokio::test(start_paused = true)]
async fn a_message_takes_its_time() {
    let (delay_least, delay_most) = (Duration::from_millis(20), Duration::from_millis(50));
    let net = Simulated::new(3, Conditions { delay_least, delay_most, ..Conditions::default() });
    let first = net.join(1, inbox(1).0);
    let (receiver, mut heard) = inbox(1);
    let _second = net.join(2, receiver);
    for number in 0..200 {
        let begun = Instant::now();
        first.send(2, text(1, number)).expect("there is room");
        heard.expect(1, [number]).await;
        let late = delay_most + Duration::from_millis(1);
        assert!((delay_least..=late).contains(&begun.elapsed()), "{:?}", begun.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_that_cannot_be_sent_comes_back() {
    let net = Simulated::new(3, Conditions { queue: 2, ..Conditions::default() });
    let (receiver, mut seen) = inbox(1);
    let first = net.join(1, receiver);
    let refused = |number| first.send(2, text(1, number)).expect_err("it comes back").why;
    assert_eq!(refused(0), UnsentReason::UnknownPeer);
    let (receiver, mut heard) = inbox(1);
    let second = net.join(2, receiver);
    first.send(2, text(1, 1)).expect("there is room");
    first.send(2, text(1, 2)).expect("there is room");
    assert_eq!(refused(3), UnsentReason::QueueFull);
    heard.expect(1, [1, 2]).await;
    first.send(2, text(1, 4)).expect("there is room");
    first.close(Duration::ZERO).await;
    assert_eq!(seen.next_unsent().await, (4, UnsentReason::Closed));
    assert_eq!(refused(5), UnsentReason::Closed);
    second.close(LONG).await;
    heard.assert_empty();
    seen.assert_empty();
}

#[tokio::test(start_paused = true)]
async fn who_is_cut_off_hears_nothing_until_it_is_healed() {
    let net = Simulated::new(3, Conditions { told: 1.0, ..Conditions::default() });
    let ((first, mut first_seen), (second, mut second_seen)) = (inbox(10), inbox(10));
    let (first, second) = (net.join(1, first), net.join(2, second));
    first.send(2, text(1, 0)).expect("there is room");
    net.cut_one_way(1, 2);
    first.send(2, text(1, 1)).expect("the network tells later");
    second.send(1, text(2, 0)).expect("there is room");
    // The other direction is whole. The second was lost when it was sent, the first on its way.
    first_seen.expect(2, [0]).await;
    assert_eq!(first_seen.next_unsent().await, (1, UnsentReason::Unreachable));
    assert_eq!(first_seen.next_unsent().await, (0, UnsentReason::Unreachable));
    // One that is on its way when the cut begins, and when it has ended.
    net.heal(1, 2);
    first.send(2, text(1, 2)).expect("there is room");
    net.cut(1, 2);
    net.heal_all();
    second_seen.expect(1, [2]).await;
    assert_eq!(net.faults(), Faults { cut: 2, told: 2, ..Faults::default() });
    first_seen.assert_empty();
    second_seen.assert_empty();
}

#[tokio::test(start_paused = true)]
async fn a_message_is_lost_or_doubled_where_chance_is_certain() {
    let net = Simulated::new(3, Conditions { duplication: 1.0, ..Conditions::default() });
    let ((first, mut first_seen), (second, mut second_seen)) = (inbox(10), inbox(10));
    let (first, second) = (net.join(1, first), net.join(2, second));
    first.send(2, text(1, 0)).expect("there is room");
    first.send(2, text(1, 1)).expect("there is room");
    second_seen.expect(1, [0, 0, 1, 1]).await;
    net.set_conditions(Conditions { loss: 1.0, ..Conditions::default() });
    first.send(2, text(1, 2)).expect("the network does not tell");
    first.close(LONG).await;
    second.close(LONG).await;
    assert_eq!(net.faults(), Faults { duplicated: 2, lost: 1, ..Faults::default() });
    first_seen.assert_empty();
    second_seen.assert_empty();
}
