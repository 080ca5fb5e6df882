//! TLS for the server: a certificate chain and its key, read once at the start.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::trouble::at;

/// What the server shows to its clients.
#[derive(Clone)]
pub struct ServerTls {
    pub(super) acceptor: TlsAcceptor,
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
    /// When a file cannot be read, or the two do not fit.
    pub fn read(chain: &Path, key: &Path) -> io::Result<Self> {
        let open = |path: &Path| File::open(path).map_err(at(path.display()));
        let in_file = |path: &Path, error: &dyn std::fmt::Display| {
            io::Error::new(io::ErrorKind::InvalidData, format!("{}: {error}", path.display()))
        };
        let certificates: Vec<CertificateDer<'static>> =
            CertificateDer::pem_reader_iter(BufReader::new(open(chain)?))
                .collect::<Result<_, _>>()
                .map_err(|error| in_file(chain, &error))?;
        let private = PrivateKeyDer::from_pem_reader(BufReader::new(open(key)?))
            .map_err(|error| in_file(key, &error))?;
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(certificates, private)
            .map_err(|error| in_file(key, &error))?;
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)) })
    }
}
