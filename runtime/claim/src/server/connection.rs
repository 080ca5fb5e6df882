//! One connection: TLS if need be, then HTTP until the client is done or the server stops.
//!
//! It reads nothing of what is said.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::Request;
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, watch};

use super::ear::{Ear, Overheard};
use super::http::{Front, Response};
use super::listen::{LastWord, Line};
use super::patience::Patient;
use super::route::Visit;
use super::serve::Options;
use super::slots::Slot;

/// The longest header of a request, and so much of an answer is made before its client takes any.
const BUFFER_MAX: usize = 64 << 10;

/// A connection that is open, and counted.
pub(super) struct Connection {
    pub(super) front: Arc<Front>,
    pub(super) options: Arc<Options>,
    /// The other end.
    pub(super) from: SocketAddr,
    pub(super) is_stopping: watch::Receiver<bool>,
    /// Its place among all.
    pub(super) slot: Slot,
    /// Dropped with the connection, for whoever waits for all of them.
    pub(super) _alive: mpsc::Sender<()>,
}

impl Connection {
    /// Answers what is asked until the client is done, the server stops, or others need the slot.
    pub(super) async fn serve<S>(self, stream: S)
    where
        S: AsyncRead + AsyncWrite + LastWord + Unpin + Send + 'static,
    {
        tokio::select! {
            biased;
            () = self.slot.seat.is_asked_to_leave() => {
                tracing::debug!("a connection is closed to make room");
            }
            () = self.answer(stream) => {}
        }
    }

    async fn answer<S>(&self, stream: S)
    where
        S: AsyncRead + AsyncWrite + LastWord + Unpin + Send + 'static,
    {
        match &self.options.tls {
            None => self.speak(Line::new(stream)).await,
            Some(tls) => {
                let hello = tls.acceptor().accept(stream);
                match tokio::time::timeout(self.options.header_patience, hello).await {
                    Ok(Ok(stream)) => self.speak(stream).await,
                    Ok(Err(error)) => tracing::debug!(%error, "no TLS"),
                    Err(_) => tracing::debug!("TLS took too long"),
                }
            }
        }
    }

    async fn speak(&self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let stream = Overheard::new(Patient::new(stream, self.options.answer_patience));
        let ear = stream.ear();
        let service = service_fn(|request| self.attend(request, &ear));
        let mut connection = std::pin::pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(self.options.header_patience)
                .max_buf_size(BUFFER_MAX)
                // Who has asked and closes its side is answered; who waits, see `Ear`.
                .half_close(true)
                .serve_connection(TokioIo::new(stream), service)
        );
        let mut is_stopping = self.is_stopping.clone();
        let stopped = async {
            // An error means that the server itself is gone, which ends the connection too.
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
            tracing::debug!(%error, "a connection has broken off");
        }
    }

    /// Has a request answered. Until its body is there, and once it is answered, the slot may be
    /// needed by others.
    async fn attend(&self, request: Request<Incoming>, ear: &Ear) -> Result<Response, Infallible> {
        let seat = &self.slot.seat;
        if self.options.tokens.is_open() {
            seat.know();
        }
        seat.wait();
        if request.body().is_end_stream() {
            seat.begin().await;
        }
        let (head, body) = request.into_parts();
        let answer = self.front.answer(Visit { head, body, from: self.from, seat, ear }).await;
        seat.wait();
        Ok(answer)
    }
}
