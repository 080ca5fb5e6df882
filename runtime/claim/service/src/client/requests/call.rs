//! HTTP requests over kept-alive connections: method, path and body out, status and body in.
//!
//! All failures are reported the same way: no response. A request is never sent twice, but the next
//! one goes to another server, if there is one.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::handshake;
use hyper::header::{
    AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::time::timeout;

use crate::client::requests::answer::Answer;
use crate::client::requests::connect::Connector;
use crate::client::requests::pending_request::{ForeignServer, NoAnswer, unanswered};
use crate::client::requests::server_address::ServerAddress;
use crate::client::requests::server_list::{KnownServer, Sender, ServerList};
use crate::wire::SERVER_ID;
use turnstile_host::simulation;

/// The maximum size of a response in bytes; a longer one counts as a failure.
const ANSWER_MAX: usize = 16 << 20;

/// The servers of one service and the connections to them.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    shared: Arc<Pool>,
}

#[derive(Debug)]
struct Pool {
    servers: ServerList,
    connector: Connector,
    authorization: Option<HeaderValue>,
    /// Whether there has been a connection.
    has_connected: AtomicBool,
    /// The id of the server, or of the cluster of all servers, once one has answered. Older servers
    /// have none.
    id: OnceLock<String>,
}

/// The outcome of a request, and the server that it was sent to.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) server: Arc<ServerAddress>,
    pub(crate) answer: Result<Answer, NoAnswer>,
}

impl Caller {
    /// # Errors
    /// When a host or the token is not a valid header value.
    pub(crate) fn new(
        servers: Vec<ServerAddress>,
        connector: Connector,
        token: Option<&str>,
    ) -> io::Result<Self> {
        let authorization = match token {
            None => None,
            Some(token) => {
                let text = format!("Bearer {}", token.trim());
                let mut value = HeaderValue::from_str(&text).map_err(|_| {
                    let text = "the token cannot be sent in a header";
                    io::Error::new(io::ErrorKind::InvalidInput, text)
                })?;
                value.set_sensitive(true);
                Some(value)
            }
        };
        let servers = ServerList::new(servers)?;
        let has_connected = AtomicBool::new(false);
        let id = OnceLock::new();
        let pool = Pool { servers, connector, authorization, has_connected, id };
        Ok(Self { shared: Arc::new(pool) })
    }

    /// The servers, of which there is at least one.
    pub(crate) fn servers(&self) -> &ServerList {
        &self.shared.servers
    }

    /// The server that the next request goes to. The paths of all servers are the same.
    pub(crate) fn server(&self) -> &ServerAddress {
        let servers = self.servers();
        &servers.server(servers.next()).address
    }

    /// Whether there has been a connection to a server.
    pub(crate) fn has_connected(&self) -> bool {
        self.shared.has_connected.load(Ordering::Relaxed)
    }

    /// The id of the server, if it has one and has answered.
    pub(crate) fn id(&self) -> Option<&str> {
        self.shared.id.get().map(String::as_str)
    }

    /// Notes the id of the server that has answered, which must stay the same: another one has
    /// other claims.
    fn recognise(&self, server: &KnownServer, headers: &HeaderMap) -> io::Result<()> {
        let Some(theirs) = headers.get(SERVER_ID).and_then(|id| id.to_str().ok()) else {
            return Ok(());
        };
        let ours = self.shared.id.get_or_init(|| theirs.to_owned());
        if ours == theirs {
            return Ok(());
        }
        let (at, ours) = (server.address.to_string(), ours.clone());
        Err(io::Error::other(ForeignServer { at, ours, theirs: theirs.to_owned() }))
    }

    /// Sends one request to one server and returns its response, or the reason why there is none
    /// within a time.
    pub(crate) async fn call(
        &self,
        patience: Duration,
        method: Method,
        path: &str,
        headers: &[(&'static str, String)],
        body: Option<String>,
    ) -> Called {
        self.call_sparing(0, patience, method, path, headers, body).await
    }

    /// The same for a GET that waits for long: it leaves an open connection to a renewal, which
    /// would take several round trips more with another one.
    pub(crate) async fn poll(
        &self,
        patience: Duration,
        path: &str,
        headers: &[(&'static str, String)],
    ) -> Called {
        self.call_sparing(1, patience, Method::GET, path, headers, None).await
    }

    async fn call_sparing(
        &self,
        spared: usize,
        patience: Duration,
        method: Method,
        path: &str,
        headers: &[(&'static str, String)],
        body: Option<String>,
    ) -> Called {
        let number = self.servers().next();
        let server = self.servers().server(number);
        let answer = async {
            let idle = server.idle(spared);
            let (sender, response) = self.send(server, idle, method, path, headers, body).await?;
            let answer = collect(response).await?;
            server.keep(sender);
            Ok(answer)
        };
        let answer = timeout(patience, answer).await;
        self.called(number, answer.unwrap_or_else(|elapsed| Err(io::Error::other(elapsed))))
    }

    fn called(&self, number: usize, answer: io::Result<Answer>) -> Called {
        let answer = answer.map_err(|error| unanswered(&error));
        let server = self.servers().server(number).address.clone();
        Called { server, answer: self.servers().note(number, answer) }
    }

    /// Sends a GET, and passes the body of a response with 200 on, however long it is. Each part of
    /// it must come within a time.
    pub(crate) async fn receive(
        &self,
        path: &str,
        patience: Duration,
        part: &mut (dyn FnMut(&[u8]) -> io::Result<()> + Send),
    ) -> Called {
        let number = self.servers().next();
        let server = self.servers().server(number);
        let answer = self.receive_from(server, path, patience, part).await;
        self.called(number, answer)
    }

    async fn receive_from(
        &self,
        server: &KnownServer,
        path: &str,
        patience: Duration,
        part: &mut (dyn FnMut(&[u8]) -> io::Result<()> + Send),
    ) -> io::Result<Answer> {
        let idle = server.idle(0);
        let sent = timeout(patience, self.send(server, idle, Method::GET, path, &[], None)).await;
        let (sender, response) = sent.map_err(io::Error::other)??;
        if response.status() != StatusCode::OK {
            return timeout(patience, collect(response)).await.map_err(io::Error::other)?;
        }
        let (parts, mut body) = response.into_parts();
        while let Some(frame) = timeout(patience, body.frame()).await.map_err(io::Error::other)? {
            if let Ok(bytes) = frame.map_err(io::Error::other)?.into_data() {
                part(&bytes)?;
            }
        }
        server.keep(sender);
        Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, body: Bytes::new() })
    }

    async fn send(
        &self,
        server: &KnownServer,
        idle: Option<Sender>,
        method: Method,
        path: &str,
        headers: &[(&'static str, String)],
        body: Option<String>,
    ) -> io::Result<(Sender, Response<Incoming>)> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, &server.host)
            .header(USER_AGENT, concat!("turnstile-claim/", env!("CARGO_PKG_VERSION")));
        if let Some(authorization) = &self.shared.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        for (name, value) in headers {
            request = request.header(HeaderName::from_static(name), value);
        }
        let body = Full::new(Bytes::from(body.unwrap_or_default()));
        let request = request.body(body).map_err(io::Error::other)?;

        let mut sender = match idle {
            Some(idle) => idle,
            None => self.connect(server).await?,
        };
        let response = sender.send_request(request).await.map_err(|error| {
            let is_tls = server.address.is_tls;
            // A server with TLS answers a plain request with an alert.
            if error.is_parse() && !is_tls {
                io::Error::other(format!("{error}; does its URL begin with https://?"))
            } else {
                io::Error::other(error)
            }
        })?;
        self.recognise(server, response.headers())?;
        Ok((sender, response))
    }

    /// A new connection to a server.
    async fn connect(&self, server: &KnownServer) -> io::Result<Sender> {
        let stream = self.shared.connector.connect(&server.address).await?;
        self.shared.has_connected.store(true, Ordering::Relaxed);
        let (sender, connection) =
            handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
        simulation::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "connection failed");
            }
        });
        Ok(sender)
    }
}

/// A response with its whole body.
async fn collect(response: Response<Incoming>) -> io::Result<Answer> {
    let (parts, body) = response.into_parts();
    let body = Limited::new(body, ANSWER_MAX).collect().await.map_err(io::Error::other)?;
    Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, body: body.to_bytes() })
}
