//! The state of an application: how it is read, and replaced by that of another member.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;

use crate::wire::Piece;

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
pub(crate) type BoxedReader = Box<dyn AsyncRead + Send + Unpin>;

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

/// Reads the state that another member sends. A read fails when the transfer does.
#[derive(Debug)]
pub struct StateReader {
    pieces: mpsc::Receiver<Piece>,
    bytes: VecDeque<u8>,
    is_over: bool,
}

impl StateReader {
    pub(crate) const fn new(pieces: mpsc::Receiver<Piece>) -> Self {
        Self { pieces, bytes: VecDeque::new(), is_over: false }
    }
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
