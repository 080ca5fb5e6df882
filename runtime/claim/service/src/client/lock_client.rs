//! The document's lock manager: one service, many claims, one claim per resource.
//!
//! It starts the driver of the keychain core and creates claims.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::acquire::Acquire;
use super::call::Caller;
use super::clock::Clock;
use super::command::UserCommand;
use super::connect::Connector;
use super::driver::{ClientDriver, ended};
use super::error::{Error, ErrorKind};
use super::inherited::InheritedClaims;
use super::keychain_connection;
use super::leave_guard::{self, LeaveGuard};
use super::redact::redacted;
use super::retry_policy::{Rng, TTL_MIN};
use super::server_address::{ServerAddress, no_url};
use turnstile_host::{Trace, simulation};

/// The default ttl of a claim.
const TTL: Duration = Duration::from_secs(60);

/// The configuration of a client, and the defaults of its claims.
#[derive(Clone)]
pub struct LockClientBuilder {
    /// The server's URL, or those of all servers of one service, such as the members of a cluster:
    /// a request that one does not answer is repeated at the next.
    pub urls: Vec<String>,
    /// The protocol version: the first segment of the API's path.
    pub version: String,
    /// The bearer token.
    pub token: Option<String>,
    /// Opens connections to the server.
    pub connector: Connector,
    /// The default duration of a lease without a renewal.
    pub ttl: Duration,
    /// The default time to wait for a lock; `None`: no limit.
    pub timeout: Option<Duration>,
    /// The clock.
    pub clock: Clock,
    /// The random numbers for jitter and idempotency keys.
    pub rng: Rng,
    /// The trace of the core's steps.
    pub trace: Option<Trace>,
    /// The locks that this program runs under; claiming one of them is refused.
    pub held: InheritedClaims,
}

impl fmt::Debug for LockClientBuilder {
    /// Without the token, and without passwords of URLs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let urls: Vec<String> = self.urls.iter().map(|url| redacted(url)).collect();
        let mut shown = f.debug_struct("LockClientBuilder");
        shown.field("urls", &urls).field("version", &self.version);
        shown.field("has_token", &self.token.is_some()).field("connector", &self.connector);
        shown.field("ttl", &self.ttl).field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

impl LockClientBuilder {
    /// A configuration for the server at this URL.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self::for_servers([url])
    }

    /// A configuration for a service of several servers, such as a cluster, whose URLs have the
    /// same scheme and path. The first one is asked first.
    #[must_use]
    pub fn for_servers(urls: impl IntoIterator<Item: Into<String>>) -> Self {
        Self {
            urls: urls.into_iter().map(Into::into).collect(),
            version: "v1".into(),
            token: None,
            connector: Connector::default(),
            ttl: TTL,
            timeout: None,
            clock: Clock::default(),
            rng: Rng::from_entropy(),
            trace: None,
            held: InheritedClaims::default(),
        }
    }

    /// A configuration from `TURNSTILE_URL`, which may have several URLs separated by spaces,
    /// `TURNSTILE_TOKEN`, `TURNSTILE_CA` and, for the locks that this program runs under,
    /// `CLAIM_HELD`.
    ///
    /// # Errors
    /// When `TURNSTILE_URL` is not set.
    pub fn from_environment() -> Result<Self, Error> {
        let urls = std::env::var("TURNSTILE_URL").unwrap_or_default();
        if urls.trim().is_empty() {
            return Err(no_url().into());
        }
        Ok(Self::from_list(&urls))
    }

    /// A configuration for the servers at these URLs, separated by spaces, with the environment as
    /// in [`in_environment`](Self::in_environment).
    #[must_use]
    pub fn from_list(urls: &str) -> Self {
        // A password may have a space: then it is one URL, which is refused.
        if urls.contains('@') {
            return Self::in_environment([urls]);
        }
        Self::in_environment(urls.split_whitespace())
    }

    /// A configuration for the servers at these URLs, with `TURNSTILE_TOKEN`, `TURNSTILE_CA` and
    /// `CLAIM_HELD` from the environment.
    #[must_use]
    pub fn in_environment(urls: impl IntoIterator<Item: Into<String>>) -> Self {
        let mut builder = Self::for_servers(urls);
        builder.token = std::env::var("TURNSTILE_TOKEN").ok();
        // A URL with anything to hide is refused later.
        let shown: Vec<String> = builder.urls.iter().map(|url| redacted(url)).collect();
        builder.held = InheritedClaims::inherit(&shown);
        if let Some(authority) = std::env::var_os("TURNSTILE_CA") {
            builder.connector = builder.connector.trusting(PathBuf::from(authority));
        }
        builder
    }

    /// Builds a client.
    ///
    /// # Errors
    /// When a URL or the token is invalid, URLs do not go together, or the certificates cannot be
    /// read.
    pub fn build(self) -> Result<LockClient, Error> {
        let servers = ServerAddress::read_all(&self.urls, &self.version)?;
        let credentials = |error: io::Error| ErrorKind::Credentials(error.to_string());
        let prepared = servers.iter().try_for_each(|server| self.connector.prepare(server));
        prepared.map_err(credentials)?;
        let caller = Caller::new(servers, self.connector.clone(), self.token.as_deref())
            .map_err(credentials)?;
        let rng = Mutex::new(self.rng.clone());
        let commands = Mutex::new(None);
        let shared = ClientShared { config: self, caller, keychain: None, rng, commands };
        Ok(LockClient { shared: Arc::new(shared) })
    }

    /// Builds a client that sends its requests through a keychain, and starts `program` (the
    /// `claim` command) as one. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When the URL is invalid, or the program cannot be started.
    pub fn build_with_keychain(self, program: &Path) -> Result<LockClient, Error> {
        let cause = |error| ErrorKind::Keychain(format!("{}: {error}", program.display()));
        // First, since the URLs are arguments of the program, which others see.
        let mut client = self.clone().build()?;
        let (keychain, commands) = keychain_connection::start(program, &self).map_err(cause)?;
        let shared = Arc::get_mut(&mut client.shared).expect("just built");
        shared.keychain = Some(keychain);
        shared.commands = Mutex::new(Some(commands));
        Ok(client)
    }

    /// Builds a client whose claims are driven by a thread of their own, and a guard that releases
    /// them when the program exits, however its runtime ends: keep the guard as long as the client,
    /// for example in `main`.
    ///
    /// # Errors
    /// When the URL or the token is invalid, or the system cannot create a thread.
    pub fn build_with_guard(self, timeout: Duration) -> Result<(LockClient, LeaveGuard), Error> {
        let mut client = self.build()?;
        let shared = Arc::get_mut(&mut client.shared).expect("just built");
        let commands = leave_guard::start(|commands| shared.drive().run(commands));
        let commands = commands.map_err(|error| ErrorKind::System(error.to_string()))?;
        shared.commands = Mutex::new(Some(commands));
        Ok((client.clone(), LeaveGuard::new(client, timeout)))
    }
}

/// Claims resources of one service. Clones share their claims.
///
/// A program that exits without [`LockClient::close`] drops the runtime that would have released
/// the claims, and they expire. [`LockClientBuilder::build_with_guard`] releases them when `main`
/// returns or panics, [`crate::blocking::LockClient`] when it is dropped, and a keychain when the
/// program exits in any way.
#[derive(Clone, Debug)]
pub struct LockClient {
    pub(super) shared: Arc<ClientShared>,
}

#[derive(Debug)]
pub(super) struct ClientShared {
    pub(super) config: LockClientBuilder,
    pub(super) caller: Caller,
    /// The process id of the keychain, if there is one.
    keychain: Option<u32>,
    pub(super) rng: Mutex<Rng>,
    commands: Mutex<Option<mpsc::UnboundedSender<UserCommand>>>,
}

impl LockClient {
    /// A client of the server at this URL, with default settings.
    ///
    /// # Errors
    /// When the URL is invalid.
    pub fn connect(url: &str) -> Result<Self, Error> {
        LockClientBuilder::new(url).build()
    }

    /// A client that sends its requests through a keychain, the program `claim` on the PATH, to the
    /// server at `TURNSTILE_URL`. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When `TURNSTILE_URL` is not set, or the program cannot be started.
    pub fn with_keychain() -> Result<Self, Error> {
        LockClientBuilder::from_environment()?.build_with_keychain(Path::new("claim"))
    }

    /// Whether this client has connected to a server. Without a connection it has no claim there.
    #[must_use]
    pub fn has_connected(&self) -> bool {
        self.shared.caller.has_connected()
    }

    /// The id of the server, or of the cluster of all servers; `None` before an answer, and where
    /// the server has none.
    #[must_use]
    pub fn server_id(&self) -> Option<&str> {
        self.shared.caller.id()
    }

    /// The process id of the keychain, if there is one.
    #[must_use]
    pub fn keychain_id(&self) -> Option<u32> {
        self.shared.keychain
    }

    /// Prepares a claim of a resource; awaiting it sends the request.
    pub fn claim(&self, resource: &str) -> Acquire {
        let LockClientBuilder { ttl, timeout, .. } = self.shared.config;
        Acquire::new(self.clone(), resource, ttl, timeout)
    }

    /// Releases or withdraws this client's claim of a resource, and returns when the server has
    /// acknowledged that or the lease is over. Returns `false` if there is no such claim.
    pub async fn abandon(&self, resource: &str) -> bool {
        let (reply, views) = oneshot::channel();
        // An error means that no driver runs, and then no claim is held.
        let _dead =
            self.shared.commands().send(UserCommand::Abandon { resource: resource.into(), reply });
        match views.await {
            Ok(view) => {
                ended(view).await;
                true
            }
            Err(_) => false,
        }
    }

    /// Releases and withdraws all claims, and returns when the server has acknowledged that, or
    /// after `timeout`. Returns whether all claims have ended; the others end at the server when
    /// their leases or their timeouts lapse.
    pub async fn close(&self, timeout: Duration) -> bool {
        let (reply, views) = oneshot::channel();
        let _dead = self.shared.commands().send(UserCommand::Close { reply });
        let all_over = async {
            for view in views.await.unwrap_or_default() {
                ended(view).await;
            }
        };
        tokio::time::timeout(timeout, all_over).await.is_ok()
    }
}

impl ClientShared {
    /// The channel for commands: to the keychain process, or to the driver in this process, which
    /// the first command starts in the current runtime.
    pub(super) fn commands(&self) -> mpsc::UnboundedSender<UserCommand> {
        let mut commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(commands) = &*commands
            && (!commands.is_closed() || self.keychain.is_some())
        {
            return commands.clone();
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        simulation::spawn(self.drive().run(receiver));
        *commands = Some(sender.clone());
        sender
    }

    fn drive(&self) -> ClientDriver {
        let seed = self.rng.lock().unwrap_or_else(PoisonError::into_inner).number();
        let LockClientBuilder { clock, trace, .. } = &self.config;
        ClientDriver::new(self.caller.clone(), clock.clone(), Rng::seeded(seed), trace.clone())
    }
}

pub(super) fn check_ttl(ttl: Duration) -> Result<(), ErrorKind> {
    let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    if ttl < TTL_MIN {
        return Err(ErrorKind::TtlTooShort { ttl_ms: ms(ttl), ttl_min_ms: ms(TTL_MIN) });
    }
    Ok(())
}
