//! TLS for the server: certificate chain and key, read at the start and on reload.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::{Error, ServerConfig};
use turnstile_host::certificates::{Certificate, CertificateFiles, Loaded, Reloadable, remedy};
use turnstile_host::pem;

/// The server's certificate. Clones share it.
#[derive(Clone, Debug)]
pub struct ServerTls(Reloadable<TlsAcceptor>);

impl ServerTls {
    /// Reads a chain and a key, both PEM, now and at each reload of [`ServerTls::files`].
    ///
    /// # Errors
    /// When a file cannot be read, or the key does not match the certificate.
    pub fn read(chain: &Path, key: &Path) -> io::Result<Self> {
        let [chain, key] = [chain, key].map(Path::to_owned);
        Reloadable::read(move || read(&chain, &key)).map(Self)
    }

    /// The files: to reload them, and to watch their ends. Open connections are not affected.
    #[must_use]
    pub fn files(&self) -> Arc<dyn CertificateFiles> {
        Arc::new(self.0.clone())
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.0.current()
    }
}

fn read(chain: &Path, key: &Path) -> io::Result<Loaded<TlsAcceptor>> {
    let (own, private) = (pem::some_certificates(chain)?, pem::private_key(key)?);
    let certificates = Certificate::of_file("server", chain, &own);
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(own, private)
        .map_err(|error| {
            if let Error::InvalidCertificate(why) = &error {
                return pem::invalid(chain, &format!("{error}; {}", remedy(why, "")));
            }
            pem::invalid(key, &error)
        })?;
    Ok(Loaded { config: TlsAcceptor::from(Arc::new(config)), certificates })
}
