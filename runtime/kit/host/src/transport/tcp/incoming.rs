//! Incoming connections: checks their hello messages and delivers their messages.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadHalf};
use tokio::task::JoinSet;
use tokio::time::{self, Duration};
use tracing::{debug, info, warn};

use super::frame::{BEAT, BEAT_FRAME, FrameError, Frames, MESSAGE, end};
use super::hello;
use super::network::{Listen, Stream, Wire};
use super::node::NodeShared;
use super::options::PeerId;
use super::rejection::Rejection;
use super::slots::PeerSlot;
use super::tls::PeerCertificate;
use crate::transport::{Receiver, Refusal};

/// The pause after an error of accept, for example without free descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// Accepts connections until the node stops, then waits until all connections are closed.
pub(super) async fn listen<P, M, R, L>(node: Arc<NodeShared<P>>, mut listener: L, receiver: R)
where
    P: PeerId,
    M: DeserializeOwned + Send + 'static,
    R: Receiver<P, M>,
    L: Listen,
{
    let mut connections = JoinSet::new();
    let mut stopping = node.stopping.subscribe();
    loop {
        let accepted = tokio::select! {
            biased;
            _stopped = stopping.wait_for(|stopping| *stopping) => break,
            Some(ended) = connections.join_next() => {
                if let Err(error) = ended {
                    warn!(%error, "a receiver failed");
                }
                continue;
            }
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((_, address)) if connections.len() >= node.limits.connections => {
                refuse(&node, address, &Refusal::TooMany.into());
            }
            Ok((stream, address)) => {
                let incoming = Incoming { node: Arc::clone(&node), address };
                connections.spawn(incoming.run(stream, receiver.clone()));
            }
            Err(error) => {
                warn!(%error, "cannot accept a connection");
                time::sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

fn refuse<P>(node: &NodeShared<P>, address: SocketAddr, rejection: &Rejection) {
    *node.counters.rest().refused.entry(rejection.why).or_default() += 1;
    tell(node, address, &format!("connection rejected: {rejection}"));
}

/// Warns about a connection, rate-limited by text.
fn tell<P>(node: &NodeShared<P>, address: SocketAddr, text: &str) {
    if node.warned.is_time(text) {
        warn!(%address, "{text}");
    } else {
        debug!(%address, "{text}");
    }
}

/// A connection that was accepted.
struct Incoming<P> {
    node: Arc<NodeShared<P>>,
    address: SocketAddr,
}

impl<P: PeerId> Incoming<P> {
    async fn run<M, R>(self, stream: impl Stream, receiver: R)
    where
        M: DeserializeOwned + Send + 'static,
        R: Receiver<P, M>,
    {
        let mut stopping = self.node.stopping.subscribe();
        let welcomed = tokio::select! {
            biased;
            _stopped = stopping.wait_for(|stopping| *stopping) => return,
            welcomed = self.welcome(stream) => welcomed,
        };
        let (from, slot, frames) = match welcomed {
            Ok(Some(welcomed)) => welcomed,
            Ok(None) => return,
            Err(rejection) => return refuse(&self.node, self.address, &rejection),
        };
        self.node.counters.rest().accepted += 1;
        info!(?from, address = %self.address, "peer connected");
        let (stream, frames) = frames.split();
        let (read, mut write) = tokio::io::split(stream);
        let mut delivery = Delivery { connection: &self, from, slot };
        let ended = tokio::select! {
            biased;
            ended = delivery.run(frames.join(read), receiver) => ended,
            () = beat(&mut write, self.node.limits.heartbeat) => Ok(()),
        };
        drop(delivery);
        self.node.ended(&from);
        let mut last = Vec::new();
        if let Err(broken) = ended {
            self.tell_of(from, &broken);
            if let FrameError::Rejected(rejection) = &broken {
                last = end(rejection);
            }
        }
        // TLS expects a close notification; an error means that the connection is gone.
        let _ended = time::timeout(self.node.limits.hello, async {
            write.write_all(&last).await?;
            write.shutdown().await
        });
        let _ended = _ended.await;
    }

    fn tell_of(&self, from: P, broken: &FrameError) {
        let address = self.address;
        match broken {
            FrameError::Ended => debug!(?from, %address, "peer closed its connection"),
            FrameError::Rejected(rejection) if rejection.why.is_of_slot() => {
                tell(&self.node, address, &format!("connection from {from:?} closed: {rejection}"));
            }
            FrameError::Rejected(rejection) => refuse(&self.node, address, rejection),
            FrameError::Io(error) => {
                self.node.counters.rest().lost += 1;
                warn!(?from, %address, %error, "connection from a peer lost");
            }
        }
    }

    /// Reads and answers the hello message; `None` if a newer connection replaces this one
    /// meanwhile.
    async fn welcome(&self, stream: impl Stream) -> Result<Option<Welcomed<P>>, Rejection> {
        let heard = time::timeout(self.node.limits.hello, async {
            let (stream, shown) = self.node.accepted(stream).await?;
            let mut frames = Frames::new(stream, hello::MOST);
            let judged = self.judge(&mut frames, shown.as_ref()).await;
            if let Err(rejection) = &judged {
                say(frames.stream_mut(), Some(rejection)).await;
            }
            Ok::<_, Rejection>((judged?, frames))
        });
        let (from, mut frames) = heard.await.map_err(|_| Refusal::Late)??;
        let Some(slot) = self.node.slots.take(from).await else { return Ok(None) };
        say(frames.stream_mut(), None).await;
        frames.set_most(self.node.limits.frame_bytes);
        Ok(Some((from, slot, frames)))
    }

    async fn judge(
        &self,
        frames: &mut Frames<Wire>,
        shown: Option<&PeerCertificate>,
    ) -> Result<P, Rejection> {
        let frame = frames.next().await.map_err(|_| Refusal::NoHello)?;
        self.node.admit(hello::read_hello(frame, &self.node.protocol)?, shown)
    }
}

type Welcomed<P> = (P, PeerSlot, Frames<Wire>);

/// Answers a hello message. Errors are ignored: the next read will fail.
async fn say(stream: &mut Wire, rejection: Option<&Rejection>) {
    let Some(answer) = hello::answer(rejection) else { return };
    if stream.write_all(&answer).await.is_ok() {
        let _flushed = stream.flush().await;
    }
}

/// Sends heartbeats until an error, and then stays pending: the reading side detects the failure,
/// and its delivery is not interrupted.
async fn beat(write: &mut (impl AsyncWrite + Unpin), pause: Duration) {
    loop {
        time::sleep(pause).await;
        if write.write_all(&BEAT_FRAME).await.is_err() || write.flush().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Delivers the messages of an accepted connection.
struct Delivery<'a, P> {
    connection: &'a Incoming<P>,
    from: P,
    slot: PeerSlot,
}

impl<P: PeerId> Delivery<'_, P> {
    /// Ends between two messages when the peer closes, a newer connection waits, or the node stops.
    async fn run<M, R>(
        &mut self,
        mut frames: Frames<ReadHalf<Wire>>,
        receiver: R,
    ) -> Result<(), FrameError>
    where
        M: DeserializeOwned + Send + 'static,
        R: Receiver<P, M>,
    {
        let node = &self.connection.node;
        let mut stopping = node.stopping.subscribe();
        if *stopping.borrow() {
            return Ok(());
        }
        loop {
            while let Some(frame) = frames.take()? {
                if let Some(message) = read(frame)? {
                    receiver.deliver(self.from, message).await;
                    node.counters.received();
                }
                if stopping.has_changed().unwrap_or(true) {
                    return Ok(());
                }
                if self.slot.is_lost() {
                    return Err(self.slot.why().into());
                }
            }
            tokio::select! {
                biased;
                _stopped = stopping.wait_for(|stopping| *stopping) => return Ok(()),
                () = self.slot.lost() => return Err(self.slot.why().into()),
                filled = fill(&mut frames, node.limits.silence) => filled?,
            }
        }
    }
}

/// The message in a frame, if it has one.
fn read<M: DeserializeOwned>(frame: &[u8]) -> Result<Option<M>, FrameError> {
    match frame.split_first() {
        Some((&MESSAGE, message)) => match postcard::take_from_bytes(message) {
            Ok((message, [])) => Ok(Some(message)),
            Ok(_) | Err(_) => Err(Refusal::Undecodable.into()),
        },
        Some((&BEAT, [])) => Ok(None),
        Some(_) | None => Err(Refusal::Undecodable.into()),
    }
}

/// Waits for more bytes, at most for the timeout.
pub(super) async fn fill<S: AsyncRead + Unpin>(
    frames: &mut Frames<S>,
    silence: Duration,
) -> Result<(), FrameError> {
    match time::timeout(silence, frames.fill()).await {
        Ok(filled) => filled,
        Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "no data received in time").into()),
    }
}
