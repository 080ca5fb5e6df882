//! What a node warns of: that it hears and reaches nobody, and why, on both sides and not for ever.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use std::{io, thread};

use tokio::io::AsyncWriteExt as _;
use tracing::subscriber::{DefaultGuard, NoSubscriber};
use tracing::{Dispatch, Level};
use turnstile_host::transport::tcp::{Address, Limits, Options};
use turnstile_host::transport::{Transport as _, UnsentReason};

use super::inbox::{Text, inbox};
use super::pipes::{Pipes, options};
use super::raw;

/// The warnings of this thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn start() -> (Self, DefaultGuard) {
        // Who meets a warning first settles for all threads whether it is logged. While a program
        // has one subscriber, tracing asks that of this thread alone: another test has none.
        static SECOND: OnceLock<Dispatch> = OnceLock::new();
        SECOND.get_or_init(|| Dispatch::new(NoSubscriber::default()));
        let log = Self::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(Level::WARN)
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    /// How many warnings have all these words.
    fn count(&self, words: &[&str]) -> usize {
        let text = String::from_utf8(self.0.lock().expect("no panic").clone()).expect("it is text");
        text.lines().filter(|line| words.iter().all(|word| line.contains(word))).count()
    }
}

fn text(number: u64) -> Text {
    (1, number, Vec::new())
}

#[test]
fn what_another_thread_warned_of_first_is_logged() {
    let warn = || tracing::warn!("a warning of two threads");
    let (log, _guard) = Log::start();
    thread::spawn(warn).join().expect("no panic");
    warn();
    assert_eq!(log.count(&["a warning of two threads"]), 1);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_is_not_reached_is_warned_of_once_for_each_reason() {
    let (log, _guard) = Log::start();
    let pipes = Pipes::default();
    let (first, mut seen) = pipes.start(options(1, 2), 1, 1);
    first.send(2, text(0)).expect("there is room");
    assert_eq!(seen.next_unsent().await, (0, UnsentReason::Unreachable));
    assert!(first.counts().failed > 1);
    assert_eq!(
        log.count(&["WARN", "to=2", "pipe:2", "cannot reach the peer: connection refused"]),
        1
    );
    // Another reason is said, too.
    let (_other, _) = pipes.start(Options::new(2, "other/1"), 2, 1);
    first.send(2, text(1)).expect("there is room");
    assert_eq!(seen.next_unsent().await, (1, UnsentReason::Unreachable));
    assert_eq!(log.count(&["WARN", "to=2", "rejected the connection: different protocol"]), 1);
    // And the first one again, once it has been reached meanwhile.
    let (second, mut heard) = pipes.start(options(2, 2), 2, 1);
    first.send(2, text(2)).expect("there is room");
    heard.expect(1, [2]).await;
    drop(second);
    while first.counts().lost == 0 {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    first.send(2, text(3)).expect("there is room");
    assert_eq!(seen.next_unsent().await, (3, UnsentReason::Unreachable));
    assert_eq!(log.count(&["WARN", "cannot reach the peer: connection refused"]), 2);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_names_both_sides_on_both_sides() {
    let both = ["\"test/1\"", "\"other/1\""];
    let (log, _guard) = Log::start();
    let pipes = Pipes::default();
    let other = Options::new(2, "other/1").peer(1, Address::new("pipe", 1));
    let (_second, _) = pipes.start(other, 2, 1);
    let (first, mut seen) = pipes.start(options(1, 2), 1, 1);
    first.send(2, text(0)).expect("there is room");
    seen.next_unsent().await;
    assert_eq!(log.count(&[&["the peer rejected the connection"], &both[..]].concat()), 1);
    assert_eq!(log.count(&[&["connection rejected"], &both[..]].concat()), 1);
    // A node that another takes for somebody else.
    let stranger = Options::new(9, "other/1").peer(2, Address::new("pipe", 2));
    let (stranger, mut seen) = pipes.start(stranger, 9, 1);
    stranger.send(2, text(0)).expect("there is room");
    seen.next_unsent().await;
    assert_eq!(log.count(&["the sender is not a peer: a hello from 9 to 2, received by 2"]), 2);
}

#[tokio::test(start_paused = true)]
async fn a_peer_whose_message_is_none_hears_so() {
    let (_log, _guard) = Log::start();
    let pipes = Pipes::default();
    let (_node, _seen) = pipes.start(options(1, 2), 1, 10);
    let mut stream = pipes.connect(1).expect("the node listens");
    raw::begin(&mut stream, 2, 1).await;
    stream.write_all(&raw::frame(b"\x01\xff")).await.expect("the node listens");
    assert_eq!(raw::rest(&mut stream).await, raw::frame(b"\x02\x0c"));
}

#[tokio::test(start_paused = true)]
async fn a_sender_warns_of_what_its_peer_could_not_read() {
    let (log, _guard) = Log::start();
    let pipes = Pipes::default();
    let limits = Limits { frame_bytes: 100, ..Limits::default() };
    let (_node, _seen) = pipes.start(options(1, 2).limits(limits), 1, 10);
    let (sender, _) = pipes.start(options(2, 2), 2, 10);
    sender.send(1, (2, 1, vec![0; 200])).expect("it may send such messages");
    while sender.counts().lost == 0 {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(log.count(&["connection rejected", "bytes; the maximum is 100"]), 1);
    assert_eq!(log.count(&["connection to a peer lost", "bytes; the maximum is 100"]), 1);
}

#[tokio::test(start_paused = true)]
async fn two_nodes_with_one_id_are_noticed() {
    let (log, _guard) = Log::start();
    let pipes = Pipes::default();
    let (_node, mut heard) = pipes.start(options(1, 2), 1, 10);
    let (one, _) = pipes.start(options(2, 2), 2, 1);
    let (two, _) = pipes.start(options(2, 2), 3, 1);
    for number in 0..10 {
        for node in [&one, &two] {
            node.send(1, (2, number, Vec::new())).expect("there is room");
            heard.expect(2, [number]).await;
        }
    }
    assert_eq!(
        log.count(&["connection from 2 closed", "replaced by a newer connection of the same peer"]),
        1
    );
    assert!(log.count(&["connection to a peer lost", "replaced by a newer connection"]) > 1);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_begin_says_why() {
    let (log, _guard) = Log::start();
    let pipes = Pipes::default();
    let (_alone, _) = pipes.start(options(1, 1), 1, 1);
    assert_eq!(log.count(&["WARN", "own=1", "the node has no peers"]), 1);
    for (name, length) in [(String::new(), "0 bytes"), ("x".repeat(256), "256 bytes")] {
        let (inbox, _outbox) = inbox(1);
        let started =
            Options::new(1, name).start::<Text, _, _, _>(pipes.listen(1), pipes.clone(), inbox);
        let error = started.expect_err("such a name is refused").to_string();
        assert!(error.contains(length) && error.contains("expected 1 to 255"), "{error}");
    }
    for listen in ["7000", "localhost", "::1:x"] {
        let (inbox, _outbox) = inbox(1);
        let bound = Options::new(1, "test/1").bind::<Text, _>(listen, inbox).await;
        let error = bound.expect_err("it is no address").to_string();
        assert_eq!(error, format!("`{listen}` is not host:port"));
    }
}
