//! The server as a whole: opens its store, serves connections, and ends without losing anything.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use turnstile_core::claim::record::{Limits, Records};
use turnstile_core::scenario::server_words;

use super::audit::Audit;
use super::auth::Tokens;
use super::connection::Connection;
use super::guesses::Guesses;
use super::handle::{Answers, EngineHandle};
use super::host::{Hosts, PublicUrl};
use super::http::Front;
use super::listen::{Accept, announce, bind, turn_away};
use super::open::{Terms, open};
use super::quota::Quotas;
use super::saved::{self, Found};
use super::session::Sessions;
use super::slots::{Room, Slots};
use super::tls::ServerTls;
use crate::wire::ask::Bounds;
use turnstile_host::at as at_place;
use turnstile_host::store::Store;
use turnstile_host::{Host, Pause, Trace, wall_us};

/// Where the claims are kept.
pub enum Storage {
    /// Nowhere.
    Memory,
    /// In a store that blocks: while it does, one thread of [`super::runtime`] stands still.
    Blocking(Box<dyn Store>),
    /// In a store that does not block; a sync takes as long as the function says.
    Simulated(Box<dyn Store>, Box<dyn FnMut() -> Duration + Send>),
}

/// What a server may and may not do.
#[derive(Debug)]
pub struct Options {
    /// Who may speak to it.
    pub tokens: Tokens,
    /// What it shows to its clients; none: plain HTTP.
    pub tls: Option<ServerTls>,
    /// How clients reach a proxy in front of it; none: as their requests say.
    pub public_url: Option<PublicUrl>,
    /// By which names requests may call it besides `localhost`, its addresses and the public URL.
    /// None given: by these alone where no token is required, by any name where one is.
    pub hosts: Hosts,
    /// So many wrong tokens a minute are looked at from one address.
    pub wrong_tokens_max: u32,
    /// Where each change of a claim is noted.
    pub audit: Option<Audit>,
    /// How much the core keeps.
    pub limits: Limits,
    /// What a body may carry.
    pub bounds: Bounds,
    /// The longest body, in bytes.
    pub body_max: usize,
    /// How long a request's header may take, and an idle connection may idle.
    pub header_patience: Duration,
    /// How long a body may take.
    pub body_patience: Duration,
    /// How long a client may take nothing of its answer.
    pub answer_patience: Duration,
    /// The longest that a client may wait for a lock in one request.
    pub wait_max: Duration,
    /// A claim that waits, and that nobody has asked for in so long, is over.
    pub unasked_max: Duration,
    /// A client that has said how long it waits has so long to say that it waits no longer, before
    /// its claim is over.
    pub leave_max: Duration,
    /// A claim whose ttl is over, and that nobody has renewed or contended for in so long, is over.
    pub lapse_max: Duration,
    /// How many connections may be open. One more takes the slot of one that has waited longest
    /// for its client, and is turned away where all are at work.
    pub connections_max: usize,
    /// How many of them may come from one address, or one IPv6 network. None: a quarter of all,
    /// and all of them from this machine.
    pub connections_per_address_max: Option<usize>,
    /// How many claims may wait or be active.
    pub quotas: Quotas,
    /// How long a stopping server waits for its connections.
    pub drain_max: Duration,
    /// Reads the wall clock, in microseconds since the Unix epoch: once, at the start, and for the
    /// expiry of tokens.
    pub wall_us: fn() -> u64,
    /// Where the store keeps its files, as the log tells it.
    pub data: Option<PathBuf>,
    /// Where every step is noted.
    pub trace: Option<Trace>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tokens: Tokens::default(),
            tls: None,
            public_url: None,
            hosts: Hosts::default(),
            wrong_tokens_max: 10,
            audit: None,
            limits: Limits::DEFAULT,
            bounds: Bounds::default(),
            body_max: 64 << 10,
            header_patience: Duration::from_secs(30),
            body_patience: Duration::from_secs(30),
            answer_patience: Duration::from_secs(30),
            wait_max: Duration::from_secs(300),
            unasked_max: Duration::from_secs(3_600),
            leave_max: Duration::from_secs(10),
            lapse_max: Duration::from_secs(600),
            connections_max: 16_384,
            connections_per_address_max: None,
            quotas: Quotas::default(),
            drain_max: Duration::from_secs(10),
            wall_us,
            data: None,
            trace: None,
        }
    }
}

impl Options {
    const fn room(&self) -> Room {
        Room { all: self.connections_max, address: self.connections_per_address_max }
    }
}

/// A server that has read its store and serves nobody yet.
#[derive(Debug)]
pub struct Server {
    shared: Arc<EngineHandle>,
    options: Options,
    committer: Option<Committer>,
}

/// The store that is committed to, and how long its syncs seem to take.
struct Committer(Box<dyn Store>, Option<Pause>);

impl std::fmt::Debug for Committer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Committer")
    }
}

impl Server {
    /// Opens a server on a store.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(storage: Storage, mut options: Options) -> io::Result<Self> {
        let trace = options.trace.take();
        let wall_us = (options.wall_us)();
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let terms = Terms {
            limits: options.limits,
            unasked_us: micros(options.unasked_max),
            leave_us: micros(options.leave_max),
            lapse_us: micros(options.lapse_max),
            quotas: options.quotas,
            waits_max: options.room().waits(),
            is_volatile: matches!(storage, Storage::Memory),
            is_audited: options.audit.is_some(),
        };
        let audit = options.audit.clone();
        let mut committer = match storage {
            Storage::Memory => None,
            Storage::Blocking(store) => Some(Committer(store, None)),
            Storage::Simulated(store, pause) => Some(Committer(store, Some(pause))),
        };
        let found = match &mut committer {
            Some(Committer(store, _)) => saved::read(&mut **store)?,
            None => Found::default(),
        };
        let observer = trace.map(|trace| trace.observer::<Records>(&server_words(terms.limits)));
        let host = Host::new(open(found, terms, wall_us, observer), Answers(audit));
        Ok(Self { shared: EngineHandle::new(host), options, committer })
    }

    /// Listens on a socket, says so on standard output, and serves until `stop` is done.
    ///
    /// # Errors
    /// When it cannot listen, or when it would listen beyond this machine without TLS and tokens.
    pub async fn listen(self, at: SocketAddr, stop: impl Future<Output = ()>) -> io::Result<()> {
        let is_guarded = self.options.tls.is_some() && !self.options.tokens.is_open();
        if !at.ip().is_loopback() && !is_guarded {
            let text = format!(
                "{at} is not on loopback: TLS and bearer tokens are required there \
                 (--tls-cert, --tls-key, --tokens)"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let listener = bind(at).map_err(at_place(at))?;
        let at = listener.local_addr()?;
        announce(self.scheme(), at)?;
        self.log_start(&format!("{}://{at}", self.scheme()));
        self.serve(listener, stop).await?;
        tracing::info!("stopped");
        Ok(())
    }

    fn log_start(&self, address: &str) {
        let (claims, live) = self.shared.with(|engine| engine.counts());
        let data = self.options.data.as_ref().map(|data| data.display().to_string());
        let data = data.as_deref().unwrap_or("none: claims are kept in memory");
        tracing::info!(address, data, claims, live, "serving");
    }

    const fn scheme(&self) -> &'static str {
        if self.options.tls.is_some() { "https" } else { "http" }
    }

    /// Serves connections until `stop` is done, then lets those that are open come to their end.
    ///
    /// # Errors
    /// When the committing task has panicked.
    pub async fn serve<A: Accept>(
        self,
        mut listener: A,
        stop: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let slots = Slots::new(self.options.room());
        let front = Arc::new(self.front(&slots));
        let Self { shared, options, committer } = self;
        let timers = Task::spawn(shared.host().drive_timers());
        let committing = committer
            .map(|Committer(store, pause)| Task::spawn(shared.host().commit(store, pause)));
        let (stopping, is_stopping) = watch::channel(false);
        let (alive, mut all_gone) = mpsc::channel::<()>(1);
        let options = Arc::new(options);
        let mut stop = std::pin::pin!(stop);
        loop {
            let accepted = tokio::select! {
                biased;
                accepted = listener.accept() => accepted,
                () = &mut stop => break,
            };
            let (stream, from) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of sockets, most likely: those that close make room.
                    tracing::warn!(%error, "a connection cannot be taken");
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    continue;
                }
            };
            let Some(slot) = slots.take(from.ip()).await else {
                turn_away(&stream);
                continue;
            };
            let connection = Connection {
                front: front.clone(),
                options: options.clone(),
                from,
                is_stopping: is_stopping.clone(),
                slot,
                _alive: alive.clone(),
            };
            tokio::spawn(connection.serve(stream));
        }
        drop((alive, listener));
        stopping.send_replace(true);
        shared.with(|engine| engine.end_waits());
        // Whoever is not done by then is cut off.
        let _all_done = tokio::time::timeout(options.drain_max, all_gone.recv()).await;
        shared.host().close();
        drop(timers);
        match committing {
            None => Ok(()),
            Some(committing) => committing.end().await.map(drop),
        }
    }

    fn front(&self, slots: &Arc<Slots>) -> Front {
        let options = &self.options;
        Front {
            shared: self.shared.clone(),
            bounds: options.bounds,
            body_max: options.body_max,
            body_patience: options.body_patience,
            wait_max_us: u64::try_from(options.wait_max.as_micros()).unwrap_or(u64::MAX),
            scheme: self.scheme(),
            public_url: options.public_url.clone(),
            hosts: options.hosts.clone(),
            tokens: options.tokens.clone(),
            sessions: Sessions::default(),
            guesses: Guesses::new(options.wrong_tokens_max),
            wall_us: options.wall_us,
            slots: slots.clone(),
        }
    }
}

/// A task that ends with whoever has spawned it.
struct Task<T>(tokio::task::JoinHandle<T>);

impl<T: Send + 'static> Task<T> {
    fn spawn(task: impl Future<Output = T> + Send + 'static) -> Self {
        Self(tokio::spawn(task))
    }

    /// Waits until it is done.
    async fn end(mut self) -> io::Result<T> {
        (&mut self.0).await.map_err(|_| io::Error::other("a task has panicked"))
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;
    use std::sync::mpsc;

    use super::super::runtime::runtime;
    use super::*;
    use turnstile_host::store::{Batch, Each};

    /// A store whose syncs end when somebody says so.
    struct Stalled(mpsc::Sender<()>, mpsc::Receiver<()>);

    impl Store for Stalled {
        fn read(&mut self, _each: Each<'_>) -> io::Result<()> {
            Ok(())
        }

        fn write(&mut self, _batch: &Batch) {}

        fn sync(&mut self) -> io::Result<()> {
            // Once nobody looks any more, it takes everything at once.
            let _ended = self.0.send(()).map(|()| self.1.recv());
            Ok(())
        }
    }

    /// A server in threads of its own.
    fn start(storage: Storage) -> (tokio::runtime::Runtime, Arc<EngineHandle>, SocketAddr) {
        let server = Server::open(storage, Options::default()).expect("nothing to read");
        let (runtime, shared) = (runtime().expect("threads"), server.shared.clone());
        let listener =
            runtime.block_on(async { bind(([127, 0, 0, 1], 0).into()) }).expect("a port is free");
        let at = listener.local_addr().expect("it listens");
        runtime.spawn(server.serve(listener, std::future::pending()));
        (runtime, shared, at)
    }

    /// Sends a request for a claim, or one that does not read it.
    fn ask(at: SocketAddr, line: &str) -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect(at)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let head = "host: localhost\r\ncontent-type: application/json\r\ncontent-length: 24\r\n";
        write!(stream, "{line} HTTP/1.1\r\n{head}\r\n{{\"resource\":\"r\",\"ttl\":9}}")?;
        Ok(stream)
    }

    /// The first line of an answer.
    fn hear(mut stream: TcpStream) -> io::Result<String> {
        let mut line = [0; 12];
        stream.read_exact(&mut line)?;
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    fn is_well(at: SocketAddr) -> bool {
        let heard = ask(at, "GET /healthz").and_then(hear);
        heard.is_ok_and(|line| line == "HTTP/1.1 200")
    }

    #[test]
    fn health_does_not_wait_for_the_engine() {
        let (runtime, shared, at) = start(Storage::Memory);
        assert!(shared.with(|_engine| is_well(at)));
        runtime.shutdown_background();
    }

    #[test]
    fn health_does_not_wait_for_the_disk() {
        // Which thread waits for sockets, and which for the disk, is left to chance.
        for _ in 0..50 {
            let ((begun, has_begun), (end, ended)) = (mpsc::channel(), mpsc::channel());
            let store = Storage::Blocking(Box::new(Stalled(begun, ended)));
            let (runtime, _shared, at) = start(store);
            let claim = ask(at, "POST /v1/claims/").expect("it listens");
            has_begun.recv().expect("it commits");
            let is_well = (0..20).all(|_| is_well(at));
            drop(end);
            assert!(is_well && hear(claim).is_ok_and(|line| line == "HTTP/1.1 201"));
            runtime.shutdown_background();
        }
    }
}
