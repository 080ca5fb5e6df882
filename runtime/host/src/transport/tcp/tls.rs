//! TLS 1.3 in which both sides show certificates that one authority has signed.
//!
//! A certificate must be valid for the name of its node: the peer's [`Address::name`], which is the
//! host of its address unless it was named. The node that connects checks it in the handshake. The
//! node that accepts learns from the hello which peer the other claims to be, and then checks that
//! peer's name. Sessions are not resumed, so that each connection shows its certificates.

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

/// What a node shows to its peers, and who must have signed what they show. Clones share it.
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
    /// A chain, the node's own certificate first; the key of that certificate; and the
    /// certificates of the authorities that may sign those of peers. The own certificate is shown
    /// in both roles: if it has extended key usages, it needs those of servers and of clients.
    ///
    /// # Errors
    /// When the chain and the key do not fit, or an authority's certificate is none.
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

    /// Reads the three from PEM files.
    ///
    /// # Errors
    /// When a file cannot be read, has no certificate or key, and as [`Tls::new`].
    pub fn read(chain: &Path, key: &Path, authorities: &Path) -> io::Result<Self> {
        let private = pem::private_key(key)?;
        let certificates = |path: &Path| match pem::certificates(path)? {
            found if found.is_empty() => Err(pem::invalid(path, &"there is no certificate")),
            found => Ok(found),
        };
        Self::new(certificates(chain)?, private, certificates(authorities)?)
            .map_err(|error| pem::invalid(chain, &error))
    }

    /// Finishes the handshake with a peer that was dialed.
    pub(super) async fn connect(&self, stream: impl Stream, to: &Address) -> io::Result<Wire> {
        let name = ServerName::try_from(to.name().to_owned()).map_err(io::Error::other)?;
        Ok(Box::new(self.connector.connect(name, stream).await?))
    }

    /// Finishes the handshake with whoever has dialed, and tells the certificate it has shown.
    pub(super) async fn accept(&self, stream: impl Stream) -> io::Result<(Wire, Shown)> {
        let stream = self.acceptor.accept(stream).await?;
        let shown = stream.get_ref().1.peer_certificates().and_then(<[_]>::first).cloned();
        Ok((Box::new(stream), Shown(shown)))
    }
}

/// The certificate that the other side has shown and that an authority has signed.
pub(super) struct Shown(Option<CertificateDer<'static>>);

impl Shown {
    /// Makes sure that it is that of a peer.
    pub(super) fn is_of(&self, peer: &Address) -> Result<(), Refusal> {
        let certificate = self.0.as_ref().ok_or(Refusal::Certificate)?;
        let parsed = ParsedCertificate::try_from(certificate).map_err(|_| Refusal::Certificate)?;
        let name = ServerName::try_from(peer.name()).map_err(|_| Refusal::Certificate)?;
        verify_server_name(&parsed, &name).map_err(|_| Refusal::Certificate)
    }
}
