//! A listing as a streamed body: the next slice is read only when the connection has room for it,
//! so that a slow client costs at most two slices of memory.
//!
//! A list of one slice is sent as a plain response with a Content-Length.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::Either;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderValue};

use super::connection_state::ConnectionState;
use super::handle::EngineHandle;
use super::http::{Response, respond};
use super::listing::Listing;
use super::reply::Reply;

/// A listing and its last slice, or the error.
type ReadSlice = (Box<Listing>, Result<Vec<u8>, Reply>);
type Reading = Pin<Box<dyn Future<Output = ReadSlice> + Send>>;

/// The body of a list that is longer than a slice.
pub(crate) struct StreamedBody {
    shared: Arc<EngineHandle>,
    /// The connection is idle while its client reads the list.
    state: Arc<ConnectionState>,
    /// The slice that has been read.
    first: Option<Bytes>,
    /// `None` after the last slice or an error.
    rest: Option<Remaining>,
}

enum Remaining {
    Asleep(Box<Listing>),
    Reading(Reading),
}

/// A listing as a response.
pub(super) async fn list(
    shared: &Arc<EngineHandle>,
    listing: Listing,
    state: Arc<ConnectionState>,
) -> Response {
    let (listing, first) = read(shared.clone(), Box::new(listing)).await;
    let first = match first {
        Ok(first) => first,
        Err(reply) => return respond(reply),
    };
    if listing.is_over() {
        return respond(Reply::text(200, first));
    }
    let rest = Some(Remaining::Asleep(listing));
    let streamed = StreamedBody { shared: shared.clone(), state, first: Some(first.into()), rest };
    let mut response = Response::new(Either::Right(streamed));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

/// Reads until there is enough to send, and until its content is durable.
async fn read(shared: Arc<EngineHandle>, mut listing: Box<Listing>) -> ReadSlice {
    loop {
        let pending = shared.read(|engine| engine.list(&mut listing)).await;
        let Some(pending) = pending else { continue };
        let reply = shared.answer(pending).await;
        let read = if reply.status == 200 { Ok(reply.body) } else { Err(reply) };
        return (listing, read);
    }
}

impl HttpBody for StreamedBody {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        let mut reading = match self.rest.take() {
            None => return Poll::Ready(None),
            Some(Remaining::Asleep(listing)) => {
                Box::pin(read(self.shared.clone(), listing)) as Reading
            }
            Some(Remaining::Reading(reading)) => reading,
        };
        let Poll::Ready((listing, read)) = reading.as_mut().poll(context) else {
            self.rest = Some(Remaining::Reading(reading));
            return Poll::Pending;
        };
        // Aborting the body is the only way to report an error after the header was sent.
        let Ok(text) = read else {
            return Poll::Ready(Some(Err(std::io::Error::other("the store failed"))));
        };
        self.state.wait();
        self.rest = (!listing.is_over()).then_some(Remaining::Asleep(listing));
        Poll::Ready(Some(Ok(Frame::data(text.into()))))
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && self.rest.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
