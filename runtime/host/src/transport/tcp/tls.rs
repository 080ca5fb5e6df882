//! Mutual TLS 1.3 with certificates of one authority.
//!
//! A certificate must be valid for the name of its node: the peer's [`Address::name`], by default
//! the host of its address. The connecting node checks it in the handshake. The accepting node
//! learns from the hello message which peer the other claims to be, and then checks that peer's
//! name. Sessions are not resumed, so that the certificates are checked for each connection.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio_rustls::rustls::client::{Resumption, verify_server_name};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::server::{
    NoServerSessionStorage, ParsedCertificate, WebPkiClientVerifier,
};
use tokio_rustls::rustls::version::TLS13;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::network::{Stream, Wire};
use super::options::Address;
use crate::pem;
use crate::transport::Refusal;

/// A node's certificate and the trusted authorities. Clones share it.
#[derive(Clone)]
pub struct Tls {
    connector: TlsConnector,
    acceptor: TlsAcceptor,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}

impl Tls {
    /// Creates a configuration from a certificate chain, the node's own certificate first; its
    /// private key; and the certificates of the authorities of the peers. The own certificate is
    /// used as server and as client: if it has extended key usages, it needs both.
    ///
    /// # Errors
    /// When the key does not match the chain, or an authority's certificate is invalid.
    pub fn new(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
        authorities: Vec<CertificateDer<'static>>,
    ) -> io::Result<Self> {
        let mut roots = RootCertStore::empty();
        for authority in authorities {
            roots.add(authority).map_err(io::Error::other)?;
        }
        let (roots, provider) = (Arc::new(roots), Arc::new(ring::default_provider()));
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::clone(&roots), Arc::clone(&provider))
                .build()
                .map_err(io::Error::other)?;
        let mut server = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[&TLS13])
            .map_err(io::Error::other)?
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain.clone(), key.clone_key())
            .map_err(io::Error::other)?;
        server.session_storage = Arc::new(NoServerSessionStorage {});
        server.send_tls13_tickets = 0;
        let mut client = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .map_err(io::Error::other)?
            .with_root_certificates(roots)
            .with_client_auth_cert(chain, key)
            .map_err(io::Error::other)?;
        client.resumption = Resumption::disabled();
        let (connector, acceptor) = (Arc::new(client).into(), Arc::new(server).into());
        Ok(Self { connector, acceptor })
    }

    /// Reads the chain, the key and the authorities from PEM files.
    ///
    /// # Errors
    /// When a file cannot be read, has no certificate or key, and as [`Tls::new`].
    pub fn read(chain: &Path, key: &Path, authorities: &Path) -> io::Result<Self> {
        let private = pem::private_key(key)?;
        let certificates = |path: &Path| match pem::certificates(path)? {
            found if found.is_empty() => Err(pem::invalid(path, &"the file has no certificate")),
            found => Ok(found),
        };
        Self::new(certificates(chain)?, private, certificates(authorities)?)
            .map_err(|error| pem::invalid(chain, &error))
    }

    /// Performs the handshake of an outgoing connection.
    pub(super) async fn connect(&self, stream: impl Stream, to: &Address) -> io::Result<Wire> {
        let name = ServerName::try_from(to.name().to_owned()).map_err(io::Error::other)?;
        Ok(Box::new(self.connector.connect(name, stream).await?))
    }

    /// Performs the handshake of an incoming connection; returns the peer's certificate.
    pub(super) async fn accept(&self, stream: impl Stream) -> io::Result<(Wire, PeerCertificate)> {
        let stream = self.acceptor.accept(stream).await?;
        let shown = stream.get_ref().1.peer_certificates().and_then(<[_]>::first).cloned();
        Ok((Box::new(stream), PeerCertificate(shown)))
    }
}

/// The verified certificate of a peer.
pub(super) struct PeerCertificate(Option<CertificateDer<'static>>);

impl PeerCertificate {
    /// Checks that the certificate is valid for a peer's name.
    pub(super) fn is_of(&self, peer: &Address) -> Result<(), Refusal> {
        let certificate = self.0.as_ref().ok_or(Refusal::Certificate)?;
        let parsed = ParsedCertificate::try_from(certificate).map_err(|_| Refusal::Certificate)?;
        let name = ServerName::try_from(peer.name()).map_err(|_| Refusal::Certificate)?;
        verify_server_name(&parsed, &name).map_err(|_| Refusal::Certificate)
    }
}
