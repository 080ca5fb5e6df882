//! Outgoing messages of one peer: the queue, and the connection that is opened when it is not
//! empty.

use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::watch;
use tokio::time::{self, Duration, Instant};
use tracing::{debug, info, warn};

use super::address::Address;
use super::backoff::Backoff;
use super::batch::WriteBatch;
use super::frame::{END, FrameError, Frames};
use super::hello;
use super::incoming::fill;
use super::network::{Dial, Wire};
use super::node::NodeShared;
use super::options::PeerId;
use super::queue::Queue;
use super::rejection::Rejection;
use super::tls::explained;
use super::trouble::Trouble;
use crate::clock::after;
use crate::transport::{Receiver, Refusal, UnsentReason};

/// The state of a peer.
#[derive(Debug)]
pub(super) struct Connection<M> {
    pub(super) queue: Queue<M>,
    /// `None` once the peer has been removed.
    pub(super) address: watch::Sender<Option<Address>>,
    trouble: Mutex<Option<Trouble>>,
}

impl<M> Connection<M> {
    pub(super) fn new(queue: Queue<M>, address: Address) -> Self {
        Self { queue, address: watch::Sender::new(Some(address)), trouble: Mutex::default() }
    }

    pub(super) fn set_address(&self, address: Address) {
        let is_new = self
            .address
            .send_if_modified(|before| before.replace(address.clone()) != Some(address));
        if is_new {
            self.set_trouble(None);
        }
    }

    /// Why it is not connected.
    pub(super) fn trouble(&self) -> Option<Trouble> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_trouble(&self, trouble: Option<Trouble>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }
}

/// The task that sends the messages of a link, as long as the link exists.
pub(super) struct Outgoing<P, M, R, D> {
    pub(super) node: Arc<NodeShared<P>>,
    pub(super) to: P,
    pub(super) link: Arc<Connection<M>>,
    pub(super) receiver: R,
    pub(super) dial: Arc<D>,
    pub(super) backoff: Backoff,
    /// The last warning about the peer, to avoid repeating it.
    pub(super) warned: Option<String>,
}

/// Why the connection failed.
enum DialError {
    Failed(io::Error),
    Refused(Rejection),
}

impl From<io::Error> for DialError {
    fn from(error: io::Error) -> Self {
        // rustls reports problems with the peer, and alerts from the peer, as this kind.
        if error.kind() == io::ErrorKind::InvalidData {
            return Self::Refused(Rejection::new(Refusal::Tls, explained(&error)));
        }
        Self::Failed(error)
    }
}

impl<P, M, R, D> Outgoing<P, M, R, D>
where
    P: PeerId,
    M: Send + 'static,
    R: Receiver<P, M>,
    D: Dial,
{
    /// Ends when the queue is closed and empty, when the peer is removed, or at the deadline. The
    /// rest is handed back.
    pub(super) async fn run(mut self, mut deadline: watch::Receiver<Option<Instant>>) {
        let mut batch = WriteBatch::default();
        let late = async {
            match deadline.wait_for(Option::is_some).await.map(|deadline| *deadline) {
                Ok(Some(deadline)) => time::sleep_until(deadline).await,
                Ok(None) | Err(_) => std::future::pending().await,
            }
        };
        let why = tokio::select! {
            biased;
            why = self.serve(&mut batch) => why,
            () = late => UnsentReason::Closed,
        };
        self.account(&mut batch);
        for message in self.link.queue.take_all() {
            self.hand_back(message, why);
        }
    }

    async fn serve(&mut self, batch: &mut WriteBatch<M>) -> UnsentReason {
        let link = Arc::clone(&self.link);
        let mut addresses = link.address.subscribe();
        loop {
            let Some(address) = addresses.borrow_and_update().clone() else {
                return UnsentReason::UnknownPeer;
            };
            let moved = tokio::select! {
                biased;
                _changed = addresses.changed() => true,
                is_ready = link.queue.ready() => {
                    if !is_ready {
                        return UnsentReason::Closed;
                    }
                    tokio::select! {
                        biased;
                        _changed = addresses.changed() => true,
                        () = self.attempt(&address, batch) => false,
                    }
                }
            };
            self.account(batch);
            if moved {
                self.backoff.forget();
            }
        }
    }

    /// Waits for the backoff, connects, and sends until the connection ends.
    async fn attempt(&mut self, address: &Address, batch: &mut WriteBatch<M>) {
        if let Some(time) = self.backoff.not_before() {
            self.meanwhile(time::sleep_until(time)).await;
        }
        let limit = self.node.limits.connect;
        let connected = self.meanwhile(time::timeout(limit, self.connect(address))).await;
        let begun = Instant::now();
        let late =
            || DialError::Failed(io::Error::new(io::ErrorKind::TimedOut, "no response in time"));
        match connected.unwrap_or_else(|_| Err(late())) {
            Ok(frames) => {
                self.node.counters.rest().dialed += 1;
                self.warned = None;
                self.link.set_trouble(None);
                info!(to = ?self.to, %address, "connected to peer");
                match self.converse(frames, batch).await {
                    Ok(()) => return debug!(to = ?self.to, "all messages sent"),
                    Err(why) => {
                        self.lost(&why);
                        warn!(to = ?self.to, %address, %why, "connection to a peer lost");
                    }
                }
            }
            Err(DialError::Failed(error)) => {
                self.link.set_trouble(Some((&error).into()));
                self.node.counters.rest().failed += 1;
                self.warn(address, format!("cannot reach the peer: {error}"));
            }
            Err(DialError::Refused(rejection)) => {
                let why = rejection.why;
                self.link.set_trouble(Some(Trouble::rejected(&rejection)));
                *self.node.counters.rest().dials_refused.entry(why).or_default() += 1;
                self.warn(address, format!("the peer rejected the connection: {rejection}"));
            }
        }
        self.account(batch);
        self.backoff.failed(begun.elapsed());
    }

    /// Notes that a connection has ended.
    fn lost(&self, why: &FrameError) {
        let mut counts = self.node.counters.rest();
        counts.lost += 1;
        if let FrameError::Rejected(rejection) = why {
            counts.replaced += u64::from(rejection.why == Refusal::Replaced);
            self.link.set_trouble(Some(Trouble::rejected(rejection)));
        }
    }

    /// Warns that the peer is unreachable, once for the same reason.
    fn warn(&mut self, address: &Address, what: String) {
        if self.warned.as_ref() == Some(&what) {
            return debug!(to = ?self.to, %address, "{what}");
        }
        warn!(to = ?self.to, %address, "{what}; retrying while messages are queued");
        self.warned = Some(what);
    }

    /// Connects, sends the hello message and reads the answer.
    async fn connect(&self, address: &Address) -> Result<Frames<Wire>, DialError> {
        let stream = self.dial.dial(&address.host, address.port).await?;
        let mut stream = self.node.dialed(stream, address).await?;
        let hello = hello::hello(&self.node.protocol, &self.node.own, &self.to)
            .ok_or_else(|| io::Error::other("the node ids are too long for a hello message"))?;
        stream.write_all(&hello).await?;
        stream.flush().await?;
        let mut frames = Frames::new(stream, hello::MOST);
        let answer = frames.next().await.map_err(|broken| match broken {
            FrameError::Io(error) => error.into(),
            FrameError::Ended => DialError::Failed(io::ErrorKind::UnexpectedEof.into()),
            FrameError::Rejected(_) => DialError::Refused(Refusal::NoHello.into()),
        })?;
        hello::read_answer(answer).map_err(DialError::Refused)?;
        Ok(frames)
    }

    /// Sends the queued messages and reads heartbeats, until the queue is closed and empty.
    async fn converse(
        &self,
        frames: Frames<Wire>,
        batch: &mut WriteBatch<M>,
    ) -> Result<(), FrameError> {
        let (stream, frames) = frames.split();
        let (read, write) = tokio::io::split(stream);
        let mut heard = pin!(hear(frames.join(read), self.node.limits.silence));
        tokio::select! {
            biased;
            broken = &mut heard => return Err(broken),
            told = self.tell(write, batch) => told?,
        }
        // The peer closes its side after it has read everything. If this side closed first, the
        // system might reset the connection and drop what the peer has not read yet.
        match heard.await {
            FrameError::Ended => Ok(()),
            broken @ (FrameError::Io(_) | FrameError::Rejected(_)) => Err(broken),
        }
    }

    async fn tell(
        &self,
        mut write: impl AsyncWrite + Unpin,
        batch: &mut WriteBatch<M>,
    ) -> io::Result<()> {
        let limits = &self.node.limits;
        loop {
            if !batch.take(&self.link.queue) {
                match time::timeout(limits.heartbeat, self.link.queue.ready()).await {
                    Ok(true) => continue,
                    Ok(false) => return write.shutdown().await,
                    Err(_) => batch.beat(),
                }
            }
            batch.write(&mut write, limits.write).await?;
            self.node.counters.sent(batch.finish(&self.link.queue));
        }
    }

    /// Ends a batch at any point.
    fn account(&self, batch: &mut WriteBatch<M>) {
        self.node.counters.sent(batch.give_back(&self.link.queue));
    }

    /// Waits for a future, and meanwhile hands back messages that have waited too long.
    async fn meanwhile<T>(&self, what: impl Future<Output = T>) -> T {
        let mut what = pin!(what);
        loop {
            let old = async {
                match self.link.queue.oldest() {
                    Some(since) => {
                        let waits = self.node.limits.timeout.saturating_sub(since.elapsed());
                        time::sleep_until(after(waits)).await;
                    }
                    None => self.link.queue.changed().await,
                }
            };
            tokio::select! {
                biased;
                done = &mut what => return done,
                () = old => self.hand_back_old(),
            }
        }
    }

    fn hand_back_old(&self) {
        let Some(time) = Instant::now().checked_sub(self.node.limits.timeout) else { return };
        for message in self.link.queue.take_older(time) {
            self.hand_back(message, UnsentReason::Unreachable);
        }
    }

    fn hand_back(&self, message: M, why: UnsentReason) {
        self.receiver.unsent(self.node.counters.unsent(self.to, (message, why)));
    }
}

/// Reads heartbeats until the peer fails or sends anything else.
async fn hear(mut frames: Frames<impl AsyncRead + Unpin>, silence: Duration) -> FrameError {
    loop {
        match frames.take() {
            Ok(Some([END, why @ ..])) => {
                return Rejection::read(why).map_or(FrameError::Ended, FrameError::Rejected);
            }
            Ok(Some(_)) => {}
            Ok(None) => {
                if let Err(broken) = fill(&mut frames, silence).await {
                    return broken;
                }
            }
            Err(broken) => return broken,
        }
    }
}
