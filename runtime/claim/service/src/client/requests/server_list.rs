//! The servers of one service: the connections to each, and which of them is asked next.
//!
//! A request is sent to one server, once. If it does not answer, the next request goes to the next
//! server; the core decides whether there is one.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::SendRequest;
use hyper::header::HeaderValue;

use crate::client::requests::answer::Answer;
use crate::client::requests::pending_request::{Failure, NoAnswer};
use crate::client::requests::server_address::ServerAddress;

/// The maximum number of idle connections to a server.
const IDLE_MAX: usize = 64;

/// An open connection.
pub(crate) type Sender = SendRequest<Full<Bytes>>;

/// The servers, and the one that the next request goes to.
#[derive(Debug)]
pub(crate) struct ServerList {
    servers: Vec<KnownServer>,
    next: AtomicUsize,
}

/// A server and its idle connections.
#[derive(Debug)]
pub(crate) struct KnownServer {
    pub(crate) address: Arc<ServerAddress>,
    pub(crate) host: HeaderValue,
    idle: Mutex<Vec<Sender>>,
    /// Whether its certificate was not trusted when it was asked last.
    is_untrusted: AtomicBool,
}

impl ServerList {
    /// # Errors
    /// When a host is not a valid header value.
    pub(crate) fn new(addresses: Vec<ServerAddress>) -> io::Result<Self> {
        let known = |address: ServerAddress| {
            let host = HeaderValue::from_str(&address.authority()).map_err(|_| {
                let text = "the host cannot be sent in a header";
                io::Error::new(io::ErrorKind::InvalidInput, text)
            })?;
            let (idle, is_untrusted) = (Mutex::default(), AtomicBool::new(false));
            Ok(KnownServer { address: Arc::new(address), host, idle, is_untrusted })
        };
        let servers = addresses.into_iter().map(known).collect::<io::Result<_>>()?;
        Ok(Self { servers, next: AtomicUsize::new(0) })
    }

    pub(crate) fn len(&self) -> usize {
        self.servers.len()
    }

    pub(crate) fn addresses(&self) -> impl Iterator<Item = &ServerAddress> {
        self.servers.iter().map(|server| &*server.address)
    }

    /// The number of the server that the next request goes to.
    pub(crate) fn next(&self) -> usize {
        self.next.load(Ordering::Relaxed)
    }

    pub(crate) fn server(&self, number: usize) -> &KnownServer {
        &self.servers[number]
    }

    /// Notes the outcome of a request to a server. Without a usable response, the next request goes
    /// to the next server.
    pub(crate) fn note(
        &self,
        number: usize,
        mut answer: Result<Answer, NoAnswer>,
    ) -> Result<Answer, NoAnswer> {
        let server = &self.servers[number];
        let is_untrusted = matches!(&answer, Err(NoAnswer { kind: Failure::Untrusted, .. }));
        server.is_untrusted.store(is_untrusted, Ordering::Relaxed);
        if is_for_another(&answer) {
            let next = (number + 1) % self.servers.len();
            // Another request may have failed before, and moved on.
            let (done, failed) = (Ordering::Relaxed, Ordering::Relaxed);
            let _moved = self.next.compare_exchange(number, next, done, failed);
        }
        if let Err(NoAnswer { kind: kind @ Failure::Untrusted, .. }) = &mut answer
            && !self.servers.iter().all(|server| server.is_untrusted.load(Ordering::Relaxed))
        {
            // Nothing was sent, and another server may be trusted.
            *kind = Failure::Refused;
        }
        answer
    }
}

/// Whether a request with this outcome may succeed at another server.
pub(crate) fn is_for_another(answer: &Result<Answer, NoAnswer>) -> bool {
    answer.as_ref().map_or(true, |answer| answer.status >= 500)
}

impl KnownServer {
    /// A connection to this server that was kept, if there are more than are to be `spared`.
    pub(crate) fn idle(&self, spared: usize) -> Option<Sender> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that the server has closed are dropped.
        idle.retain(Sender::is_ready);
        if idle.len() > spared { idle.pop() } else { None }
    }

    /// Keeps a connection to this server.
    pub(crate) fn keep(&self, sender: Sender) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_MAX && !sender.is_closed() {
            idle.push(sender);
        }
    }
}
