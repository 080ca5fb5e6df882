//! Whoever speaks wrongly is refused, is counted, and does no harm to anybody else.

use std::time::Duration;

use tokio::io::{AsyncWriteExt as _, DuplexStream};
use turnstile_host::transport::tcp::{Address, Limits, Listen as _, Options};
use turnstile_host::transport::{Refusal, Transport, UnsentReason};

use super::inbox::{LONG, Text};
use super::pipes::{PROTOCOL, Pair, Pipes, options};
use super::raw;

/// Node 1, and a stream to it.
fn node(pipes: &Pipes, limits: Limits) -> (Pair, DuplexStream) {
    let node = pipes.start(options(1, 2).limits(limits), 1, 10);
    (node, pipes.connect(1).expect("the node listens"))
}

/// Writes and hears what is answered until the end.
async fn answer_to(bytes: &[u8]) -> (Vec<u8>, Option<Refusal>) {
    let pipes = Pipes::default();
    let ((node, mut seen), mut stream) = node(&pipes, Limits::default());
    stream.write_all(bytes).await.expect("the node listens");
    stream.shutdown().await.expect("the node listens");
    let rest = raw::rest(&mut stream).await;
    seen.assert_empty();
    let refused = node.counts().refused;
    assert_eq!(refused.values().sum::<u64>(), 1, "{refused:?}");
    // It still hears a peer that speaks well.
    let mut stream = pipes.connect(1).expect("the node listens");
    raw::begin(&mut stream, 2, 1).await;
    stream.write_all(&raw::message(&(2, 7, Vec::new()))).await.expect("the node listens");
    seen.expect(2, [7]).await;
    (rest, refused.keys().next().copied())
}

/// An answer that refuses.
fn no(code: u8) -> Vec<u8> {
    raw::frame(&[b"TSTL\x00\x01".as_slice(), &[code]].concat())
}

#[tokio::test(start_paused = true)]
async fn a_wrong_hello_is_refused_with_its_reason() {
    let hello = raw::hello_in;
    for (bytes, code, why) in [
        (hello(2, PROTOCOL, 2, 1), 4, Refusal::Version),
        (hello(0, PROTOCOL, 2, 1), 4, Refusal::Version),
        (hello(1, "test/2", 2, 1), 5, Refusal::Protocol),
        (hello(1, "", 2, 1), 5, Refusal::Protocol),
        (hello(1, PROTOCOL, 2, 3), 6, Refusal::NotThisNode),
        (hello(1, PROTOCOL, 1, 1), 7, Refusal::OwnId),
        (hello(1, PROTOCOL, 9, 1), 8, Refusal::UnknownPeer),
        (raw::frame(b""), 1, Refusal::NoHello),
        (raw::frame(b"TSTL"), 1, Refusal::NoHello),
        (raw::frame(b"TSTL\x00\x01\xfftest"), 1, Refusal::NoHello),
        (raw::frame(b"TSTL\x00\x01\x06test/1"), 1, Refusal::NoHello),
        (b"GET / HTTP/1.1\r\n\r\n".to_vec(), 1, Refusal::NoHello),
        (vec![0; 100], 1, Refusal::NoHello),
        (vec![0xff; 100], 1, Refusal::NoHello),
    ] {
        let (answer, refused) = answer_to(&bytes).await;
        assert_eq!(answer[4..11], no(code)[4..11], "{bytes:?}");
        assert_eq!(refused, Some(why), "{bytes:?}");
        if why == Refusal::Version {
            let about = String::from_utf8_lossy(&answer[11..]);
            assert!(about.contains("this node has version 1, the peer "), "{about}");
            assert!(about.ends_with(": start the same program at both"), "{about}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_hello_that_is_cut_anywhere_is_none() {
    let whole = raw::hello(2, 1);
    for length in 0..whole.len() {
        let (_, why) = answer_to(&whole[..length]).await;
        assert_eq!(why, Some(Refusal::NoHello), "{length} bytes");
    }
}

#[tokio::test(start_paused = true)]
async fn a_hello_must_come_in_time() {
    let limits = Limits::default();
    let ((node, _), mut stream) = node(&Pipes::default(), limits.clone());
    stream.write_all(&raw::hello(2, 1)[..5]).await.expect("the node listens");
    let begun = tokio::time::Instant::now();
    raw::rest(&mut stream).await;
    assert_eq!(begun.elapsed(), limits.hello);
    assert_eq!(node.counts().refused, [(Refusal::Late, 1)].into());
}

/// What is counted when a welcomed peer writes bytes and ends: refusals, and lost connections.
async fn after_welcome(bytes: &[u8]) -> (Option<Refusal>, u64) {
    let limits = Limits { frame_bytes: 100, ..Limits::default() };
    let ((node, mut seen), mut stream) = node(&Pipes::default(), limits);
    raw::begin(&mut stream, 2, 1).await;
    stream.write_all(&raw::message(&(2, 0, Vec::new()))).await.expect("the node listens");
    stream.write_all(bytes).await.expect("the node listens");
    stream.shutdown().await.expect("the node listens");
    raw::rest(&mut stream).await;
    seen.expect(2, [0]).await;
    seen.assert_empty();
    let counts = node.counts();
    (counts.refused.keys().next().copied(), counts.lost)
}

#[tokio::test(start_paused = true)]
async fn garbage_after_the_hello_ends_the_connection() {
    assert_eq!(after_welcome(b"").await, (None, 0), "this is an end in order");
    for bytes in [
        raw::frame(b""),
        raw::frame(b"\x01"),
        raw::frame(b"\x00\x00"),
        raw::frame(b"\x02\x00\x00\x00"),
        raw::frame(b"\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
        raw::frame(&[raw::message(&(2, 1, Vec::new()))[4..].to_vec(), vec![0]].concat()),
    ] {
        let ended = after_welcome(&bytes).await;
        assert_eq!(ended, (Some(Refusal::Undecodable), 0), "{bytes:?}");
    }
    let whole = raw::message(&(2, 1, vec![1, 2, 3]));
    for length in 1..whole.len() {
        assert_eq!(after_welcome(&whole[..length]).await, (None, 1), "{length} bytes");
    }
}

#[tokio::test(start_paused = true)]
async fn a_frame_may_be_so_long_and_no_longer() {
    let text = |load| -> Text { (2, 1, vec![0; load]) };
    let longest = 100 - (raw::message(&text(0)).len() - 4);
    let too_long = raw::message(&text(longest + 1));
    assert_eq!(after_welcome(&too_long).await, (Some(Refusal::TooLong), 0));
    assert_eq!(after_welcome(&too_long[..4]).await, (Some(Refusal::TooLong), 0));
    assert_eq!(after_welcome(&[0xff; 4]).await, (Some(Refusal::TooLong), 0));

    let pipes = Pipes::default();
    let limits = Limits { frame_bytes: 100, ..Limits::default() };
    let (_first, mut heard) = pipes.start(options(1, 2).limits(limits.clone()), 1, 10);
    let (second, mut seen) = pipes.start(options(2, 2).limits(limits), 2, 10);
    let unsent = second.send(1, text(longest + 1)).expect_err("it is too long");
    assert_eq!((unsent.message, unsent.why), (text(longest + 1), UnsentReason::TooLong));
    second.send(1, text(longest)).expect("it is just short enough");
    heard.expect(2, [1]).await;
    seen.assert_empty();
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_refused_tells_why_and_keeps_what_waits() {
    let pipes = Pipes::default();
    let other = Options::new(2, "other/1").peer(1, Address::new("pipe", 1));
    let (_other, _) = pipes.start(other, 2, 1);
    let (first, mut seen) = pipes.start(options(1, 2), 1, 1);
    first.send(2, (1, 0, Vec::new())).expect("there is room");
    assert_eq!(seen.next_unsent().await, (0, UnsentReason::Unreachable));
    let counts = first.counts();
    assert!(counts.dials_refused[&Refusal::Protocol] > 1);
    assert_eq!((counts.sent, counts.dialed, counts.lost), (0, 0, 0));
    // A node of the right protocol takes its place.
    first.send(2, (1, 1, Vec::new())).expect("there is room");
    let (_second, mut heard) = pipes.start(options(2, 2), 2, 1);
    heard.expect(1, [1]).await;
}

#[tokio::test(start_paused = true)]
async fn a_node_that_dials_itself_notices() {
    let pipes = Pipes::default();
    let options = Options::new(1, PROTOCOL).peer(2, Address::new("pipe", 1));
    let (first, mut seen) = pipes.start(options, 1, 1);
    first.send(2, (1, 0, Vec::new())).expect("there is room");
    assert_eq!(seen.next_unsent().await, (0, UnsentReason::Unreachable));
    let counts = first.counts();
    assert_eq!(counts.refused, counts.dials_refused);
    assert!(counts.refused[&Refusal::OwnId] > 1);
    seen.assert_empty();
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_none_is_refused() {
    for answer in [no(99), no(200), raw::frame(b"HTTP"), vec![0x15, 3, 3, 0, 2, 2, 10], vec![]] {
        let pipes = Pipes::default();
        let mut listener = pipes.listen(2);
        let (first, _) = pipes.start(options(1, 2), 1, 1);
        first.send(2, (1, 0, Vec::new())).expect("there is room");
        let (mut stream, _) = listener.accept().await.expect("pipes do not fail");
        raw::read(&mut stream).await;
        stream.write_all(&answer).await.expect("the node hears");
        stream.shutdown().await.expect("the node hears");
        assert_eq!(raw::rest(&mut stream).await, b"");
        let counts = first.counts();
        let refused = counts.dials_refused.get(&Refusal::NoHello).copied().unwrap_or_default();
        assert_eq!((refused + counts.failed, counts.sent), (1, 0), "{answer:?}");
        assert_eq!(refused, u64::from(!answer.is_empty()), "{answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn connections_are_limited() {
    let pipes = Pipes::default();
    let limits = Limits { connections: 3, ..Limits::default() };
    let ((node, mut heard), mut welcomed) = node(&pipes, limits);
    raw::begin(&mut welcomed, 2, 1).await;
    let silent: Vec<_> = (0..2).map(|_| pipes.connect(1).expect("the node listens")).collect();
    let mut fourth = pipes.connect(1).expect("the node listens");
    assert_eq!(raw::rest(&mut fourth).await, b"");
    assert_eq!(node.counts().refused, [(Refusal::TooMany, 1)].into());
    // Those who were there first are heard still, and there is room when one has gone.
    welcomed.write_all(&raw::message(&(2, 0, Vec::new()))).await.expect("the node listens");
    heard.expect(2, [0]).await;
    drop(silent);
    tokio::time::sleep(Duration::from_millis(1)).await;
    let mut fifth = pipes.connect(1).expect("the node listens");
    raw::begin(&mut fifth, 2, 1).await;
}

#[tokio::test(start_paused = true)]
async fn a_new_connection_takes_the_place_of_the_old() {
    let pipes = Pipes::default();
    let ((node, mut heard), mut old) = node(&pipes, Limits { silence: LONG, ..Limits::default() });
    raw::begin(&mut old, 2, 1).await;
    old.write_all(&raw::message(&(2, 0, Vec::new()))).await.expect("the node listens");
    heard.expect(2, [0]).await;
    let mut new = pipes.connect(1).expect("the node listens");
    raw::begin(&mut new, 2, 1).await;
    raw::rest(&mut old).await;
    new.write_all(&raw::message(&(2, 1, Vec::new()))).await.expect("the node listens");
    heard.expect(2, [1]).await;
    assert_eq!((node.counts().accepted, node.counts().lost), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn connections_that_wait_for_a_busy_node_do_not_pile_up() {
    let pipes = Pipes::default();
    let node =
        pipes.start(options(1, 2).limits(Limits { connections: 4, ..Limits::default() }), 1, 1);
    let mut first = pipes.connect(1).expect("the node listens");
    raw::begin(&mut first, 2, 1).await;
    for number in 0..3 {
        let message = raw::message(&(2, number, Vec::new()));
        first.write_all(&message).await.expect("the node listens");
    }
    // The node keeps one message and delivers the next for as long as nobody looks.
    let mut waiting = Vec::new();
    for _ in 0..50 {
        let mut stream = pipes.connect(1).expect("the node listens");
        stream.write_all(&raw::hello(2, 1)).await.expect("the node listens");
        waiting.push(stream);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let (node, mut heard) = node;
    assert!(node.counts().refused.is_empty(), "{:?}", node.counts());
    // Nor is the last one welcomed before the first has ended: they would deliver side by side.
    let mut last = waiting.pop().expect("there are fifty");
    let welcome = tokio::time::timeout(Duration::from_secs(1), raw::read(&mut last)).await;
    assert!(welcome.is_err(), "the first one still delivers");
    heard.expect(2, [0, 1]).await;
    assert_eq!(raw::frame(&raw::read(&mut last).await), raw::welcome());
    last.write_all(&raw::message(&(2, 9, Vec::new()))).await.expect("the node listens");
    heard.expect(2, [9]).await;
    heard.assert_empty();
}
