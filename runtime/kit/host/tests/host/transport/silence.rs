//! Peers that vanish without a word are noticed by both sides; idle ones stay connected.

use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use turnstile_host::transport::Transport;
use turnstile_host::transport::tcp::{Limits, Listen as _};

use super::pipes::{Pipes, options};
use super::raw;

#[tokio::test(start_paused = true)]
async fn a_connection_without_messages_stays() {
    let mut nodes = Pipes::default().nodes(2, &Limits::default(), 1);
    let (second, mut heard) = nodes.pop().expect("there are two");
    let (first, _) = nodes.pop().expect("there are two");
    for number in 0..3 {
        first.send(2, (1, number, Vec::new())).expect("there is room");
        heard.expect(1, [number]).await;
        tokio::time::sleep(Duration::from_secs(3600)).await;
    }
    for counts in [first.counts(), second.counts()] {
        assert_eq!((counts.dialed + counts.accepted, counts.lost), (1, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_vanishes_is_noticed() {
    let pipes = Pipes::default();
    let mut listener = pipes.listen(2);
    let limits = Limits::default();
    let (first, _) = pipes.start(options(1, 2).limits(limits.clone()), 1, 1);
    first.send(2, (1, 0, Vec::new())).expect("there is room");
    let (mut stream, _) = listener.accept().await.expect("pipes do not fail");
    raw::read(&mut stream).await;
    stream.write_all(&raw::welcome()).await.expect("the node hears");
    let begun = tokio::time::Instant::now();
    raw::rest(&mut stream).await;
    let waited = begun.elapsed();
    assert!((limits.silence..limits.silence + limits.heartbeat).contains(&waited), "{waited:?}");
    assert_eq!(first.counts().lost, 1);
}

#[tokio::test(start_paused = true)]
async fn a_sender_that_vanishes_is_noticed() {
    let pipes = Pipes::default();
    let limits = Limits::default();
    let (first, mut heard) = pipes.start(options(1, 2).limits(limits.clone()), 1, 1);
    let mut stream = pipes.connect(1).expect("the node listens");
    raw::begin(&mut stream, 2, 1).await;
    stream.write_all(&raw::message(&(2, 0, Vec::new()))).await.expect("the node hears");
    heard.expect(2, [0]).await;
    let begun = tokio::time::Instant::now();
    let beats = raw::rest(&mut stream).await;
    let waited = begun.elapsed();
    assert!((limits.silence..limits.silence + limits.heartbeat).contains(&waited), "{waited:?}");
    assert!(beats.len() >= 4 * raw::BEAT.len() && beats.starts_with(raw::BEAT), "{beats:?}");
    assert_eq!(first.counts().lost, 1);
}
