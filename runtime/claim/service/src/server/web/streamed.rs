//! A listing as a streamed body: the next slice is read only when the connection has room for it,
//! so that a slow client costs at most two slices of memory.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use crate::server::connections::connection_state::ConnectionState;
use crate::server::state::handle::EngineHandle;
use crate::server::state::reply::Reply;
use crate::server::web::listing::Listing;

/// A listing and its last slice, or the error.
pub(crate) type ReadSlice = (Box<Listing>, Result<Vec<u8>, Reply>);
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

/// Reads until there is enough to send, and until its content is durable.
pub(crate) async fn read(shared: Arc<EngineHandle>, mut listing: Box<Listing>) -> ReadSlice {
    loop {
        let pending = shared.read(|engine| engine.list(&mut listing)).await;
        let Some(pending) = pending else { continue };
        let reply = shared.answer(pending).await;
        let read = if reply.status == 200 { Ok(reply.body) } else { Err(reply) };
        return (listing, read);
    }
}

impl StreamedBody {
    /// The body of a listing whose first slice is read.
    pub(crate) fn after(
        first: Vec<u8>,
        listing: Box<Listing>,
        shared: &Arc<EngineHandle>,
        state: Arc<ConnectionState>,
    ) -> Self {
        let rest = Some(Remaining::Asleep(listing));
        Self { shared: shared.clone(), state, first: Some(first.into()), rest }
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
