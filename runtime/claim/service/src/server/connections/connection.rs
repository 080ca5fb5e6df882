//! One connection: optional TLS, then HTTP until the client closes it or the server stops.
//!
//! It does not interpret requests. What an answer has left of its request's body is read before the
//! answer is sent, so that the next request can follow; or the answer closes the connection.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONNECTION, EXPECT, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::{mpsc, watch};

use crate::server::connections::disconnect::{DisconnectWatch, PeekStream};
use crate::server::connections::listen::{ByteStream, RejectOnDrop, TryWrite};
use crate::server::connections::slots::ConnectionSlot;
use crate::server::connections::write_timeout::WriteTimeout;
use crate::server::options::Options;
use crate::server::web::http::AppState;
use crate::server::web::incoming::IncomingRequest;
use crate::server::web::response::Response;
use crate::server::web::route;
use crate::wire::SERVER_ID;

/// The maximum size in bytes of a request's header, and of the buffered part of a response.
const BUFFER_MAX: usize = 64 << 10;
/// How long an answer that needs no body waits for it.
const UNREAD_TIMEOUT: Duration = Duration::from_secs(1);

/// An open connection.
pub(crate) struct Connection {
    pub(crate) app: Arc<AppState>,
    pub(crate) options: Arc<Options>,
    /// The client's address.
    pub(crate) from: SocketAddr,
    pub(crate) is_stopping: watch::Receiver<bool>,
    /// Its connection slot.
    pub(crate) slot: ConnectionSlot,
    /// Dropped with the connection; the server waits for all of them.
    pub(crate) _alive: mpsc::Sender<()>,
}

impl Connection {
    /// Serves requests until the client closes, the server stops, or the slot is reclaimed.
    ///
    /// The stream has any type at run time, so that the layers above it are compiled once.
    pub(crate) async fn serve(self, stream: Box<dyn TryWrite>) {
        tokio::select! {
            biased;
            () = self.slot.state.close_requested() => {
                tracing::debug!("closing a connection to make room");
            }
            () = self.answer(stream) => {}
        }
    }

    async fn answer(&self, stream: Box<dyn TryWrite>) {
        match &self.options.tls {
            None => self.serve_http(Box::new(RejectOnDrop::new(stream))).await,
            Some(tls) => {
                let hello = tls.acceptor().accept(stream);
                match tokio::time::timeout(self.options.header_timeout, hello).await {
                    Ok(Ok(stream)) => self.serve_http(Box::new(stream)).await,
                    Ok(Err(error)) => tracing::debug!(%error, "TLS handshake failed"),
                    Err(_) => tracing::debug!("TLS handshake timed out"),
                }
            }
        }
    }

    async fn serve_http(&self, stream: Box<dyn ByteStream>) {
        let stream = PeekStream::new(WriteTimeout::new(stream, self.options.write_timeout));
        let disconnect = stream.disconnect();
        let service = service_fn(|request| self.respond(request, &disconnect));
        let mut connection = std::pin::pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(self.options.header_timeout)
                .max_buf_size(BUFFER_MAX)
                // A client that half-closes still gets its response, unless it is a long poll: see
                // `DisconnectWatch`.
                .half_close(true)
                .serve_connection(TokioIo::new(stream), service)
        );
        let mut is_stopping = self.is_stopping.clone();
        let stopped = async {
            // An error means that the server is gone, which ends the connection, too.
            let _gone = is_stopping.wait_for(|is_stopping| *is_stopping).await;
        };
        let ended = tokio::select! {
            biased;
            ended = &mut connection => Some(ended),
            () = stopped => None,
        };
        let ended = match ended {
            Some(ended) => ended,
            None => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "connection failed");
        }
    }

    /// Answers a request. While its body is received, and after the response, the slot may be
    /// reclaimed.
    async fn respond(
        &self,
        request: Request<Incoming>,
        disconnect: &DisconnectWatch,
    ) -> Result<Response, Infallible> {
        let state = &self.slot.state;
        if self.options.tokens.is_open() {
            state.mark_known();
        }
        state.wait();
        if request.body().is_end_stream() {
            state.begin().await;
        }
        let (head, mut body) = request.into_parts();
        // It sends its body only if it is asked to.
        let is_held_back = head.headers.contains_key(EXPECT);
        let incoming =
            IncomingRequest { head, body: &mut body, from: self.from, state, disconnect };
        let mut answer = route::answer(&self.app, incoming).await;
        state.wait();
        if let Some(id) = self.app.shared.id() {
            answer.headers_mut().insert(SERVER_ID, id);
        }
        let status = answer.status();
        let is_given_up =
            matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::PAYLOAD_TOO_LARGE);
        if !body.is_end_stream()
            && (is_held_back || is_given_up || !skip(&mut body, self.app.body_max).await)
        {
            answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(answer)
    }
}

/// Reads the rest of a body of at most `max` bytes. Returns whether it has all of it.
async fn skip(body: &mut Incoming, max: usize) -> bool {
    if usize::try_from(body.size_hint().lower()).map_or(true, |len| len > max) {
        return false;
    }
    let mut rest = Limited::new(body, max);
    let skipped = async {
        while let Some(frame) = rest.frame().await {
            if frame.is_err() {
                return false;
            }
        }
        true
    };
    tokio::time::timeout(UNREAD_TIMEOUT, skipped).await.unwrap_or(false)
}
