//! A server that answers 429: `claim run` and the client repeat the request after its
//! `Retry-After`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use turnstile_claim::client::{LockClient, LockClientBuilder};
use turnstile_claim::server::{Options, Storage};

use crate::command::{claim, statuses};
use crate::http::{PATIENCE, Running, until};

/// A server where no claim may wait.
fn without_queue() -> Running {
    let mut options = Options::default();
    options.limits.waiters_max = 0;
    Running::start(Storage::Memory, options)
}

#[test]
fn a_full_queue_is_asked_again_until_there_is_room() {
    let server = without_queue();
    let mut holder = server.client();
    let held = holder.post(r#"{"resource":"r","ttl":60}"#).expect(201).path();
    let mut waiting = claim(&server, &["run", "r", "--timeout", "60", "--", "true"]);
    let mut waiting = waiting.stderr(Stdio::piped()).spawn().expect("it starts");
    let mut warned = String::new();
    let errors = waiting.stderr.as_mut().expect("it is piped");
    BufReader::new(errors).read_line(&mut warned).expect("plain text");
    assert!(warned.contains("429 Too many claims wait for this resource: retrying"), "{warned}");
    assert!(waiting.try_wait().expect("it is our child").is_none(), "it asks again");
    holder.set(&held, "released").expect(204);
    assert!(waiting.wait().expect("it is our child").success());
}

#[test]
fn the_timeout_bounds_the_repetitions() {
    let server = without_queue();
    server.client().post(r#"{"resource":"r","ttl":60}"#).expect(201);
    let ran = claim(&server, &["run", "r", "--timeout", "0.5", "--", "true"]).output();
    let ran = ran.expect("it starts");
    let text = String::from_utf8(ran.stderr).expect("plain text");
    assert_eq!(ran.status.code(), Some(69), "{text}");
    assert!(text.contains("timed out: ") && text.contains(": 429 "), "{text}");
}

/// A proxy in front of a server, which answers some requests with 429 instead.
struct Throttle {
    at: SocketAddr,
    /// A part of the next request that it refuses.
    refused: Arc<Mutex<Option<&'static str>>>,
    /// When it refused, and when the same was asked again.
    times: Arc<Mutex<Vec<Instant>>>,
}

/// After so long the same request may be sent again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

impl Throttle {
    fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has ports");
        let at = listener.local_addr().expect("it is bound");
        let throttle = Self { at, refused: Arc::default(), times: Arc::default() };
        let (refused, times) = (throttle.refused.clone(), throttle.times.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (refused, times) = (refused.clone(), times.clone());
                let stream = stream.expect("a client connects");
                std::thread::spawn(move || serve(stream, server, &refused, &times));
            }
        });
        throttle
    }

    fn client(&self) -> LockClient {
        let builder = LockClientBuilder::new(&format!("http://{}", self.at));
        builder.build().expect("a good address")
    }

    /// Refuses the next request with this text, and awaits that it is sent again.
    fn refuse(&self, part: &'static str) {
        self.times.lock().expect("no holder panics").clear();
        *self.refused.lock().expect("no holder panics") = Some(part);
    }

    #[track_caller]
    fn check_repeated(&self) {
        until("it is asked again", || self.times.lock().expect("no holder panics").len() > 1);
        let times = self.times.lock().expect("no holder panics");
        let paused = times[1] - times[0];
        assert!(paused >= RETRY_AFTER, "{paused:?}");
        assert!(paused < RETRY_AFTER + PATIENCE / 4, "{paused:?}");
    }
}

/// Passes the requests of one connection on, one connection each.
fn serve(
    stream: TcpStream,
    server: SocketAddr,
    refused: &Mutex<Option<&'static str>>,
    times: &Mutex<Vec<Instant>>,
) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut last = None;
    loop {
        let mut request = String::new();
        let mut len = 0;
        while !request.ends_with("\r\n\r\n") {
            let from = request.len();
            reader.read_line(&mut request).ok().filter(|read| *read > 0)?;
            let line = request[from..].to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                len = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; len];
        reader.read_exact(&mut body).ok()?;
        request += &String::from_utf8(body).ok()?;
        let is_meant = |part: &mut &'static str| request.contains(*part);
        let part = refused.lock().expect("no holder panics").take_if(is_meant);
        if part.is_some() || last.is_some_and(|part: &str| request.contains(part)) {
            times.lock().expect("no holder panics").push(Instant::now());
        }
        if part.is_some() {
            last = part;
            let seconds = RETRY_AFTER.as_secs();
            let text = format!(
                "HTTP/1.1 429 Too Many Requests\r\nretry-after: {seconds}\r\n\
                 content-length: 4\r\n\r\nbusy"
            );
            reader.get_mut().write_all(text.as_bytes()).ok()?;
            continue;
        }
        let mut onward = TcpStream::connect(server).ok()?;
        let request = request.replacen("\r\n", "\r\nconnection: close\r\n", 1);
        onward.write_all(request.as_bytes()).ok()?;
        let mut answer = Vec::new();
        onward.read_to_end(&mut answer).ok()?;
        reader.get_mut().write_all(&answer).ok()?;
        return Some(());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn no_request_of_a_claim_fails_by_429() {
    let server = Running::in_memory();
    let throttle = Throttle::start(server.at);
    let (one, two) = (throttle.client(), throttle.client());
    let ttl = Duration::from_secs(20);
    throttle.refuse("POST ");
    let held = one.claim("r").ttl(ttl).await.expect("no other client claims it");
    throttle.check_repeated();

    throttle.refuse("\"ttl\"");
    held.refresh(None).await.expect("it is held");
    assert!(held.is_held());
    throttle.check_repeated();

    throttle.refuse("\"active\"");
    let waiting = tokio::spawn(two.claim("r").ttl(ttl).into_future());
    throttle.check_repeated();
    throttle.refuse("\"released\"");
    held.release().await.expect("it is held");
    throttle.check_repeated();
    throttle.refuse("\"ttl\"");
    let next = waiting.await.expect("no panic").expect("it is free");
    throttle.check_repeated();
    throttle.refuse("\"released\"");
    next.release().await.expect("it is held");
    throttle.check_repeated();
    assert_eq!(statuses(&server, "r"), ["released", "released"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_holder_that_is_told_to_wait_beyond_its_lease_asks_before() {
    let server = Running::in_memory();
    let throttle = Throttle::start(server.at);
    let client = throttle.client();
    // The pause is longer than what the lease leaves.
    let claim = client.claim("r").ttl(Duration::from_millis(900)).await.expect("it is free");
    throttle.refuse("\"ttl\"");
    let begun = Instant::now();
    let lost = tokio::time::timeout(Duration::from_secs(3), claim.lost()).await;
    assert!(lost.is_err(), "it is lost after {:?}: {:?}", begun.elapsed(), claim.loss());
    claim.release().await.expect("it is held");
}
