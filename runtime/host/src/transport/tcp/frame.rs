//! Frames: four bytes of length (big-endian), and so many bytes, the first of which is the kind.

use std::io;

use bytes::{Buf as _, BytesMut};
use serde::Serialize;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::rejection::Rejection;
use crate::transport::{Refusal, Why};

/// The bytes of a frame's length.
pub(super) const HEAD: usize = 4;

/// The kind of a frame that says that its sender is there.
pub(super) const BEAT: u8 = 0;

/// The kind of a frame that holds a message.
pub(super) const MESSAGE: u8 = 1;

/// The kind of the last frame of a node that ends a connection from a peer: why.
pub(super) const END: u8 = 2;

/// A whole frame that says that its sender is there.
pub(super) const BEAT_FRAME: [u8; HEAD + 1] = [0, 0, 0, 1, BEAT];

/// The bytes that a reader asks for at a time.
const READ: usize = 64 * 1024;

/// A whole frame with a message.
pub(super) fn encode<M: Serialize>(message: &M, most: usize) -> Result<Vec<u8>, Why> {
    let mut frame = Vec::with_capacity(128);
    frame.extend([0; HEAD]);
    frame.push(MESSAGE);
    let mut frame = postcard::to_extend(message, frame).map_err(|_| Why::Unencodable)?;
    let length = frame.len() - HEAD;
    if length > most {
        return Err(Why::TooLong);
    }
    let length = u32::try_from(length).map_err(|_| Why::TooLong)?;
    frame[..HEAD].copy_from_slice(&length.to_be_bytes());
    Ok(frame)
}

/// A whole frame that says why its sender ends the connection.
pub(super) fn end(rejection: &Rejection) -> Vec<u8> {
    let mut frame = vec![0, 0, 0, 0, END];
    rejection.write(&mut frame);
    // A rejection is short.
    let length = (frame.len() - HEAD) as u32;
    frame[..HEAD].copy_from_slice(&length.to_be_bytes());
    frame
}

/// Why there is no next frame.
#[derive(Debug)]
pub(super) enum Broken {
    /// The other side has ended the connection between two frames.
    Ended,
    /// The other side has ended the connection within a frame, or the connection failed.
    Io(io::Error),
    /// This node ends the connection, or the other side does and says why.
    Rejected(Rejection),
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Refusal> for Broken {
    fn from(why: Refusal) -> Self {
        Self::Rejected(why.into())
    }
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ended => f.write_str("the other side has ended the connection"),
            Self::Io(error) => error.fmt(f),
            Self::Rejected(rejection) => rejection.fmt(f),
        }
    }
}

/// Reads frames. What it holds in memory are bytes that have arrived, never room for those that a
/// length promises.
pub(super) struct Frames<S> {
    stream: S,
    rest: Rest,
}

/// Bytes that have arrived and belong to no frame that was taken.
pub(super) struct Rest {
    buffer: BytesMut,
    /// The bytes of the frame that was taken last, which are still at the front.
    taken: usize,
    most: usize,
}

impl Rest {
    /// Reads on, from a part of the same stream.
    pub(super) fn join<S>(self, stream: S) -> Frames<S> {
        Frames { stream, rest: self }
    }
}

impl<S: AsyncRead + Unpin> Frames<S> {
    /// Refuses frames of more than `most` bytes.
    pub(super) fn new(stream: S, most: usize) -> Self {
        Self { stream, rest: Rest { buffer: BytesMut::new(), taken: 0, most } }
    }

    /// Lets frames have other lengths from now on.
    pub(super) fn set_most(&mut self, most: usize) {
        self.rest.most = most;
    }

    /// The stream, and what has arrived and was not taken.
    pub(super) fn split(self) -> (S, Rest) {
        (self.stream, self.rest)
    }

    pub(super) fn stream_mut(&mut self) -> &mut S {
        &mut self.stream
    }

    /// Takes the next frame, if all of it has arrived.
    pub(super) fn take(&mut self) -> Result<Option<&[u8]>, Broken> {
        let Rest { buffer, taken, most } = &mut self.rest;
        buffer.advance(std::mem::take(taken));
        let Some((head, rest)) = buffer.split_first_chunk::<HEAD>() else { return Ok(None) };
        let length = usize::try_from(u32::from_be_bytes(*head)).unwrap_or(usize::MAX);
        if length > *most {
            let about = format!("{length} bytes, and {most} at most");
            return Err(Broken::Rejected(Rejection::new(Refusal::TooLong, about)));
        }
        let frame = rest.get(..length);
        *taken = frame.map_or(0, |frame| HEAD + frame.len());
        Ok(frame)
    }

    /// Waits for more bytes, where [`Frames::take`] found no frame. May be dropped and called
    /// again: it loses none.
    pub(super) async fn fill(&mut self) -> Result<(), Broken> {
        self.rest.buffer.reserve(READ);
        match self.stream.read_buf(&mut self.rest.buffer).await? {
            0 if self.rest.buffer.is_empty() => Err(Broken::Ended),
            0 => Err(Broken::Io(io::ErrorKind::UnexpectedEof.into())),
            _ => Ok(()),
        }
    }

    /// Waits for the next frame.
    pub(super) async fn next(&mut self) -> Result<&[u8], Broken> {
        while self.take()?.is_none() {
            self.fill().await?;
        }
        Ok(&self.rest.buffer[HEAD..self.rest.taken])
    }
}
