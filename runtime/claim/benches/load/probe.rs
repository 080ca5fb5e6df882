//! A client that locks and unlocks at fixed times, whether or not earlier requests are answered: a
//! pause of the server shows in the latency of all that fell into it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::members::secret;
use crate::tally::Tally;

/// The interval of the requests.
const INTERVAL: Duration = Duration::from_millis(5);

/// A running probe, on a thread of its own.
pub(crate) struct Probe {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Tally>,
}

impl Probe {
    /// Begins with a new connection.
    pub(crate) fn start(at: SocketAddr) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(run(at, &ends))
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
    let mut client = Client::connect(at).await.with_token(&secret(1));
    let mut tally = Tally::default();
    let mut due = Instant::now();
    let mut held = None;
    while !is_over.load(Ordering::Relaxed) {
        tokio::time::sleep_until(due.into()).await;
        held = match held {
            None => Some(client.post("probe/lock", false).await).filter(|got| got.status == 201),
            Some(claim) => {
                let released = client.patch(claim.id, "released", false).await;
                (released.status != 204).then_some(claim)
            }
        };
        tally.note(due.elapsed());
        due += INTERVAL;
    }
    tally
}
