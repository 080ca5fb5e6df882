//! Who is trusted: whose certificate an authority has signed, or is trusted itself.
//!
//! `openssl req -x509` makes a certificate that may sign others (`CA:TRUE`), and webpki refuses to
//! take such a one for that of a server, also if it is among the authorities. Whoever has its key
//! could sign any certificate by it. So trusting it for the names that it has itself trusts nobody
//! more, and OpenSSL, Go and browsers do so, too.

use std::io;
use std::sync::Arc;

use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::client::verify_server_name;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use tokio_rustls::rustls::server::{ParsedCertificate, WebPkiClientVerifier};
use tokio_rustls::rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, RootCertStore,
    SignatureScheme,
};
use x509_cert::der::Decode as _;
use x509_cert::der::oid::ObjectIdentifier;
use x509_cert::ext::pkix::{BasicConstraints, ExtendedKeyUsage};

/// The purposes of a certificate that has extended key usages (RFC 5280, 4.2.1.12).
const SERVER_AUTH: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1");
const CLIENT_AUTH: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.2");

/// Verifies servers by authorities. A server may also show one of these certificates itself, if it
/// is valid for the server's name.
///
/// # Errors
/// When there is no authority.
pub fn server_verifier(
    roots: Arc<RootCertStore>,
    authorities: &[CertificateDer<'static>],
) -> io::Result<Arc<dyn ServerCertVerifier>> {
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider).build();
    let inner = verifier.map_err(io::Error::other)?;
    Ok(Arc::new(ServerVerifier { inner, trusted: Trusted(authorities.to_vec()) }))
}

/// Verifies clients by authorities. A client may also show one of these certificates itself.
///
/// # Errors
/// When there is no authority.
pub fn client_verifier(
    roots: Arc<RootCertStore>,
    authorities: &[CertificateDer<'static>],
) -> io::Result<Arc<dyn ClientCertVerifier>> {
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider).build();
    let inner = verifier.map_err(io::Error::other)?;
    Ok(Arc::new(ClientVerifier { inner, trusted: Trusted(authorities.to_vec()) }))
}

/// Certificates that are trusted themselves.
#[derive(Debug)]
struct Trusted(Vec<CertificateDer<'static>>);

impl Trusted {
    /// Judges a certificate that may sign others: it is valid if it is trusted itself, now and for
    /// this purpose. `None`: it may not sign others.
    fn judge(
        &self,
        shown: &CertificateDer<'_>,
        purpose: ObjectIdentifier,
        now: UnixTime,
    ) -> Option<Result<(), CertificateError>> {
        let parsed = x509_cert::Certificate::from_der(shown).ok()?;
        let tbs = parsed.tbs_certificate();
        let constraints = tbs.get_extension::<BasicConstraints>().ok()?;
        if !constraints.is_some_and(|(_, constraints)| constraints.ca) {
            return None;
        }
        if !self.0.contains(shown) {
            return Some(Err(CertificateError::UnknownIssuer));
        }
        let second =
            |time: x509_cert::time::Time| UnixTime::since_unix_epoch(time.to_unix_duration());
        let (not_before, not_after) =
            (second(tbs.validity().not_before), second(tbs.validity().not_after));
        if now < not_before {
            return Some(Err(CertificateError::NotValidYetContext { time: now, not_before }));
        }
        if now > not_after {
            return Some(Err(CertificateError::ExpiredContext { time: now, not_after }));
        }
        let is_for = match tbs.get_extension::<ExtendedKeyUsage>() {
            Ok(None) => true,
            Ok(Some((_, purposes))) => purposes.0.contains(&purpose),
            Err(_) => return Some(Err(CertificateError::BadEncoding)),
        };
        Some(if is_for { Ok(()) } else { Err(CertificateError::InvalidPurpose) })
    }
}

#[derive(Debug)]
struct ServerVerifier {
    inner: Arc<WebPkiServerVerifier>,
    trusted: Trusted,
}

impl ServerCertVerifier for ServerVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(judged) = self.trusted.judge(end_entity, SERVER_AUTH, now) else {
            let inner = &self.inner;
            return inner.verify_server_cert(
                end_entity,
                intermediates,
                server_name,
                ocsp_response,
                now,
            );
        };
        judged?;
        verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

#[derive(Debug)]
struct ClientVerifier {
    inner: Arc<dyn ClientCertVerifier>,
    trusted: Trusted,
}

impl ClientCertVerifier for ClientVerifier {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.inner.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        match self.trusted.judge(end_entity, CLIENT_AUTH, now) {
            None => self.inner.verify_client_cert(end_entity, intermediates, now),
            Some(judged) => Ok(judged.map(|()| ClientCertVerified::assertion())?),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}
