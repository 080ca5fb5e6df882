//! Mutual TLS 1.3 with certificates of one authority, or with certificates that all trust.
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
use tokio_rustls::rustls::server::{NoServerSessionStorage, ParsedCertificate};
use tokio_rustls::rustls::version::TLS13;
use tokio_rustls::rustls::{AlertDescription, ClientConfig, Error, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::address::Address;
use super::network::{Stream, Wire};
use crate::certificates::{
    Certificate, CertificateFiles, Loaded, Reloadable, client_verifier, remedy, server_verifier,
};
use crate::pem;
use crate::transport::Refusal;

/// How a node trusts a certificate.
const TRUST: &str = "the file of authorities (CA) of this node needs";

/// A node's certificate and the trusted authorities. Clones share them: what is replaced or
/// reloaded is used for new connections of all.
#[derive(Clone)]
pub struct Tls(Reloadable<Handshakes>);

/// Makes the handshakes of both directions.
#[derive(Clone)]
struct Handshakes {
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
    /// private key; and the certificates of the authorities of the peers, or of peers themselves.
    /// The own certificate is used as server and as client: if it has extended key usages, it needs
    /// both.
    ///
    /// # Errors
    /// When the key does not match the chain, or an authority's certificate is invalid.
    pub fn new(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
        authorities: Vec<CertificateDer<'static>>,
    ) -> io::Result<Self> {
        Ok(Self(Reloadable::fixed(Handshakes::new(chain, key, authorities)?)))
    }

    /// Reads the chain, the key and the authorities from PEM files, now and at each reload of
    /// [`Tls::files`].
    ///
    /// # Errors
    /// When a file cannot be read, has no certificate or key, and as [`Tls::new`].
    pub fn read(chain: &Path, key: &Path, authorities: &Path) -> io::Result<Self> {
        let [chain, key, authorities] = [chain, key, authorities].map(Path::to_owned);
        Reloadable::read(move || Handshakes::read(&chain, &key, &authorities)).map(Self)
    }

    /// Replaces what [`Tls::new`] takes, for new connections. Open ones are not affected.
    ///
    /// # Errors
    /// As [`Tls::new`]; what was in use then stays in use.
    pub fn replace(
        &self,
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
        authorities: Vec<CertificateDer<'static>>,
    ) -> io::Result<()> {
        self.0.replace(Handshakes::new(chain, key, authorities)?);
        Ok(())
    }

    /// The files that were read: to reload them, and to watch their ends.
    #[must_use]
    pub fn files(&self) -> Arc<dyn CertificateFiles> {
        Arc::new(self.0.clone())
    }

    /// Performs the handshake of an outgoing connection.
    pub(super) async fn connect(&self, stream: impl Stream, to: &Address) -> io::Result<Wire> {
        let name = ServerName::try_from(to.name().to_owned()).map_err(io::Error::other)?;
        Ok(Box::new(self.0.current().connector.connect(name, stream).await?))
    }

    /// Performs the handshake of an incoming connection; returns the peer's certificate.
    pub(super) async fn accept(&self, stream: impl Stream) -> io::Result<(Wire, PeerCertificate)> {
        let stream = self.0.current().acceptor.accept(stream).await?;
        let shown = stream.get_ref().1.peer_certificates().and_then(<[_]>::first).cloned();
        Ok((Box::new(stream), PeerCertificate(shown)))
    }
}

impl Handshakes {
    fn new(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
        authorities: Vec<CertificateDer<'static>>,
    ) -> io::Result<Self> {
        let mut roots = RootCertStore::empty();
        for authority in &authorities {
            roots.add(authority.clone()).map_err(io::Error::other)?;
        }
        let (roots, provider) = (Arc::new(roots), Arc::new(ring::default_provider()));
        let mut server = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[&TLS13])
            .map_err(io::Error::other)?
            .with_client_cert_verifier(client_verifier(Arc::clone(&roots), &authorities)?)
            .with_single_cert(chain.clone(), key.clone_key())
            .map_err(io::Error::other)?;
        server.session_storage = Arc::new(NoServerSessionStorage {});
        server.send_tls13_tickets = 0;
        let mut client = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .map_err(io::Error::other)?
            .dangerous()
            .with_custom_certificate_verifier(server_verifier(roots, &authorities)?)
            .with_client_auth_cert(chain, key)
            .map_err(io::Error::other)?;
        client.resumption = Resumption::disabled();
        let (connector, acceptor) = (Arc::new(client).into(), Arc::new(server).into());
        Ok(Self { connector, acceptor })
    }

    fn read(chain: &Path, key: &Path, authorities: &Path) -> io::Result<Loaded<Self>> {
        let private = pem::private_key(key)?;
        let own = pem::some_certificates(chain)?;
        let trusted = pem::some_certificates(authorities)?;
        let mut certificates = Certificate::of_file("peer", chain, &own);
        certificates.extend(Certificate::of_file("peer-authority", authorities, &trusted));
        let unusable = |error| pem::invalid(chain, &explained(&error));
        let config = Self::new(own, private, trusted).map_err(unusable)?;
        Ok(Loaded { config, certificates })
    }
}

/// Says why a handshake has failed, and what to do about it.
pub(super) fn explained(error: &io::Error) -> String {
    let tls = error.get_ref().and_then(|error| error.downcast_ref::<Error>());
    match tls {
        Some(Error::InvalidCertificate(why)) => format!("{error}; {}", remedy(why, TRUST)),
        Some(Error::AlertReceived(AlertDescription::UnknownCA)) => format!(
            "{error}; the file of authorities (CA) of the peer needs the certificate of the \
             authority that has signed the one of this node"
        ),
        _ => error.to_string(),
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
