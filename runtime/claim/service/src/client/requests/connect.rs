//! Connections to the server: TCP, TLS over TCP, or streams that the caller provides.
//!
//! The trusted root certificates are loaded only for https, and once.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use turnstile_host::certificates::server_verifier;

use crate::client::requests::server_address::ServerAddress;

/// A connection of any kind.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// A connection being established.
type Connecting = Pin<Box<dyn Future<Output = io::Result<Box<dyn Stream>>> + Send>>;

/// Opens connections.
#[derive(Clone)]
pub struct Connector {
    dial: Arc<dyn Fn(String, u16) -> Connecting + Send + Sync>,
    authority: Option<PathBuf>,
    tls: Arc<OnceLock<TlsConnector>>,
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector").field("authority", &self.authority).finish_non_exhaustive()
    }
}

impl Default for Connector {
    fn default() -> Self {
        Self::new(|host: String, port| async move {
            let stream = TcpStream::connect((host, port)).await?;
            stream.set_nodelay(true)?;
            Ok(stream)
        })
    }
}

impl Connector {
    /// A connector that calls a function with host and port, for example for a proxy or a
    /// simulation.
    #[must_use]
    pub fn new<S, F, D>(dial: D) -> Self
    where
        S: Stream + 'static,
        F: Future<Output = io::Result<S>> + Send + 'static,
        D: Fn(String, u16) -> F + Send + Sync + 'static,
    {
        let dial = move |host, port| -> Connecting {
            let dialled = dial(host, port);
            Box::pin(async move { Ok(Box::new(dialled.await?) as Box<dyn Stream>) })
        };
        Self { dial: Arc::new(dial), authority: None, tls: Arc::new(OnceLock::new()) }
    }

    /// Trusts the certificates in this PEM file instead of those of the operating system: those of
    /// authorities, or a server's own one, for its names.
    #[must_use]
    pub fn trusting(self, authority: PathBuf) -> Self {
        Self { authority: Some(authority), tls: Arc::new(OnceLock::new()), ..self }
    }

    /// The file of trusted certificates, if set.
    pub(crate) fn authority(&self) -> Option<&Path> {
        self.authority.as_deref()
    }

    /// Loads the certificates that a connection to this server needs.
    pub(crate) fn prepare(&self, server: &ServerAddress) -> io::Result<()> {
        if server.is_tls { self.tls().map(drop) } else { Ok(()) }
    }

    /// Connects.
    pub(crate) async fn connect(&self, server: &ServerAddress) -> io::Result<Box<dyn Stream>> {
        let stream = (self.dial)(server.host.clone(), server.port).await?;
        if !server.is_tls {
            return Ok(stream);
        }
        let name = ServerName::try_from(server.host.clone())
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let stream = self.tls()?.connect(name, stream).await?;
        Ok(Box::new(stream))
    }

    fn tls(&self) -> io::Result<TlsConnector> {
        if let Some(tls) = self.tls.get() {
            return Ok(tls.clone());
        }
        let mut roots = RootCertStore::empty();
        let certificates = match &self.authority {
            None => rustls_native_certs::load_native_certs().certs,
            Some(path) => CertificateDer::pem_file_iter(path)
                .and_then(Iterator::collect::<Result<Vec<_>, _>>)
                .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?,
        };
        roots.add_parsable_certificates(certificates.iter().cloned());
        if roots.is_empty() {
            let server =
                self.authority.as_ref().map_or("the system".into(), |path| path.to_string_lossy());
            return Err(io::Error::other(format!("{server} has no trusted certificates")));
        }
        let config = ClientConfig::builder()
            .dangerous()
            .with_custom_certificate_verifier(server_verifier(Arc::new(roots), &certificates)?)
            .with_no_client_auth();
        Ok(self.tls.get_or_init(|| TlsConnector::from(Arc::new(config))).clone())
    }
}
