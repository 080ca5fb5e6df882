//! The document's lock manager: one service, many claims, one claim per resource.
//!
//! It starts the driver of the keychain core and creates claims.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::oneshot;

use super::acquire::Acquire;
use super::builder::LockClientBuilder;
use super::command::UserCommand;
use super::driver::ended;
use super::error::{Error, ErrorKind};
use super::keychain_connection;
use super::shared::ClientShared;
use crate::client::requests::call::Caller;
use crate::client::requests::server_address::ServerAddress;

impl LockClientBuilder {
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

    /// Prepares a claim of a resource; awaiting it sends the request.
    pub fn claim(&self, resource: &str) -> Acquire {
        Acquire::new(Arc::clone(&self.shared), resource)
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
