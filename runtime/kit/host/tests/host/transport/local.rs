//! The switchboard: full lanes, nodes that come, leave and come again.

use std::time::Duration;

use turnstile_host::transport::local::Local;
use turnstile_host::transport::{Transport, UnsentReason};

use super::inbox::{LONG, Text, inbox};

const SHORT: Duration = Duration::from_millis(10);

fn text(node: u32, number: u64) -> Text {
    (node, number, Vec::new())
}

#[tokio::test(start_paused = true)]
async fn a_message_to_nobody_comes_back() {
    let switchboard = Local::new();
    let first = switchboard.join(1, inbox(1).0);
    let unsent = first.send(2, text(1, 7)).expect_err("nobody is there");
    assert_eq!((unsent.to, unsent.message, unsent.why), (2, text(1, 7), UnsentReason::UnknownPeer));
    switchboard.join(2, inbox(1).0).close(LONG).await;
    let unsent = first.send(2, text(1, 8)).expect_err("it has left");
    assert_eq!(unsent.why, UnsentReason::Unreachable);
    first.close(LONG).await;
    let unsent = first.send(2, text(1, 9)).expect_err("it is closed");
    assert_eq!(unsent.why, UnsentReason::Closed);
    let unsent = first.counts().unsent;
    let reasons = [UnsentReason::UnknownPeer, UnsentReason::Unreachable, UnsentReason::Closed];
    assert_eq!(unsent, reasons.into_iter().map(|why| (why, 1)).collect());
}

#[tokio::test(start_paused = true)]
async fn a_busy_node_fills_its_lane_and_no_other() {
    let switchboard = Local::with_queue(3);
    let (receiver, mut heard) = inbox(1);
    let first = switchboard.join(1, inbox(1).0);
    let _busy = switchboard.join(2, receiver);
    let (receiver, mut other) = inbox(1);
    let _idle = switchboard.join(3, receiver);
    let mut taken = 0;
    loop {
        match first.send(2, text(1, taken)) {
            Ok(()) => taken += 1,
            Err(unsent) => {
                assert_eq!(unsent.why, UnsentReason::QueueFull);
                break;
            }
        }
        first.send(3, text(1, taken)).expect("the other lane has room");
        other.expect(1, [taken]).await;
    }
    // One is kept by the test's receiver, one is being delivered, three wait.
    assert_eq!(taken, 5);
    heard.expect(1, 0..taken).await;
    first.send(2, text(1, taken)).expect("there is room again");
    heard.expect(1, [taken]).await;
}

#[tokio::test(start_paused = true)]
async fn a_node_that_joins_again_takes_the_place_of_the_one_before() {
    let switchboard = Local::with_queue(3);
    let (receiver, mut sender) = inbox(1);
    let first = switchboard.join(1, receiver);
    let (receiver, mut before) = inbox(1);
    let old = switchboard.join(2, receiver);
    for number in 0..3 {
        first.send(2, text(1, number)).expect("there is room");
    }
    before.expect(1, [0]).await;
    // The second is being delivered, and that is interrupted; the third waits and comes back.
    let (receiver, mut after) = inbox(1);
    let _new = switchboard.join(2, receiver);
    first.send(2, text(1, 3)).expect("there is room");
    after.expect(1, [3]).await;
    assert_eq!(sender.next_unsent().await, (2, UnsentReason::Unreachable));
    before.assert_empty();
    let unsent = old.send(1, text(2, 0)).expect_err("its place is taken");
    assert_eq!(unsent.why, UnsentReason::Closed);
    old.close(LONG).await;
    first.send(2, text(1, 4)).expect("the new one is still there");
    after.expect(1, [4]).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_not_delivered_in_time_comes_back_at_close() {
    let switchboard = Local::new();
    let (receiver, mut sender) = inbox(1);
    let first = switchboard.join(1, receiver);
    let (receiver, mut heard) = inbox(1);
    let _second = switchboard.join(2, receiver);
    for number in 0..5 {
        first.send(2, text(1, number)).expect("there is room");
    }
    first.close(SHORT).await;
    // The first is kept, and the second was being delivered.
    heard.expect(1, [0]).await;
    for number in 2..5 {
        assert_eq!(sender.next_unsent().await, (number, UnsentReason::Closed));
    }
    heard.assert_empty();
    sender.assert_empty();
    let counts = first.counts();
    assert_eq!((counts.sent, counts.unsent_in_all()), (2, 3));
}
