//! A server within the test and the plainest of HTTP clients, which shares no code with ours.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::oneshot;
use turnstile_claim::server::{Options, Server, Storage};

/// Whatever a test waits for happens within this time, or it fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A server on a port of its own, until it is dropped.
pub(crate) struct Running {
    pub(crate) at: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Running {
    /// A server that keeps nothing.
    pub(crate) fn in_memory() -> Self {
        Self::start(Storage::Memory, Options::default())
    }

    pub(crate) fn start(storage: Storage, options: Options) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback has ports");
        listener.set_nonblocking(true).expect("a socket takes it");
        let at = listener.local_addr().expect("it is bound");
        let (stop, stopped) = oneshot::channel::<()>();
        let server = Server::open(storage, options).expect("the store opens");
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("it is bound");
                let stop = async {
                    // A dropped sender stops the server as well.
                    let _stopped = stopped.await;
                };
                server.serve(listener, stop).await.expect("the server ends well");
            });
        });
        Self { at, stop: Some(stop), thread: Some(thread) }
    }

    /// Stops the server as SIGTERM does, and waits for its end.
    pub(crate) fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server ends well");
        }
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.at)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// One connection.
pub(crate) struct Client {
    at: SocketAddr,
    stream: BufReader<TcpStream>,
    pub(crate) headers: Vec<(String, String)>,
    /// Requests about claims are repeated while they are answered with 503.
    is_repeating: bool,
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// A field of the body, as text: `null` where it is null.
    pub(crate) fn field(&self, name: &str) -> Value {
        self.json().get(name).cloned().unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }

    pub(crate) fn number(&self, name: &str) -> f64 {
        let field = self.field(name);
        // The protocol's durations are floats, 20.0 rather than 20.
        assert!(field.is_f64(), "{name} is {field}");
        field.as_f64().expect("a float")
    }

    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// The path of the claim that was posted.
    #[track_caller]
    pub(crate) fn path(&self) -> String {
        let location = &self.headers["location"];
        let (_, rest) = location.split_once("://").expect("absolute");
        format!("/{}", rest.split_once('/').expect("a path").1)
    }
}

impl Client {
    pub(crate) fn new(at: SocketAddr) -> Self {
        Self::try_new(at).expect("the server listens")
    }

    /// None where the server is gone.
    pub(crate) fn try_new(at: SocketAddr) -> Option<Self> {
        Some(Self::on(at, TcpStream::connect(at).ok()?))
    }

    /// One whose connection is made already.
    pub(crate) fn on(at: SocketAddr, stream: TcpStream) -> Self {
        stream.set_nodelay(true).expect("a socket takes it");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket takes it");
        Self { at, stream: BufReader::new(stream), headers: Vec::new(), is_repeating: false }
    }

    /// The same, with a header in every request.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The same, which does what a 503 of a cluster asks for: elections fail on a busy machine.
    pub(crate) fn repeating(self) -> Self {
        Self { is_repeating: true, ..self }
    }

    /// The same, with a token in every request.
    pub(crate) fn with_token(self, token: &str) -> Self {
        self.with("authorization", &format!("Bearer {token}"))
    }

    /// The address of the server.
    pub(crate) const fn at(&self) -> SocketAddr {
        self.at
    }

    pub(crate) fn get(&mut self, path: &str) -> Answer {
        self.request("GET", path, "")
    }

    pub(crate) fn post(&mut self, body: &str) -> Answer {
        self.request("POST", "/v1/claims/", body)
    }

    pub(crate) fn patch(&mut self, path: &str, body: &str) -> Answer {
        self.request("PATCH", path, body)
    }

    pub(crate) fn set(&mut self, path: &str, status: &str) -> Answer {
        self.patch(path, &format!(r#"{{"status":"{status}"}}"#))
    }

    pub(crate) fn request(&mut self, method: &str, path: &str, body: &str) -> Answer {
        if self.is_repeating && path.starts_with("/v1/") {
            return self.repeat(method, path, body);
        }
        self.send(method, path, body);
        self.hear()
    }

    /// With a key of its own, so that a request that took effect does so once.
    fn repeat(&mut self, method: &str, path: &str, body: &str) -> Answer {
        static KEYS: AtomicU64 = AtomicU64::new(0);
        let key = KEYS.fetch_add(1, Ordering::Relaxed);
        let begun = Instant::now();
        self.headers.push(("idempotency-key".into(), format!("repeated-{key}")));
        let answer = loop {
            self.send(method, path, body);
            let answer = self.hear();
            if answer.status != 503 || begun.elapsed() > PATIENCE {
                break answer;
            }
        };
        self.headers.pop();
        answer
    }

    /// None where the server goes away before it has answered.
    pub(crate) fn try_request(&mut self, method: &str, path: &str, body: &str) -> Option<Answer> {
        self.try_send(method, path, body).ok()?;
        self.try_hear().ok()
    }

    pub(crate) fn send(&mut self, method: &str, path: &str, body: &str) {
        self.try_send(method, path, body).expect("the server reads");
    }

    fn try_send(&mut self, method: &str, path: &str, body: &str) -> io::Result<()> {
        let mut text = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\n", self.at);
        for (name, value) in &self.headers {
            text += &format!("{name}: {value}\r\n");
        }
        text +=
            &format!("content-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
        text += body;
        self.stream.get_mut().write_all(text.as_bytes())
    }

    #[track_caller]
    pub(crate) fn hear(&mut self) -> Answer {
        self.try_hear().expect("a whole answer within the test's patience")
    }

    fn try_hear(&mut self) -> io::Result<Answer> {
        let line = self.line()?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| io::Error::other(format!("no status in {line:?}")))?;
        let mut headers = BTreeMap::new();
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        let mut body = Vec::new();
        if headers.get("transfer-encoding").is_some_and(|coding| coding == "chunked") {
            while self.chunk(&mut body)? {}
        } else {
            let len = headers.get("content-length").map_or(0, |len| len.parse().expect("a number"));
            body.resize(len, 0);
            self.stream.read_exact(&mut body)?;
        }
        let text = String::from_utf8(body).map_err(io::Error::other)?;
        Ok(Answer { status, headers, text })
    }

    /// Reads a chunk; false where it is the last one.
    fn chunk(&mut self, body: &mut Vec<u8>) -> io::Result<bool> {
        let len = usize::from_str_radix(&self.line()?, 16).map_err(io::Error::other)?;
        let begin = body.len();
        body.resize(begin + len, 0);
        self.stream.read_exact(&mut body[begin..])?;
        self.line()?;
        Ok(len > 0)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }

    pub(crate) fn stream(&mut self) -> &mut TcpStream {
        self.stream.get_mut()
    }
}

/// How long a look is waited with after one that was too early: who looks without a pause takes the
/// processors from what is awaited, and from the tests beside it.
const PAUSE: Duration = Duration::from_millis(1);

/// Asks again and again until something is so.
#[track_caller]
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "{what} does not happen");
        std::thread::park_timeout(PAUSE);
    }
}
