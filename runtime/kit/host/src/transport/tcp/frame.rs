//! Frames: a length of four bytes (big-endian), then that many bytes, the first of which is the
//! kind.

use std::io;

use bytes::{Buf as _, BytesMut};
use serde::Serialize;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::rejection::Rejection;
use crate::transport::{Refusal, UnsentReason};

/// The size of a frame's length field.
pub(super) const HEAD: usize = 4;

/// The kind of a heartbeat.
pub(super) const BEAT: u8 = 0;

/// The kind of a message.
pub(super) const MESSAGE: u8 = 1;

/// The kind of a rejection, the last frame of a receiver that closes a connection.
pub(super) const END: u8 = 2;

/// The frame of a heartbeat.
pub(super) const BEAT_FRAME: [u8; HEAD + 1] = [0, 0, 0, 1, BEAT];

/// The size of a read in bytes.
const READ: usize = 64 * 1024;

/// Encodes a message as a frame.
pub(super) fn encode<M: Serialize>(message: &M, most: usize) -> Result<Vec<u8>, UnsentReason> {
    let mut frame = Vec::with_capacity(128);
    frame.extend([0; HEAD]);
    frame.push(MESSAGE);
    let mut frame = postcard::to_extend(message, frame).map_err(|_| UnsentReason::Unencodable)?;
    let length = frame.len() - HEAD;
    if length > most {
        return Err(UnsentReason::TooLong);
    }
    let length = u32::try_from(length).map_err(|_| UnsentReason::TooLong)?;
    frame[..HEAD].copy_from_slice(&length.to_be_bytes());
    Ok(frame)
}

/// Encodes a rejection as a frame.
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
pub(super) enum FrameError {
    /// The peer closed the connection between two frames.
    Ended,
    /// The peer closed the connection within a frame, or the connection failed.
    Io(io::Error),
    /// One of the two sides rejects the connection, for this reason.
    Rejected(Rejection),
}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Refusal> for FrameError {
    fn from(why: Refusal) -> Self {
        Self::Rejected(why.into())
    }
}

impl std::fmt::Display for FrameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ended => f.write_str("the peer closed the connection"),
            Self::Io(error) => error.fmt(f),
            Self::Rejected(rejection) => rejection.fmt(f),
        }
    }
}

/// Reads frames. Its memory is bounded by the bytes that have arrived, not by the length field.
pub(super) struct Frames<S> {
    stream: S,
    rest: Unread,
}

/// Received bytes that are not part of a taken frame.
pub(super) struct Unread {
    buffer: BytesMut,
    /// The length of the last taken frame, which is still at the front.
    taken: usize,
    most: usize,
}

impl Unread {
    /// Continues with bytes read by another reader of the same stream.
    pub(super) fn join<S>(self, stream: S) -> Frames<S> {
        Frames { stream, rest: self }
    }
}

impl<S: AsyncRead + Unpin> Frames<S> {
    /// Rejects frames of more than `most` bytes.
    pub(super) fn new(stream: S, most: usize) -> Self {
        Self { stream, rest: Unread { buffer: BytesMut::new(), taken: 0, most } }
    }

    /// Changes the maximum length of frames.
    pub(super) fn set_most(&mut self, most: usize) {
        self.rest.most = most;
    }

    /// The stream and the received bytes that were not taken.
    pub(super) fn split(self) -> (S, Unread) {
        (self.stream, self.rest)
    }

    pub(super) fn stream_mut(&mut self) -> &mut S {
        &mut self.stream
    }

    /// Takes the next frame, if it has arrived completely.
    pub(super) fn take(&mut self) -> Result<Option<&[u8]>, FrameError> {
        let Unread { buffer, taken, most } = &mut self.rest;
        buffer.advance(std::mem::take(taken));
        let Some((head, rest)) = buffer.split_first_chunk::<HEAD>() else { return Ok(None) };
        let length = usize::try_from(u32::from_be_bytes(*head)).unwrap_or(usize::MAX);
        if length > *most {
            let about = format!("{length} bytes; the maximum is {most}");
            return Err(FrameError::Rejected(Rejection::new(Refusal::TooLong, about)));
        }
        let frame = rest.get(..length);
        *taken = frame.map_or(0, |frame| HEAD + frame.len());
        Ok(frame)
    }

    /// Waits for more bytes after [`Frames::take`] has returned none. Cancel safe.
    pub(super) async fn fill(&mut self) -> Result<(), FrameError> {
        self.rest.buffer.reserve(READ);
        match self.stream.read_buf(&mut self.rest.buffer).await? {
            0 if self.rest.buffer.is_empty() => Err(FrameError::Ended),
            0 => Err(FrameError::Io(io::ErrorKind::UnexpectedEof.into())),
            _ => Ok(()),
        }
    }

    /// Waits for the next frame.
    pub(super) async fn next(&mut self) -> Result<&[u8], FrameError> {
        while self.take()?.is_none() {
            self.fill().await?;
        }
        Ok(&self.rest.buffer[HEAD..self.rest.taken])
    }
}
