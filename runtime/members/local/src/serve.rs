//! The connections of a socket: one request each.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::time::{sleep, timeout};

use crate::arguments::lock_id;
use crate::arrivals::{Arrival, Arrivals};
use crate::hold::{Times, use_lock};
use crate::places::Places;
use crate::service::{Service, Work};
use crate::wire::{LineError, Lines, LockReply, REQUEST_MAX, refuse, write};

/// The maximum number of connections that have not sent their request yet.
const SILENT_MAX: usize = 64;
/// What a user may send instead of a line that is not understood.
const EXAMPLE: &str =
    r#"a request is one line of JSON, such as {"lock":{"id":"job","timeout_ms":null}} or "status""#;
/// The pause after a connection could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves connections until it is dropped.
pub(crate) async fn serve<S: Service>(
    listener: &UnixListener,
    service: S,
    times: Times,
    users_max: usize,
) {
    let arrivals = Arrivals::new(SILENT_MAX);
    let places = Arc::new(Places::new(users_max));
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let arrival = arrivals.take_in();
                let (service, places) = (service.clone(), Arc::clone(&places));
                tokio::spawn(async move {
                    if let Err(error) = answer(stream, arrival, &service, times, &places).await {
                        tracing::debug!(%error, "a connection has failed");
                    }
                });
            }
            // There are too many open files, for example.
            Err(error) => {
                tracing::warn!(%error, "a connection cannot be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn answer<S: Service>(
    stream: UnixStream,
    mut arrival: Arrival,
    service: &S,
    times: Times,
    places: &Places,
) -> io::Result<()> {
    let (lines, mut sink) = stream.into_split();
    let mut lines = Lines::new(lines);
    let request = tokio::select! {
        biased;
        request = timeout(REQUEST_MAX, lines.request::<S::Request>()) => request,
        () = arrival.gives_way() => {
            let text = "too many connections are silent: this one is closed for a newer one";
            return timeout(REQUEST_MAX, write(&mut sink, &LockReply::Error(text.into()))).await?;
        }
    };
    drop(arrival);
    let refused = match request {
        Ok(Ok(Some(request))) => match service.handle(request) {
            Work::Lock(request) => match lock_id(&request.id) {
                Ok(_) => match places.take(request.nested) {
                    Ok(_place) => return use_lock(lines, sink, service, &request, times).await,
                    Err(text) => text,
                },
                Err(text) => not_understood(&format!("id: {text}")),
            },
            Work::Reply(reply) => {
                // An error cannot be: the semaphore is never closed.
                let _turn = places.answering.acquire().await.ok();
                let reply = reply.await;
                timeout(REQUEST_MAX, write(&mut sink, &reply)).await??;
                if !lines.has_more() {
                    return Ok(());
                }
                "a connection has one request: another one needs another connection".into()
            }
        },
        Ok(Ok(None)) => return Ok(()),
        Ok(Err(LineError::Failed(error))) => return Err(error),
        Ok(Err(LineError::Wrong(text))) => not_understood(&text),
        Err(_) => "the request did not come in time".into(),
    };
    refuse(lines, sink, refused).await
}

fn not_understood(why: &str) -> String {
    format!("the request is not understood: {why}; {EXAMPLE}")
}
