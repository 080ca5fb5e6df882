//! Peers that come, go, come again and move.

use std::time::Duration;

use turnstile_host::transport::tcp::{Address, Limits};
use turnstile_host::transport::{Transport, UnsentReason};

use super::inbox::{LONG, Text};
use super::pipes::{Pipes, options};

fn text(number: u64) -> Text {
    (1, number, Vec::new())
}

#[tokio::test(start_paused = true)]
async fn what_waits_while_a_peer_restarts_arrives_once() {
    let pipes = Pipes::default();
    let limits = Limits { timeout: LONG, ..Limits::default() };
    let (first, mut seen) = pipes.start(options(1, 2).limits(limits), 1, 1);
    let mut number = 0;
    for life in 1..=20 {
        let (second, mut heard) = pipes.start(options(2, 2), 2, 1);
        for _ in 0..5 {
            first.send(2, text(number)).expect("there is room");
            number += 1;
        }
        // In the first life nothing has waited before.
        heard.expect(1, number - if life == 1 { 5 } else { 10 }..number).await;
        heard.assert_empty();
        second.close(LONG).await;
        drop(second);
        // The peer is down, and its listener is gone.
        for _ in 0..5 {
            first.send(2, text(number)).expect("there is room");
            number += 1;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    seen.assert_empty();
    let counts = first.counts();
    assert_eq!((counts.dialed, counts.lost, counts.sent), (20, 20, number - 5));
    assert!(counts.failed > 0);
}

#[tokio::test(start_paused = true)]
async fn what_waits_too_long_comes_back_in_order() {
    let pipes = Pipes::default();
    let (first, mut seen) = pipes.start(options(1, 2), 1, 1);
    let begun = tokio::time::Instant::now();
    for number in 0..10 {
        first.send(2, text(number)).expect("there is room");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    for number in 0..10 {
        assert_eq!(seen.next_unsent().await, (number, UnsentReason::Unreachable));
        let waited = begun.elapsed() - Duration::from_secs(number);
        let timeout = Limits::default().timeout;
        assert!((timeout..timeout + Duration::from_millis(10)).contains(&waited), "{waited:?}");
    }
    let counts = first.counts();
    assert_eq!((counts.sent, counts.unsent_in_all(), counts.dialed), (0, 10, 0));
    // At most one attempt in half of the longest wait, after the first few.
    assert!((5..20).contains(&counts.failed), "{counts:?}");
}

#[tokio::test(start_paused = true)]
async fn an_unknown_peer_is_told_at_once() {
    let (first, _) = Pipes::default().start(options(1, 2), 1, 1);
    for unknown in [1, 3] {
        let unsent = first.send(unknown, text(7)).expect_err("it has no address");
        assert_eq!(
            (unsent.to, unsent.message, unsent.why),
            (unknown, text(7), UnsentReason::UnknownPeer)
        );
    }
    assert_eq!(first.counts().unsent, [(UnsentReason::UnknownPeer, 2)].into());
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_moves_is_found_where_it_is() {
    let pipes = Pipes::default();
    let limits = Limits { timeout: LONG, ..Limits::default() };
    let (first, _) = pipes.start(options(1, 2).limits(limits), 1, 1);
    let (_second, mut heard) = pipes.start(options(2, 2), 2, 1);
    first.send(2, text(0)).expect("there is room");
    heard.expect(1, [0]).await;
    // The same node at another port, while the old one still is there.
    let (_moved, mut heard_there) = pipes.start(options(2, 2), 20, 1);
    first.set_peer(2, Some(Address::new("pipe", 20)));
    first.send(2, text(1)).expect("there is room");
    heard_there.expect(1, [1]).await;
    // Nobody is there; then the address is mended, and what waits needs no further patience.
    first.set_peer(2, Some(Address::new("pipe", 30)));
    first.send(2, text(2)).expect("there is room");
    tokio::time::sleep(Duration::from_secs(60)).await;
    let before = tokio::time::Instant::now();
    first.set_peer(2, Some(Address::new("pipe", 2)));
    heard.expect(1, [2]).await;
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_is_taken_out_gets_nothing_and_is_not_heard() {
    let pipes = Pipes::default();
    let (first, mut seen) = pipes.start(options(1, 2), 1, 1);
    first.send(2, text(0)).expect("there is room");
    first.set_peer(2, None);
    assert_eq!(seen.next_unsent().await, (0, UnsentReason::UnknownPeer));
    assert_eq!(first.send(2, text(1)).expect_err("it is none").why, UnsentReason::UnknownPeer);
    let (second, mut second_seen) = pipes.start(options(2, 2), 2, 1);
    second.send(1, (2, 0, Vec::new())).expect("there is room");
    assert_eq!(second_seen.next_unsent().await, (0, UnsentReason::Unreachable));
    // And then it is one again, and is one no longer while it is connected.
    first.set_peer(2, Some(Address::new("pipe", 2)));
    second.send(1, (2, 1, Vec::new())).expect("there is room");
    seen.expect(2, [1]).await;
    first.set_peer(2, None);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(second.counts().lost, 1);
}
