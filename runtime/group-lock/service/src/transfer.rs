//! The transfer of an application's state to a member that joins, in pieces for which it asks.
//!
//! The core's message says that the state is there; the bytes follow on their own, beside the
//! channel of the members, so that they hold up no other message.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};
use tokio::sync::mpsc;
use tokio::time::timeout;
use turnstile_view_handler_core::MemberId;

use crate::hub::Hub;
use crate::wire::{Located, Packet};

/// The maximum size of a piece.
pub(crate) const PIECE_BYTES: usize = 64 << 10;
/// A piece without an answer is asked for again after this time, so often.
const ASKED: (Duration, u32) = (Duration::from_secs(1), 5);
/// A member that asks for no piece for so long gets none any more.
const OFFERED: Duration = Duration::from_secs(30);

/// The state of an application that all members of a group share. A member that joins gets it from
/// the coordinator, once it is in the view; again when it has been excluded and joins again.
///
/// When two groups merge nothing is transferred: their states may differ.
pub trait ApplicationState: Send + Sync + 'static {
    /// The present state, to be read to its end; any number of bytes.
    ///
    /// # Errors
    /// Then the other member leaves the group, and joins again.
    fn read(
        &self,
    ) -> impl Future<Output = io::Result<impl AsyncRead + Send + Unpin + 'static>> + Send;

    /// Replaces the state of this member by what it reads. A reader that fails has not given all of
    /// it: the member leaves the group then, and joins again.
    ///
    /// # Errors
    /// Then the member leaves the group as well, and joins again.
    fn replace(&self, state: StateReader) -> impl Future<Output = io::Result<()>> + Send;
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;
type BoxedReader = Box<dyn AsyncRead + Send + Unpin>;

/// An [`ApplicationState`] of any type.
pub(crate) trait AnyState: Send + Sync {
    fn read_any(&self) -> Boxed<'_, BoxedReader>;
    fn replace_any(&self, state: StateReader) -> Boxed<'_, ()>;
}

impl<A: ApplicationState> AnyState for A {
    fn read_any(&self) -> Boxed<'_, BoxedReader> {
        Box::pin(async { Ok(Box::new(self.read().await?) as BoxedReader) })
    }

    fn replace_any(&self, state: StateReader) -> Boxed<'_, ()> {
        Box::pin(self.replace(state))
    }
}

/// A part of a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Piece {
    Bytes(Vec<u8>),
    /// The state has no more bytes.
    End,
    /// It cannot be read.
    Failed,
    /// The member that is asked has none.
    NoState,
}

/// The pieces for which a member has asked, and the address to which they go.
pub(crate) type Pulls = mpsc::Receiver<(u64, SocketAddr)>;

/// Sends the state to a member, as it asks for it.
pub(crate) async fn offer(
    hub: Weak<Hub>,
    state: Option<Arc<dyn AnyState>>,
    (from, to): (MemberId, MemberId),
    mut pulls: Pulls,
) {
    let mut source = match &state {
        Some(state) => state.read_any().await.map_err(|error| unread(&error)),
        None => Err(Piece::NoState),
    };
    // The place of the last piece, which may be lost, and be asked for again.
    let mut last: Option<(u64, Piece)> = None;
    while let Ok(Some((place, at))) = timeout(OFFERED, pulls.recv()).await {
        let next = last.as_ref().map_or(0, |(place, _)| place + 1);
        if place == next {
            last = Some((place, next_piece(&mut source).await));
        }
        let Some((_, piece)) = last.as_ref().filter(|(last, _)| *last == place) else { continue };
        let Some(hub) = hub.upgrade() else { return };
        let piece = piece.clone();
        hub.transmit(vec![(at, Packet::Piece { from, to, place, piece })]);
    }
}

/// The next part of a state, or why there is none.
async fn next_piece(source: &mut Result<BoxedReader, Piece>) -> Piece {
    let reader = match source {
        Ok(reader) => reader,
        Err(piece) => return piece.clone(),
    };
    let mut bytes = Vec::with_capacity(PIECE_BYTES);
    match reader.take(PIECE_BYTES as u64).read_to_end(&mut bytes).await {
        Ok(0) => Piece::End,
        Ok(_) => Piece::Bytes(bytes),
        Err(error) => unread(&error),
    }
}

fn unread(error: &io::Error) -> Piece {
    tracing::error!(%error, "the state for a member that joins cannot be read");
    Piece::Failed
}

/// Replaces the application's state by that of another member.
///
/// # Errors
/// When the other member cannot be reached, or has failed; and the errors of the application.
pub(crate) async fn receive(
    hub: &Hub,
    state: &dyn AnyState,
    from: Located,
    mut pieces: mpsc::Receiver<(u64, Piece)>,
) -> io::Result<()> {
    let (feed, reader) = mpsc::channel(1);
    let mut piece = pull(hub, from, 0, &mut pieces).await?;
    if piece == Piece::NoState {
        tracing::warn!("the coordinator has no state to give: this member keeps its own");
        return Ok(());
    }
    let pulling = async move {
        for place in 1.. {
            let is_end = piece == Piece::End;
            // An error means that the application reads no more.
            if feed.send(piece).await.is_err() || is_end {
                break;
            }
            piece = pull(hub, from, place, &mut pieces).await?;
        }
        Ok(())
    };
    let reader = StateReader { pieces: reader, bytes: VecDeque::new(), is_over: false };
    let (pulled, replaced) = tokio::join!(pulling, state.replace_any(reader));
    pulled.and(replaced)
}

/// Asks for a piece until it is there.
async fn pull(
    hub: &Hub,
    (from, at): Located,
    place: u64,
    pieces: &mut mpsc::Receiver<(u64, Piece)>,
) -> io::Result<Piece> {
    for _ in 0..ASKED.1 {
        hub.pull((from, at), place);
        let next = async {
            loop {
                match pieces.recv().await {
                    // Earlier ones were asked for twice.
                    Some((other, _)) if other != place => {}
                    answer => return answer,
                }
            }
        };
        match timeout(ASKED.0, next).await {
            Ok(Some((_, Piece::Failed))) => {
                return Err(io::Error::other("it cannot be read there"));
            }
            Ok(Some((_, piece))) => return Ok(piece),
            Ok(None) => break,
            Err(_) => {}
        }
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, "the member that sends it does not answer"))
}

/// Reads the state that another member sends. A read fails when the transfer does.
#[derive(Debug)]
pub struct StateReader {
    pieces: mpsc::Receiver<Piece>,
    bytes: VecDeque<u8>,
    is_over: bool,
}

impl AsyncRead for StateReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.bytes.is_empty() && !self.is_over {
            match ready!(self.pieces.poll_recv(context)) {
                Some(Piece::Bytes(bytes)) => self.bytes = bytes.into(),
                Some(Piece::End) => self.is_over = true,
                Some(Piece::Failed | Piece::NoState) | None => {
                    let text = "the transfer of the state has failed";
                    return Poll::Ready(Err(io::Error::new(io::ErrorKind::UnexpectedEof, text)));
                }
            }
        }
        let (first, _) = self.bytes.as_slices();
        let count = first.len().min(into.remaining());
        into.put_slice(&first[..count]);
        self.bytes.drain(..count);
        Poll::Ready(Ok(()))
    }
}
