//! Whoever asks whether the server is well waits neither for the engine nor for the disk.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use turnstile_claim::server::{Options, Server, Storage, runtime};
use turnstile_host::Trace;
use turnstile_host::store::{Batch, Store, Visitor};

/// Where something stops until the test lets it go on.
struct Stop(Sender<()>, Receiver<()>);

/// The test's end of a [`Stop`]; dropping the latter lets all go on.
type Ends = (Receiver<()>, Sender<()>);

impl Stop {
    fn new() -> (Self, Ends) {
        let ((begun, has_begun), (end, ended)) = (channel(), channel());
        (Self(begun, ended), (has_begun, end))
    }

    fn pass(&self) {
        // After the test has dropped its ends, each passes at once.
        let _ended = self.0.send(()).map(|()| self.1.recv());
    }
}

/// A store whose syncs return when the test allows it.
struct Stalled(Stop);

impl Store for Stalled {
    fn read(&mut self, _each: Visitor<'_>) -> io::Result<()> {
        Ok(())
    }

    fn write(&mut self, _batch: &Batch) {}

    fn sync(&mut self) -> io::Result<()> {
        self.0.pass();
        Ok(())
    }
}

/// A server in threads of its own.
fn start(storage: Storage, options: Options) -> (tokio::runtime::Runtime, SocketAddr) {
    let server = Server::open(storage, options).expect("nothing to read");
    let runtime = runtime().expect("threads");
    let listener = runtime.block_on(async { tokio::net::TcpListener::bind("127.0.0.1:0").await });
    let listener = listener.expect("a port is free");
    let at = listener.local_addr().expect("it listens");
    runtime.spawn(server.serve(listener, std::future::pending()));
    (runtime, at)
}

/// Sends a request for a claim, or one that does not read it.
fn ask(at: SocketAddr, line: &str) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(at)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let head = "host: localhost\r\ncontent-type: application/json\r\ncontent-length: 24\r\n";
    write!(stream, "{line} HTTP/1.1\r\n{head}\r\n{{\"resource\":\"r\",\"ttl\":9}}")?;
    Ok(stream)
}

/// The first line of an answer.
fn hear(mut stream: TcpStream) -> io::Result<String> {
    let mut line = [0; 12];
    stream.read_exact(&mut line)?;
    Ok(String::from_utf8_lossy(&line).into_owned())
}

fn is_well(at: SocketAddr) -> bool {
    let heard = ask(at, "GET /healthz").and_then(hear);
    heard.is_ok_and(|line| line == "HTTP/1.1 200")
}

/// Asks for a claim, and whether the server is well while that is stopped.
#[track_caller]
fn check(at: SocketAddr, (has_begun, end): Ends) {
    let claim = ask(at, "POST /v1/claims/").expect("it listens");
    has_begun.recv().expect("it begins");
    let is_well = (0..20).all(|_| is_well(at));
    drop((has_begun, end));
    assert!(is_well && hear(claim).is_ok_and(|line| line == "HTTP/1.1 201"));
}

/// A step is traced while the engine is locked.
#[test]
fn health_does_not_wait_for_the_engine() {
    let (stop, ends) = Stop::new();
    let (stop, is_open) = (Mutex::new(stop), Arc::new(AtomicBool::new(false)));
    let serves = Arc::clone(&is_open);
    let trace = Trace::new("server", move |_| {
        if serves.load(Ordering::Relaxed) {
            stop.lock().expect("no holder panics").pass();
        }
    });
    let options = Options { trace: Some(trace), ..Options::default() };
    let (runtime, at) = start(Storage::Memory, options);
    is_open.store(true, Ordering::Relaxed);
    check(at, ends);
    runtime.shutdown_background();
}

#[test]
fn health_does_not_wait_for_the_disk() {
    // Which thread waits for sockets, and which for the disk, is left to chance.
    for _ in 0..50 {
        let (stop, ends) = Stop::new();
        let store = Storage::Blocking(Box::new(Stalled(stop)));
        let (runtime, at) = start(store, Options::default());
        check(at, ends);
        runtime.shutdown_background();
    }
}
