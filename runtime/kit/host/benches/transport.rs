//! Messages of 100 bytes over the TCP of this machine: through the transport, and as bare bytes.
//!
//! The bare stream carries the same frames, in writes of the same size, without encoding, queues or
//! decoding. A third row is a minimal transport: a channel to a task that encodes, and a reader
//! that decodes. The rows are measured in turns, and the median of the rounds is printed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc};
use turnstile_host::transport::tcp::{Address, Limits, Options, SystemTcp, Tcp};
use turnstile_host::transport::{Receiver, Transport, Unsent};

const ROUNDS: usize = 9;
const MESSAGES: u64 = 400_000;
const PINGS: usize = 3_000;

/// A content whose encoding is 99 bytes, two of them its length.
const TEXT: usize = 97;

/// A frame's bytes: four of length, one of the kind, and the message.
const FRAME: usize = 4 + 1 + 99 + 1;

/// The bytes that are written together.
const BATCH: usize = 64 * 1024;

/// When a message was sent, in nanoseconds (0: not measured), and its content.
type Message = (u64, String);

fn main() {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().expect("a runtime can be made");
    runtime.block_on(async {
        let (mut ours, mut coded, mut bare) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(through_the_transport().await);
            coded.push(coded_bytes().await);
            bare.push(bare_bytes().await);
        }
        let rate = |rounds: &[Round]| median(rounds.iter().map(|round| round.messages_a_second));
        let delay = |rounds: &[Round]| median(rounds.iter().map(|round| round.delay_us));
        let (own_rate, own_delay) = (rate(&ours), delay(&ours));
        println!(
            "100-byte messages, medians of {ROUNDS} rounds; ratios are the transport's to each"
        );
        println!(
            "{:>24}{:>20}{:>8}{:>12}{:>8}",
            "", "messages a second", "ratio", "one way", "ratio"
        );
        for (name, rounds) in [("transport", &ours), ("encoded stream", &coded), ("bytes", &bare)] {
            let (rate, delay) = (rate(rounds), delay(rounds));
            let (more, longer) = (own_rate / rate, own_delay / delay);
            println!("{name:>24}{rate:>20.0}{more:>8.2}{delay:>9.1} µs{longer:>8.2}");
        }
    });
}

/// What one round has measured.
struct Round {
    messages_a_second: f64,
    delay_us: f64,
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Counts what arrives, and tells how long it took where a message says when it was sent.
#[derive(Clone)]
struct Counter {
    begun: Instant,
    arrived: Arc<AtomicU64>,
    all: Arc<Notify>,
    delays: mpsc::UnboundedSender<Duration>,
}

impl Receiver<u32, Message> for Counter {
    async fn deliver(&self, _from: u32, (sent, _): Message) {
        if sent > 0 {
            let _taken = self.delays.send(self.begun.elapsed() - Duration::from_nanos(sent));
        } else if self.arrived.fetch_add(1, Ordering::Relaxed) + 1 == MESSAGES {
            self.all.notify_one();
        }
    }

    fn unsent(&self, unsent: Unsent<u32, Message>) {
        panic!("nothing comes back: {}", unsent.why);
    }
}

fn nanos(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).expect("it has not run for centuries").max(1)
}

async fn through_the_transport() -> Round {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let own = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = |listener: &TcpListener| {
        Address::new("127.0.0.1", listener.local_addr().expect("it is bound").port())
    };
    let (delays, mut measured) = mpsc::unbounded_channel();
    let begun = Instant::now();
    let (arrived, all) = (Arc::default(), Arc::new(Notify::new()));
    let counter = Counter { begun, arrived, all: Arc::clone(&all), delays };
    let peers = [address(&own), address(&listener)];
    let options = |own| {
        let [first, second] = peers.clone();
        let limits = Limits { queue_messages: 16 * 1024, ..Limits::default() };
        Options::new(own, "bench/1").peer(1, first).peer(2, second).limits(limits)
    };
    let first = options(1).start(own, SystemTcp, counter.clone());
    let first: Tcp<u32, Message> = first.expect("the options are good");
    let second = options(2).start(listener, SystemTcp, counter);
    let second: Tcp<u32, Message> = second.expect("the options are good");

    let mut times = Vec::new();
    for _ in 0..PINGS {
        first.send(2, (nanos(begun), "x".repeat(TEXT))).expect("there is room");
        times.push(measured.recv().await.expect("it arrives").as_secs_f64() * 1e6);
    }
    let start = Instant::now();
    for _ in 0..MESSAGES {
        let mut message = (0, "x".repeat(TEXT));
        while let Err(unsent) = first.send(2, message) {
            message = unsent.message;
            // What the full queue holds takes longer to send than this.
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    all.notified().await;
    let seconds = start.elapsed().as_secs_f64();
    tokio::join!(first.close(Duration::from_secs(1)), second.close(Duration::from_secs(1)));
    let delay_us = median(times.into_iter());
    Round { messages_a_second: MESSAGES as f64 / seconds, delay_us }
}

/// Reads frames, and tells the delay of each that says when it was sent: as this reads it.
async fn read(
    mut stream: TcpStream,
    begun: Instant,
    delays: mpsc::UnboundedSender<Duration>,
    sent: impl Fn(&[u8]) -> u64,
) {
    let mut buffer = Vec::with_capacity(2 * BATCH);
    while stream.read_buf(&mut buffer).await.expect("the sender lives") > 0 {
        let mut place = 0;
        while let Some(head) = buffer[place..].first_chunk::<4>() {
            let length = usize::try_from(u32::from_be_bytes(*head)).expect("it is short");
            let Some(body) = buffer[place + 4..].get(..length) else { break };
            let sent = sent(&body[1..]);
            if sent > 0 {
                let _taken = delays.send(begun.elapsed() - Duration::from_nanos(sent));
            }
            place += 4 + length;
        }
        buffer.drain(..place);
    }
}

/// The time in a message, all of which is decoded.
fn decoded(message: &[u8]) -> u64 {
    let message: Message = postcard::from_bytes(message).expect("it is a message");
    message.0
}

/// The time at the beginning of bare bytes.
fn bare(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(*bytes.first_chunk().expect("a time is in it"))
}

/// Encodes what a channel brings, and writes it when there is no more, or enough.
async fn write_coded(mut stream: TcpStream, mut messages: mpsc::Receiver<Message>) {
    let (mut batch, mut waiting) = (Vec::new(), Vec::new());
    while messages.recv_many(&mut waiting, BATCH / FRAME).await > 0 {
        for message in waiting.drain(..) {
            let begin = batch.len();
            batch.extend([0, 0, 0, 0, 1]);
            batch = postcard::to_extend(&message, batch).expect("a message can be written");
            let length = u32::try_from(batch.len() - begin - 4).expect("it is short");
            batch[begin..begin + 4].copy_from_slice(&length.to_be_bytes());
        }
        stream.write_all(&batch).await.expect("the reader lives");
        batch.clear();
    }
}

async fn coded_bytes() -> Round {
    let (stream, accepted) = connected().await;
    let (delays, mut measured) = mpsc::unbounded_channel();
    let begun = Instant::now();
    let reading = tokio::spawn(read(accepted, begun, delays, decoded));
    let (messages, waiting) = mpsc::channel(16 * 1024);
    tokio::spawn(write_coded(stream, waiting));
    let mut times = Vec::new();
    for _ in 0..PINGS {
        messages.send((nanos(begun), "x".repeat(TEXT))).await.expect("the writer lives");
        times.push(measured.recv().await.expect("it arrives").as_secs_f64() * 1e6);
    }
    let start = Instant::now();
    for _ in 0..MESSAGES {
        messages.send((0, "x".repeat(TEXT))).await.expect("the writer lives");
    }
    drop(messages);
    reading.await.expect("it reads to the end");
    let seconds = start.elapsed().as_secs_f64();
    let delay_us = median(times.into_iter());
    Round { messages_a_second: MESSAGES as f64 / seconds, delay_us }
}

/// Both ends of a stream.
async fn connected() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let stream = TcpStream::connect(address).await.expect("somebody listens");
    stream.set_nodelay(true).expect("it is connected");
    (stream, listener.accept().await.expect("somebody connects").0)
}

fn bare_frame(sent: u64) -> [u8; FRAME] {
    let mut frame = [b'x'; FRAME];
    let length = u32::try_from(FRAME - 4).expect("it is short");
    frame[..4].copy_from_slice(&length.to_be_bytes());
    frame[4] = 1;
    frame[5..13].copy_from_slice(&sent.to_le_bytes());
    frame
}

async fn bare_bytes() -> Round {
    let (mut stream, accepted) = connected().await;
    let (delays, mut measured) = mpsc::unbounded_channel();
    let begun = Instant::now();
    let reading = tokio::spawn(read(accepted, begun, delays, bare));

    let mut times = Vec::new();
    for _ in 0..PINGS {
        stream.write_all(&bare_frame(nanos(begun))).await.expect("the reader lives");
        times.push(measured.recv().await.expect("it arrives").as_secs_f64() * 1e6);
    }
    let start = Instant::now();
    let mut batch = Vec::with_capacity(2 * BATCH);
    for _ in 0..MESSAGES {
        batch.extend(bare_frame(0));
        if batch.len() >= BATCH {
            stream.write_all(&batch).await.expect("the reader lives");
            batch.clear();
        }
    }
    stream.write_all(&batch).await.expect("the reader lives");
    drop(stream);
    reading.await.expect("it reads to the end");
    let seconds = start.elapsed().as_secs_f64();
    let delay_us = median(times.into_iter());
    Round { messages_a_second: MESSAGES as f64 / seconds, delay_us }
}
