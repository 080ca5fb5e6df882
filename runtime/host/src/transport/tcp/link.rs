//! What is sent to one peer: its queue, and the connection that is made when something waits.

use std::io;
use std::pin::pin;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::watch;
use tokio::time::{self, Duration, Instant};
use tracing::{debug, info, warn};

use super::backoff::Backoff;
use super::batch::Batch;
use super::frame::{Broken, END, Frames};
use super::hello;
use super::incoming::fill;
use super::network::{Dial, Wire};
use super::node::Node;
use super::options::{Address, PeerId};
use super::queue::Queue;
use super::rejection::Rejection;
use crate::clock::after;
use crate::transport::{Receiver, Refusal, Why};

/// What a node keeps for a peer.
#[derive(Debug)]
pub(super) struct Link<M> {
    pub(super) queue: Queue<M>,
    /// Nothing once the peer is one no longer.
    pub(super) address: watch::Sender<Option<Address>>,
}

/// Sends what waits in a link, as long as there is the link.
pub(super) struct Outgoing<P, M, R, D> {
    pub(super) node: Arc<Node<P>>,
    pub(super) to: P,
    pub(super) link: Arc<Link<M>>,
    pub(super) receiver: R,
    pub(super) dial: Arc<D>,
    pub(super) backoff: Backoff,
    /// Why the peer was not reached the last time, which was warned of.
    pub(super) warned: Option<String>,
}

/// Why a peer was not reached.
enum Unreached {
    Failed(io::Error),
    Refused(Rejection),
}

impl From<io::Error> for Unreached {
    fn from(error: io::Error) -> Self {
        // So rustls tells what is wrong with the other side, or what that says of this one.
        if error.kind() == io::ErrorKind::InvalidData {
            return Self::Refused(Rejection::new(Refusal::Tls, error.to_string()));
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
    /// Ends when the queue is closed and empty, when the peer is one no longer, or at the deadline.
    /// What is left then is handed back.
    pub(super) async fn run(mut self, mut deadline: watch::Receiver<Option<Instant>>) {
        let mut batch = Batch::default();
        let late = async {
            match deadline.wait_for(Option::is_some).await.map(|deadline| *deadline) {
                Ok(Some(deadline)) => time::sleep_until(deadline).await,
                Ok(None) | Err(_) => std::future::pending().await,
            }
        };
        let why = tokio::select! {
            biased;
            why = self.serve(&mut batch) => why,
            () = late => Why::Closed,
        };
        self.account(&mut batch);
        for message in self.link.queue.take_all() {
            self.hand_back(message, why);
        }
    }

    async fn serve(&mut self, batch: &mut Batch<M>) -> Why {
        let link = Arc::clone(&self.link);
        let mut addresses = link.address.subscribe();
        loop {
            let Some(address) = addresses.borrow_and_update().clone() else {
                return Why::UnknownPeer;
            };
            let moved = tokio::select! {
                biased;
                _changed = addresses.changed() => true,
                is_ready = link.queue.ready() => {
                    if !is_ready {
                        return Why::Closed;
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

    /// Waits as long as it must, connects, and sends until the connection ends.
    async fn attempt(&mut self, address: &Address, batch: &mut Batch<M>) {
        if let Some(time) = self.backoff.not_before() {
            self.meanwhile(time::sleep_until(time)).await;
        }
        let limit = self.node.limits.connect;
        let connected = self.meanwhile(time::timeout(limit, self.connect(address))).await;
        let begun = Instant::now();
        let late = || Unreached::Failed(io::Error::new(io::ErrorKind::TimedOut, "no answer"));
        match connected.unwrap_or_else(|_| Err(late())) {
            Ok(frames) => {
                self.node.tally.rest().dialed += 1;
                self.warned = None;
                info!(to = ?self.to, %address, "connected to a peer");
                match self.converse(frames, batch).await {
                    Ok(()) => return debug!(to = ?self.to, "all is sent"),
                    Err(why) => {
                        self.node.tally.rest().lost += 1;
                        warn!(to = ?self.to, %address, %why, "a connection to a peer is lost");
                    }
                }
            }
            Err(Unreached::Failed(error)) => {
                self.node.tally.rest().failed += 1;
                self.warn(address, format!("the peer is not reached: {error}"));
            }
            Err(Unreached::Refused(rejection)) => {
                let why = rejection.why;
                *self.node.tally.rest().dials_refused.entry(why).or_default() += 1;
                self.warn(address, format!("a connection to the peer is refused: {rejection}"));
            }
        }
        self.account(batch);
        self.backoff.failed(begun.elapsed());
    }

    /// Warns of why the peer is not reached, once: the next attempts may find the same.
    fn warn(&mut self, address: &Address, what: String) {
        if self.warned.as_ref() == Some(&what) {
            return debug!(to = ?self.to, %address, "{what}");
        }
        warn!(to = ?self.to, %address, "{what}; it is tried again while messages wait");
        self.warned = Some(what);
    }

    /// Connects, says hello and hears the answer.
    async fn connect(&self, address: &Address) -> Result<Frames<Wire>, Unreached> {
        let stream = self.dial.dial(&address.host, address.port).await?;
        let mut stream = self.node.dialed(stream, address).await?;
        let hello = hello::hello(&self.node.protocol, &self.node.own, &self.to)
            .ok_or_else(|| io::Error::other("the ids are too long for a hello"))?;
        stream.write_all(&hello).await?;
        stream.flush().await?;
        let mut frames = Frames::new(stream, hello::MOST);
        let answer = frames.next().await.map_err(|broken| match broken {
            Broken::Io(error) => error.into(),
            Broken::Ended => Unreached::Failed(io::ErrorKind::UnexpectedEof.into()),
            Broken::Rejected(_) => Unreached::Refused(Refusal::NoHello.into()),
        })?;
        hello::read_answer(answer).map_err(Unreached::Refused)?;
        Ok(frames)
    }

    /// Sends what waits and hears that the peer is there, until all is sent and nothing will wait.
    async fn converse(&self, frames: Frames<Wire>, batch: &mut Batch<M>) -> Result<(), Broken> {
        let (stream, frames) = frames.split();
        let (read, write) = tokio::io::split(stream);
        let mut heard = pin!(hear(frames.join(read), self.node.limits.silence));
        tokio::select! {
            biased;
            broken = &mut heard => return Err(broken),
            told = self.tell(write, batch) => told?,
        }
        // The peer ends its side once it has read all. To end ours before could make the system
        // break the connection, and with it what the peer has not read yet.
        match heard.await {
            Broken::Ended => Ok(()),
            broken @ (Broken::Io(_) | Broken::Rejected(_)) => Err(broken),
        }
    }

    async fn tell(
        &self,
        mut write: impl AsyncWrite + Unpin,
        batch: &mut Batch<M>,
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
            self.node.tally.sent(batch.finish(&self.link.queue));
        }
    }

    /// Ends a batch wherever it is.
    fn account(&self, batch: &mut Batch<M>) {
        self.node.tally.sent(batch.give_back(&self.link.queue));
    }

    /// Waits for something, and meanwhile hands back what waits for too long.
    async fn meanwhile<T>(&self, what: impl Future<Output = T>) -> T {
        let mut what = pin!(what);
        loop {
            let old = async {
                match self.link.queue.oldest() {
                    Some(since) => {
                        let waits = self.node.limits.patience.saturating_sub(since.elapsed());
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
        let Some(time) = Instant::now().checked_sub(self.node.limits.patience) else { return };
        for message in self.link.queue.take_older(time) {
            self.hand_back(message, Why::Unreachable);
        }
    }

    fn hand_back(&self, message: M, why: Why) {
        self.receiver.unsent(self.node.tally.unsent(self.to, (message, why)));
    }
}

/// Hears that a peer is there, until it is not, or says what nobody has asked for.
async fn hear(mut frames: Frames<impl AsyncRead + Unpin>, silence: Duration) -> Broken {
    loop {
        match frames.take() {
            Ok(Some([END, why @ ..])) => {
                return Rejection::read(why).map_or(Broken::Ended, Broken::Rejected);
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
