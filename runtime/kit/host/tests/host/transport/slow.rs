//! Peers that read slowly or never: their senders are slowed, and nobody else is.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use turnstile_host::transport::tcp::{Address, Limits, Listen as _};
use turnstile_host::transport::{Transport, UnsentReason};

use super::inbox::{LONG, Text, inbox};
use super::pipes::{Pipe, Pipes, options};
use super::{quiet, raw};

/// More bytes than a stream of these tests holds.
const LOAD: usize = 3000;

fn text(number: u64) -> Text {
    (1, number, vec![0; LOAD])
}

/// Sends until the queue is full; how many were taken.
fn fill(transport: &impl Transport<u32, Text>, to: u32, from: u64) -> u64 {
    for number in from.. {
        if let Err(unsent) = transport.send(to, text(number)) {
            assert_eq!((unsent.message, unsent.why), (text(number), UnsentReason::QueueFull));
            return number;
        }
    }
    unreachable!("a queue is bounded")
}

#[tokio::test(start_paused = true)]
async fn a_slow_receiver_slows_its_sender() {
    let limits = Limits { queue_messages: 20, write: LONG, ..Limits::default() };
    let mut nodes = Pipes::default().nodes(2, &limits, 1);
    let (_second, mut heard) = nodes.pop().expect("there are two");
    let (first, _) = nodes.pop().expect("there are two");
    let mut sent = 0;
    for number in 0..200 {
        sent = fill(&first, 2, sent);
        // Taken at most: what waits, what is in the streams and their readers, what is delivered.
        assert!(sent <= number + 50, "{sent} are taken while {number} were heard");
        tokio::time::advance(Duration::from_millis(100)).await;
        heard.expect(1, [number]).await;
    }
    heard.expect(1, 200..sent).await;
    let counts = first.counts();
    assert_eq!((counts.dialed, counts.lost), (1, 0), "a slow peer is no lost one");
}

#[tokio::test(start_paused = true)]
async fn a_queue_is_full_by_messages() {
    let pipes = Pipes::default();
    let limits = Limits { queue_messages: 7, timeout: LONG, ..Limits::default() };
    let (node, mut seen) = pipes.start(options(1, 2).limits(limits), 1, 1);
    assert_eq!(fill(&node, 2, 0), 7);
    assert_eq!(node.counts().unsent, [(UnsentReason::QueueFull, 1)].into());
    seen.assert_empty();
    let (_late, mut heard) = pipes.start(options(2, 2), 2, 1);
    heard.expect(1, 0..7).await;
    assert_eq!(fill(&node, 2, 7), 14, "there is room again");
}

#[tokio::test(start_paused = true)]
async fn a_queue_is_full_by_bytes() {
    let pipes = Pipes::default();
    let limits = Limits { queue_bytes: 10 * LOAD, timeout: LONG, ..Limits::default() };
    let (node, _) = pipes.start(options(1, 2).limits(limits), 1, 1);
    assert_eq!(fill(&node, 2, 0), 9, "each is a little longer than its load");
    node.send(2, (1, 9, Vec::new())).expect("a short one has room");
    let (_late, mut heard) = pipes.start(options(2, 2), 2, 1);
    heard.expect(1, 0..10).await;
    assert_eq!(fill(&node, 2, 10), 19, "there is room again");
}

/// A peer that welcomes and never reads again.
async fn never_reads(pipes: Pipes, port: u16) {
    let mut listener = pipes.listen(port);
    let mut kept = Vec::new();
    loop {
        let (read, mut write) = tokio::io::split(welcomed(&mut listener).await);
        kept.push(read);
        tokio::spawn(async move {
            while write.write_all(raw::BEAT).await.is_ok() {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        });
    }
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_never_reads_is_given_up_and_disturbs_nobody() {
    let pipes = Pipes::default();
    tokio::spawn(never_reads(pipes.clone(), 3));
    let limits = Limits { queue_messages: 10, ..Limits::default() };
    let options = |id| options(id, 2).peer(3, Address::new("pipe", 3)).limits(limits.clone());
    let (first, mut seen) = pipes.start(options(1), 1, 1);
    let (_second, mut heard) = pipes.start(options(2), 2, 1);
    assert_eq!(fill(&first, 3, 0), 10);
    tokio::join!(quiet::send_all(1, &first, 2), heard.expect(1, 0..quiet::MESSAGES));
    // Some are written, and lost with the stream; all others come back in their order.
    let mut last = None;
    loop {
        let (number, why) = seen.next_unsent().await;
        assert_eq!(why, UnsentReason::Unreachable);
        assert!(last < Some(number));
        last = Some(number);
        if number == 9 {
            break;
        }
    }
    seen.assert_empty();
    let counts = first.counts();
    assert!(counts.lost > 0 && counts.unsent[&UnsentReason::Unreachable] > 0, "{counts:?}");
    assert_eq!(counts.sent + counts.unsent[&UnsentReason::Unreachable], quiet::MESSAGES + 10);
    first.close(Duration::from_secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn what_was_begun_is_not_sent_again() {
    for read in 1..20_u64 {
        let pipes = Pipes::default();
        let mut listener = pipes.listen(2);
        let (first, mut seen) = pipes.start(options(1, 2), 1, 1);
        for number in 0..15 {
            first.send(2, text(number)).expect("there is room");
        }
        // The peer reads some of what is written, and breaks off.
        let mut stream = welcomed(&mut listener).await;
        for number in 0..read / 2 {
            assert_eq!(raw::read(&mut stream).await, raw::message(&text(number))[4..]);
        }
        let mut half = vec![0; LOAD / 2 * usize::from(read % 2 == 1)];
        stream.read_exact(&mut half).await.expect("more is written");
        drop(stream);
        // The stream has held one message more, or a part of it.
        let mut stream = welcomed(&mut listener).await;
        let next = read / 2 + 1..=read / 2 + 2;
        let frame = raw::read(&mut stream).await;
        let number = next.clone().find(|number| raw::message(&text(*number))[4..] == frame);
        let number = number.unwrap_or_else(|| panic!("after {read} halves none of {next:?} comes"));
        for number in number + 1..15 {
            assert_eq!(raw::read(&mut stream).await, raw::message(&text(number))[4..]);
        }
        seen.assert_empty();
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert_eq!(first.counts().sent, 15, "what was begun may have arrived");
    }
}

/// The next stream, after its hello was answered.
async fn welcomed(listener: &mut Pipe) -> DuplexStream {
    let (mut stream, _) = listener.accept().await.expect("pipes do not fail");
    raw::read(&mut stream).await;
    stream.write_all(&raw::welcome()).await.expect("the node hears");
    stream
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_is_stuck_stops_no_close() {
    let pipes = Pipes::default();
    let (first, _kept) = pipes.start(options(1, 2), 1, 1);
    // Nobody takes what this one keeps.
    let (receiver, _stuck) = inbox(1);
    let second = pipes.start_with(options(2, 2), 2, receiver);
    for number in 0..100 {
        first.send(2, text(number)).expect("there is room");
    }
    let begun = tokio::time::Instant::now();
    let timeout = Duration::from_secs(3);
    tokio::join!(first.close(timeout), second.close(timeout));
    assert!(begun.elapsed() <= timeout + Duration::from_millis(10));
    let counts = first.counts();
    assert!(counts.unsent[&UnsentReason::Closed] > 0);
    assert_eq!(counts.sent + counts.unsent[&UnsentReason::Closed], 100);
}
