//! The connections that peers make: their hellos are judged, and what they send is delivered.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadHalf};
use tokio::task::JoinSet;
use tokio::time::{self, Duration};
use tracing::{debug, info, warn};

use super::frame::{BEAT, BEAT_FRAME, Broken, Frames, MESSAGE, end};
use super::hello;
use super::network::{Listen, Stream, Wire};
use super::node::Node;
use super::options::PeerId;
use super::rejection::Rejection;
use super::seats::Seat;
use super::tls::Shown;
use crate::transport::{Receiver, Refusal};

/// How long a node takes nobody in after it could not: it may have no descriptors left.
const PAUSE: Duration = Duration::from_millis(50);

/// Takes in what connects, until the node stops, and then until all connections have ended.
pub(super) async fn listen<P, M, R, L>(node: Arc<Node<P>>, mut listener: L, receiver: R)
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
                    warn!(%error, "a receiver has failed");
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
                warn!(%error, "a connection could not be accepted");
                time::sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

fn refuse<P>(node: &Node<P>, address: SocketAddr, rejection: &Rejection) {
    *node.tally.rest().refused.entry(rejection.why).or_default() += 1;
    tell(node, address, &format!("a connection is refused: {rejection}"));
}

/// Warns of what a connection did, the first time in a while.
fn tell<P>(node: &Node<P>, address: SocketAddr, text: &str) {
    if node.warned.is_time(text) {
        warn!(%address, "{text}");
    } else {
        debug!(%address, "{text}");
    }
}

/// A connection that was accepted.
struct Incoming<P> {
    node: Arc<Node<P>>,
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
        let (from, seat, frames) = match welcomed {
            Ok(Some(welcomed)) => welcomed,
            Ok(None) => return,
            Err(rejection) => return refuse(&self.node, self.address, &rejection),
        };
        self.node.tally.rest().accepted += 1;
        info!(?from, address = %self.address, "a peer has connected");
        let (stream, frames) = frames.split();
        let (read, mut write) = tokio::io::split(stream);
        let mut delivery = Delivery { connection: &self, from, seat };
        let ended = tokio::select! {
            biased;
            ended = delivery.run(frames.join(read), receiver) => ended,
            () = beat(&mut write, self.node.limits.heartbeat) => Ok(()),
        };
        drop(delivery);
        let mut last = Vec::new();
        if let Err(broken) = ended {
            self.tell_of(from, &broken);
            if let Broken::Rejected(rejection) = &broken {
                last = end(rejection);
            }
        }
        // TLS wants to be told that nothing more comes; whoever does not hear it is lost anyway.
        let _ended = time::timeout(self.node.limits.hello, async {
            write.write_all(&last).await?;
            write.shutdown().await
        });
        let _ended = _ended.await;
    }

    fn tell_of(&self, from: P, broken: &Broken) {
        let address = self.address;
        match broken {
            Broken::Ended => debug!(?from, %address, "a peer has ended its connection"),
            Broken::Rejected(rejection) if rejection.why.is_of_seat() => {
                tell(&self.node, address, &format!("a connection of {from:?} ends: {rejection}"));
            }
            Broken::Rejected(rejection) => refuse(&self.node, address, rejection),
            Broken::Io(error) => {
                self.node.tally.rest().lost += 1;
                warn!(?from, %address, %error, "a connection from a peer is lost");
            }
        }
    }

    /// Hears the hello and answers it; nothing if a newer connection came meanwhile.
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
        let Some(seat) = self.node.seats.take(from).await else { return Ok(None) };
        say(frames.stream_mut(), None).await;
        frames.set_most(self.node.limits.frame_bytes);
        Ok(Some((from, seat, frames)))
    }

    async fn judge(
        &self,
        frames: &mut Frames<Wire>,
        shown: Option<&Shown>,
    ) -> Result<P, Rejection> {
        let frame = frames.next().await.map_err(|_| Refusal::NoHello)?;
        self.node.admit(hello::read_hello(frame, &self.node.protocol)?, shown)
    }
}

type Welcomed<P> = (P, Seat, Frames<Wire>);

/// Answers a hello. That the answer does not arrive is seen by what comes next, or does not.
async fn say(stream: &mut Wire, rejection: Option<&Rejection>) {
    let Some(answer) = hello::answer(rejection) else { return };
    if stream.write_all(&answer).await.is_ok() {
        let _flushed = stream.flush().await;
    }
}

/// Says that this node is there, as long as anybody hears it, and goes on doing nothing then: the
/// side that reads notices what has happened, and is not disturbed in what it delivers.
async fn beat(write: &mut (impl AsyncWrite + Unpin), pause: Duration) {
    loop {
        time::sleep(pause).await;
        if write.write_all(&BEAT_FRAME).await.is_err() || write.flush().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Delivers what a welcomed connection brings.
struct Delivery<'a, P> {
    connection: &'a Incoming<P>,
    from: P,
    seat: Seat,
}

impl<P: PeerId> Delivery<'_, P> {
    /// Ends between two messages, when the peer ends, a newer connection waits or the node stops.
    async fn run<M, R>(
        &mut self,
        mut frames: Frames<ReadHalf<Wire>>,
        receiver: R,
    ) -> Result<(), Broken>
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
                    node.tally.received();
                }
                if stopping.has_changed().unwrap_or(true) {
                    return Ok(());
                }
                if self.seat.is_lost() {
                    return Err(self.seat.why().into());
                }
            }
            tokio::select! {
                biased;
                _stopped = stopping.wait_for(|stopping| *stopping) => return Ok(()),
                () = self.seat.lost() => return Err(self.seat.why().into()),
                filled = fill(&mut frames, node.limits.silence) => filled?,
            }
        }
    }
}

/// The message of a frame, if there is one in it.
fn read<M: DeserializeOwned>(frame: &[u8]) -> Result<Option<M>, Broken> {
    match frame.split_first() {
        Some((&MESSAGE, message)) => match postcard::take_from_bytes(message) {
            Ok((message, [])) => Ok(Some(message)),
            Ok(_) | Err(_) => Err(Refusal::Undecodable.into()),
        },
        Some((&BEAT, [])) => Ok(None),
        Some(_) | None => Err(Refusal::Undecodable.into()),
    }
}

/// Waits for more bytes, for so long at most.
pub(super) async fn fill<S: AsyncRead + Unpin>(
    frames: &mut Frames<S>,
    silence: Duration,
) -> Result<(), Broken> {
    match time::timeout(silence, frames.fill()).await {
        Ok(filled) => filled,
        Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "nothing is heard").into()),
    }
}
