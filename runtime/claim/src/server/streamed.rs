//! A listing as a body that is read as it is taken: the next slice only once the connection has
//! room for it. A list that nobody takes is a slice or two of memory, however long it is.
//!
//! A list of one slice is an answer like any other, with its length before it.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::Either;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderValue};

use super::handle::EngineHandle;
use super::http::{Response, respond};
use super::listing::Listing;
use super::reply::Reply;
use super::seat::Seat;

/// A listing, and the slice that was read of it last; or why there is none.
type Read = (Box<Listing>, Result<Vec<u8>, Reply>);
type Reading = Pin<Box<dyn Future<Output = Read> + Send>>;

/// The body of a list that is longer than a slice.
pub(crate) struct Streamed {
    shared: Arc<EngineHandle>,
    /// A client that takes the list is not one that we wait for.
    seat: Arc<Seat>,
    /// The slice that is read already.
    first: Option<Bytes>,
    /// None once all is read, or nothing can be.
    rest: Option<Rest>,
}

enum Rest {
    Asleep(Box<Listing>),
    Reading(Reading),
}

/// A listing as a response.
pub(super) async fn list(
    shared: &Arc<EngineHandle>,
    listing: Listing,
    seat: Arc<Seat>,
) -> Response {
    let (listing, first) = read(shared.clone(), Box::new(listing)).await;
    let first = match first {
        Ok(first) => first,
        Err(reply) => return respond(reply),
    };
    if listing.is_over() {
        return respond(Reply::text(200, first));
    }
    let rest = Some(Rest::Asleep(listing));
    let streamed = Streamed { shared: shared.clone(), seat, first: Some(first.into()), rest };
    let mut response = Response::new(Either::Right(streamed));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

/// Reads on until there is something to send, and until what it says is on disk.
async fn read(shared: Arc<EngineHandle>, mut listing: Box<Listing>) -> Read {
    loop {
        let turn = shared.read(|engine| engine.list(&mut listing)).await;
        let Some(turn) = turn else { continue };
        let reply = shared.answer(turn).await;
        let read = if reply.status == 200 { Ok(reply.body) } else { Err(reply) };
        return (listing, read);
    }
}

impl HttpBody for Streamed {
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
            Some(Rest::Asleep(listing)) => Box::pin(read(self.shared.clone(), listing)) as Reading,
            Some(Rest::Reading(reading)) => reading,
        };
        let Poll::Ready((listing, read)) = reading.as_mut().poll(context) else {
            self.rest = Some(Rest::Reading(reading));
            return Poll::Pending;
        };
        // An array that breaks off is the only way left to say that something is wrong.
        let Ok(text) = read else {
            return Poll::Ready(Some(Err(std::io::Error::other("the store is in trouble"))));
        };
        self.seat.wait();
        self.rest = (!listing.is_over()).then_some(Rest::Asleep(listing));
        Poll::Ready(Some(Ok(Frame::data(text.into()))))
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && self.rest.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
