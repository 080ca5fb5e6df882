//! A client that locks at fixed times, whether or not earlier requests are answered: a pause of the
//! server shows in the latency of all that fell into it.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::task::{LocalSet, spawn_local};

use crate::client::Client;
use crate::members::secret;
use crate::tally::Tally;

/// The interval of the requests.
const INTERVAL: Duration = Duration::from_millis(20);

/// A server closes a connection that is idle for longer.
const IDLE: Duration = Duration::from_secs(10);

/// A running probe, on a thread of its own.
pub(crate) struct Probe {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Tally>,
}

/// A connection, and the lock that it alone uses.
struct Line {
    client: Client,
    lock: String,
    used: Instant,
}

impl Probe {
    /// Begins with a new connection.
    pub(crate) fn start(at: SocketAddr) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            LocalSet::new().block_on(&runtime.expect("a runtime"), run(at, &ends))
        });
        Self { is_over, thread }
    }

    /// Ends it. Returns the latencies of its requests, sorted.
    pub(crate) fn stop(self) -> Tally {
        self.is_over.store(true, Ordering::Relaxed);
        Tally::sum(&[self.thread.join().expect("a client ends well")])
    }
}

async fn run(at: SocketAddr, is_over: &AtomicBool) -> Tally {
    let (idle, tally) = (Rc::new(RefCell::new(Vec::new())), Rc::new(RefCell::default()));
    let (mut due, mut lines, mut requests) = (Instant::now(), 0, Vec::new());
    while !is_over.load(Ordering::Relaxed) {
        tokio::time::sleep_until(due.into()).await;
        let free = idle.borrow_mut().pop().filter(|line: &Line| line.used.elapsed() < IDLE);
        let line = match free {
            Some(line) => line,
            None => {
                lines += 1;
                let client = Client::connect(at).await.with_token(&secret(1));
                Line { client, lock: format!("probe/{lines}"), used: Instant::now() }
            }
        };
        let request = request(line, due, Rc::clone(&idle), Rc::clone(&tally));
        requests.push(spawn_local(request));
        due += INTERVAL;
    }
    for request in requests {
        request.await.expect("a client ends well");
    }
    tally.take()
}

/// Locks, which is measured, and unlocks.
async fn request(
    mut line: Line,
    due: Instant,
    idle: Rc<RefCell<Vec<Line>>>,
    tally: Rc<RefCell<Tally>>,
) {
    let claim = line.client.post(&line.lock, false).await;
    tally.borrow_mut().note(due.elapsed());
    if claim.status == 201 {
        line.client.patch(claim.id, "released", false).await;
    }
    line.used = Instant::now();
    idle.borrow_mut().push(line);
}
