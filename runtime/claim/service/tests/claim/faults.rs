//! Clients and server over real HTTP with a proxy between them that breaks things.
//!
//! Refused and reset connections, half an answer or none, 5xx, slow and duplicated requests, clocks
//! that jump. Whatever happens, the trace of every node is a run of its core, and no two clients
//! hold at once.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use turnstile_claim::client::{Connector, LockClient, LockClientBuilder, Rng};
use turnstile_claim::server::{Options, Storage};
use turnstile_random::seeds;

use crate::clock::{Sleep, jumping_wall_us, set_wall_clock};
use crate::http::Running;
use crate::replay::Notes;

const CLIENTS: u64 = 3;
/// How often each client gets the lock.
const TURNS: usize = 6;
const TTL: Duration = Duration::from_millis(600);

/// What the proxy does to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    None,
    /// Nobody listens.
    Refused,
    /// The connection breaks before the request is heard.
    Reset,
    AnswerLost,
    HalfAnAnswer,
    ServerError,
    Slow,
    Duplicated,
    /// A client's machine has slept, or the server's wall clock is set.
    ClockJumped,
}

impl Fault {
    fn roll(rng: &mut Rng) -> Self {
        match rng.number() % 20 {
            0 | 1 => Self::Reset,
            2 | 3 => Self::AnswerLost,
            4 | 5 => Self::HalfAnAnswer,
            6 | 7 => Self::ServerError,
            8 => Self::Slow,
            9 | 10 => Self::Duplicated,
            11 => Self::ClockJumped,
            _ => Self::None,
        }
    }
}

/// How often each fault happened.
type Counts = Arc<Mutex<BTreeMap<Fault, u64>>>;

/// The machines whose clocks jump.
type Sleeps = Arc<Vec<Sleep>>;

/// Sends one client's machine to sleep, for less than a lease or for more, and sets the server's
/// wall clock forward or back.
fn jump(sleeps: &Sleeps, rng: &mut Rng) {
    let sleeper = (rng.number() % CLIENTS) as usize;
    sleeps[sleeper].sleep(TTL.mul_f64(0.2 + 1.3 * rng.roll()));
    set_wall_clock((rng.roll() - 0.5) * 1e6);
}

async fn proxy(
    listener: TcpListener,
    server: SocketAddr,
    seed: u64,
    counts: Counts,
    sleeps: Sleeps,
) {
    let mut rng = Rng::seeded(seed);
    loop {
        let (stream, _) = listener.accept().await.expect("loopback takes connections in");
        let mut rng = Rng::seeded(rng.number());
        let (counts, sleeps) = (counts.clone(), sleeps.clone());
        tokio::spawn(async move {
            // Either end may go away at any time: that is what this is for.
            let _broken = forward(stream, server, &mut rng, &counts, &sleeps).await;
        });
    }
}

/// Connects to the proxy; the first time, and every sixth, to where nobody listens.
fn connector(gone: SocketAddr, counts: Counts) -> Connector {
    let dials = AtomicU64::new(0);
    Connector::new(move |host: String, port| {
        let is_refused = dials.fetch_add(1, Ordering::Relaxed).is_multiple_of(6);
        if is_refused {
            *counts.lock().expect("no holder panics").entry(Fault::Refused).or_default() += 1;
        }
        async move {
            match is_refused {
                true => TcpStream::connect(gone).await,
                false => TcpStream::connect((host, port)).await,
            }
        }
    })
}

/// Forwards the requests of one connection until a fault breaks it.
async fn forward(
    mut stream: TcpStream,
    server: SocketAddr,
    rng: &mut Rng,
    counts: &Counts,
    sleeps: &Sleeps,
) -> io::Result<()> {
    loop {
        let request = read_message(&mut stream).await?;
        let fault = Fault::roll(rng);
        *counts.lock().expect("no holder panics").entry(fault).or_default() += 1;
        match fault {
            Fault::Reset => return stream.set_zero_linger(),
            Fault::ServerError => {
                let text = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n";
                stream.write_all(text.as_bytes()).await?;
                continue;
            }
            Fault::Slow => tokio::time::sleep(TTL.mul_f64(0.3 * rng.roll())).await,
            Fault::ClockJumped => jump(sleeps, rng),
            Fault::None
            | Fault::Refused
            | Fault::AnswerLost
            | Fault::HalfAnAnswer
            | Fault::Duplicated => {}
        }
        let mut upstream = TcpStream::connect(server).await?;
        upstream.write_all(&request).await?;
        let answer = tokio::select! {
            answer = read_message(&mut upstream) => answer?,
            // A client that hangs up hangs up at the server, too.
            _ = stream.readable() => {
                let mut byte = [0];
                if stream.peek(&mut byte).await? == 0 {
                    return Ok(());
                }
                read_message(&mut upstream).await?
            }
        };
        match fault {
            Fault::AnswerLost => return Ok(()),
            Fault::HalfAnAnswer => return stream.write_all(&answer[..answer.len() / 2]).await,
            Fault::Duplicated => {
                upstream.write_all(&request).await?;
                let second = read_message(&mut upstream);
                // A second request may be one that waits: its answer matters to nobody.
                let _second = tokio::time::timeout(TTL / 10, second).await;
                stream.write_all(&answer).await?;
            }
            Fault::None
            | Fault::Refused
            | Fault::Reset
            | Fault::ServerError
            | Fault::Slow
            | Fault::ClockJumped => {
                stream.write_all(&answer).await?;
            }
        }
    }
}

/// A whole request or response, as it came.
async fn read_message(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let len = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                let is_len = name.eq_ignore_ascii_case("content-length");
                is_len.then(|| value.trim().parse::<usize>().ok())?
            });
            if body.len() >= len.unwrap_or(0) {
                return Ok(bytes);
            }
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_trace_over_broken_connections_is_a_run_of_the_cores() {
    let seed = seeds::number("TURNSTILE_SEED");
    let seed = seed.unwrap_or_else(|| Rng::from_entropy().number());
    println!("TURNSTILE_SEED={seed} cargo test -p turnstile-claim --test claim faults");
    let (notes, trace) = Notes::new();
    let options =
        Options { trace: Some(trace.clone()), wall_us: jumping_wall_us, ..Options::default() };
    let server = Running::start(Storage::Memory, options);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has ports");
    let at = listener.local_addr().expect("it is bound");
    let counts = Counts::default();
    let sleeps: Sleeps = Arc::new((0..CLIENTS).map(|_| Sleep::default()).collect());
    let proxy = tokio::spawn(proxy(listener, server.at, seed, counts.clone(), sleeps.clone()));

    let gone = std::net::TcpListener::bind("127.0.0.1:0").and_then(|gone| gone.local_addr());
    let gone = gone.expect("loopback has ports");
    let newest = Arc::new(Mutex::new(0));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let mut builder = LockClientBuilder::new(&format!("http://{at}"));
            builder.ttl = TTL;
            builder.connector = connector(gone, counts.clone());
            builder.rng = Rng::seeded(seed ^ number << 32);
            builder.clock = sleeps[number as usize].clock();
            builder.trace = Some(trace.of(&format!("program {number}")));
            tokio::spawn(take_turns(builder.build().expect("a good address"), newest.clone()))
        })
        .collect();
    for client in clients {
        client.await.expect("no client fails");
    }
    proxy.abort();
    drop(server);
    let count = notes.replay();
    let counts = counts.lock().expect("no holder panics");
    println!("{count} steps replayed, faults: {counts:?}");
    assert!(counts.values().sum::<u64>() > counts[&Fault::None], "things went wrong");
    assert!(counts[&Fault::Refused] > 0, "and nobody listened");
}

/// Gets the lock a number of times, and looks that nobody else has it meanwhile.
async fn take_turns(lock_client: LockClient, newest: Arc<Mutex<u64>>) {
    let mut turns = 0;
    while turns < TURNS {
        let claim = match lock_client.claim("lock").timeout(10 * TTL).await {
            Ok(claim) => claim,
            Err(error) if error.cause.may_pass() => continue,
            Err(error) => panic!("{error}"),
        };
        turns += 1;
        let token = claim.fencing_token().expect("this server mints tokens");
        {
            let mut newest = newest.lock().expect("no holder panics");
            assert!(token > *newest, "{token} after {newest}");
            *newest = token;
        }
        for _ in 0..20 {
            tokio::task::yield_now().await;
            let newest = newest.lock().expect("no holder panics");
            if claim.is_held() {
                assert_eq!(*newest, token, "two hold the lock at once");
            }
        }
        // A release whose answer was lost may be told as a loss.
        let _acknowledged = claim.release().await;
    }
    lock_client.close(Duration::from_secs(5)).await;
}
