//! A member that joins gets the application's state from the coordinator.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use turnstile_group_lock::{ApplicationState, Member, StateReader};

/// The timeout of all waits of a test: reaching it is a failure.
const PATIENCE: Duration = Duration::from_secs(60);

/// Bytes that all members share.
#[derive(Clone)]
struct Shared {
    bytes: Arc<Mutex<Vec<u8>>>,
    replaced: Arc<watch::Sender<usize>>,
    /// How often it fails to be read before it can be.
    failures: Arc<AtomicU32>,
}

impl Shared {
    fn new(bytes: Vec<u8>, failures: u32) -> Self {
        let (bytes, failures) = (Arc::new(Mutex::new(bytes)), Arc::new(AtomicU32::new(failures)));
        Self { bytes, replaced: Arc::new(watch::Sender::new(0)), failures }
    }

    fn bytes(&self) -> Vec<u8> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until it has been replaced.
    async fn replaced(&self) -> Vec<u8> {
        let mut replaced = self.replaced.subscribe();
        let reached = timeout(PATIENCE, replaced.wait_for(|count| *count > 0)).await;
        reached.expect("the state arrives").expect("the sender is kept");
        self.bytes()
    }
}

/// Reads some bytes, and fails then.
struct Failing(io::Cursor<Vec<u8>>);

impl AsyncRead for Failing {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.0.position() == self.0.get_ref().len() as u64 {
            return Poll::Ready(Err(io::Error::other("the disk has failed")));
        }
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl ApplicationState for Shared {
    async fn read(&self) -> io::Result<impl AsyncRead + Send + Unpin + 'static> {
        let mut bytes = self.bytes();
        let count = |left: u32| left.checked_sub(1);
        let fails = self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, count).is_ok();
        let reader: Box<dyn AsyncRead + Send + Unpin> = if fails {
            bytes.truncate(bytes.len() / 2);
            Box::new(Failing(io::Cursor::new(bytes)))
        } else {
            Box::new(io::Cursor::new(bytes))
        };
        Ok(reader)
    }

    async fn replace(&self, mut state: StateReader) -> io::Result<()> {
        let mut bytes = Vec::new();
        state.read_to_end(&mut bytes).await?;
        *self.bytes.lock().unwrap_or_else(PoisonError::into_inner) = bytes;
        self.replaced.send_modify(|count| *count += 1);
        Ok(())
    }
}

async fn start(state: &Shared, seeds: &[&Member]) -> Member {
    let mut builder = Member::builder("test").period(Duration::from_millis(200));
    for seed in seeds {
        builder = builder.seed(seed.address());
    }
    builder.state(state.clone()).start().await.expect("a port is free")
}

/// So many bytes, no two pieces of which are the same.
fn bytes(count: usize) -> Vec<u8> {
    let numbers = (0..count.div_ceil(8) as u64).flat_map(|number| (number * 0x9e37).to_le_bytes());
    numbers.take(count).collect()
}

async fn two_members_get_a_state(count: usize) {
    let all = [bytes(count), vec![1], vec![2]].map(|bytes| Shared::new(bytes, 0));
    let first = start(&all[0], &[]).await;
    let second = start(&all[1], &[&first]).await;
    assert!(all[1].replaced().await == bytes(count), "{count}");
    let third = start(&all[2], &[&second]).await;
    assert!(all[2].replaced().await == bytes(count), "{count}");
    assert_eq!(*all[0].replaced.borrow(), 0, "the one that began it keeps its state");
    for member in [&first, &second, &third] {
        member.leave().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn members_that_join_get_the_state_whatever_its_size() {
    let counts = [0, 1, 64 << 10, (64 << 10) + 1, 5_000_000];
    let groups: JoinSet<()> = counts.into_iter().map(two_members_get_a_state).collect();
    groups.join_all().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_does_not_get_the_state_joins_again_and_takes_no_half() {
    let (whole, other) = (Shared::new(bytes(300_000), 1), Shared::new(vec![1], 0));
    let first = start(&whole, &[]).await;
    let second = start(&other, &[&first]).await;
    assert!(other.replaced().await == bytes(300_000));
    assert_eq!(*other.replaced.borrow(), 1);
    assert_eq!(whole.failures.load(Ordering::SeqCst), 0, "it has failed once");
    // It is a member, and can have locks.
    let guard = timeout(PATIENCE, second.lock("one")).await.expect("it is granted");
    assert!(guard.is_held());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_whose_coordinator_has_no_state_to_give_is_a_member_all_the_same() {
    let first = Member::builder("test").period(Duration::from_millis(200)).start().await;
    let first = first.expect("a port is free");
    let other = Shared::new(vec![7], 0);
    let second = start(&other, &[&first]).await;
    let guard = timeout(PATIENCE, second.lock("one")).await.expect("it is granted");
    assert!(guard.is_held());
    assert_eq!(other.bytes(), [7]);
}
