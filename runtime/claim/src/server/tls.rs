//! TLS for the server: certificate chain and key, read at the start and on reload.

use std::io;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use turnstile_host::pem;

/// The server's certificate. Clones share it.
#[derive(Clone)]
pub struct ServerTls {
    chain: Arc<Path>,
    key: Arc<Path>,
    acceptor: Arc<RwLock<TlsAcceptor>>,
}

impl std::fmt::Debug for ServerTls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ServerTls")
    }
}

impl ServerTls {
    /// Reads a chain and a key, both PEM.
    ///
    /// # Errors
    /// When a file cannot be read, or the key does not match the certificate.
    pub fn read(chain: &Path, key: &Path) -> io::Result<Self> {
        let acceptor = Arc::new(RwLock::new(read(chain, key)?));
        Ok(Self { chain: chain.into(), key: key.into(), acceptor })
    }

    /// Reloads both files, for all clones. Open connections are not affected.
    ///
    /// # Errors
    /// As [`ServerTls::read`]; the previous certificate then stays in use.
    pub fn reload(&self) -> io::Result<()> {
        let acceptor = read(&self.chain, &self.key)?;
        *self.acceptor.write().unwrap_or_else(PoisonError::into_inner) = acceptor;
        Ok(())
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn read(chain: &Path, key: &Path) -> io::Result<TlsAcceptor> {
    let (certificates, private) = (pem::certificates(chain)?, pem::private_key(key)?);
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(certificates, private)
        .map_err(|error| pem::invalid(key, &error))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
