//! The transfer of an application's state to a member that joins, in pieces for which it asks.
//!
//! The core's message says that the state is there; the bytes follow on their own, beside the
//! channel of the members, so that they hold up no other message.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc;
use tokio::time::timeout;
use turnstile_view_handler_core::MemberId;

use crate::hub::Hub;
use crate::state::{AnyState, BoxedReader, StateReader};
use crate::wire::{Located, Packet, Piece};

/// The maximum size of a piece.
pub(crate) const PIECE_BYTES: usize = 64 << 10;
/// A piece without an answer is asked for again after this time, so often.
const ASKED: (Duration, u32) = (Duration::from_secs(1), 5);
/// A member that asks for no piece for so long gets none any more.
const OFFERED: Duration = Duration::from_secs(30);

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
    let reader = StateReader::new(reader);
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
