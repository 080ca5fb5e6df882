//! Authorities and certificates, made anew for each test.

use rcgen::{BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DistinguishedName};
use rcgen::{DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose, date_time_ymd};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use turnstile_host::transport::tcp::Tls;

/// Signs certificates.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

/// Where a certificate differs from a good one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    None,
    Expired,
    NotYetValid,
    /// It is for servers alone.
    ServerOnly,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().expect("a key can be made");
        Self(CertifiedIssuer::self_signed(params, key).expect("it can be signed"))
    }

    pub(crate) fn certificate(&self) -> CertificateDer<'static> {
        self.0.der().clone()
    }

    /// A certificate for a name, and its key.
    pub(crate) fn sign(
        &self,
        name: &str,
        flaw: Flaw,
    ) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
        let mut params = CertificateParams::new([name.to_owned()]).expect("it is a name");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        if flaw != Flaw::ServerOnly {
            params.extended_key_usages.push(ExtendedKeyUsagePurpose::ClientAuth);
        }
        if flaw == Flaw::Expired {
            (params.not_before, params.not_after) =
                (date_time_ymd(2020, 1, 1), date_time_ymd(2021, 1, 1));
        }
        if flaw == Flaw::NotYetValid {
            params.not_before = date_time_ymd(4000, 1, 1);
        }
        let key = KeyPair::generate().expect("a key can be made");
        let certificate = params.signed_by(&key, &self.0).expect("it can be signed");
        (certificate.der().clone(), key.into())
    }

    /// The texts of three files: a chain, its key, and the authority.
    pub(crate) fn files(&self, name: &str) -> [String; 3] {
        let params = CertificateParams::new([name.to_owned()]).expect("it is a name");
        let key = KeyPair::generate().expect("a key can be made");
        let certificate = params.signed_by(&key, &self.0).expect("it can be signed");
        [certificate.pem(), key.serialize_pem(), self.0.pem()]
    }

    /// What a node shows that has a good certificate, and believes this authority.
    pub(crate) fn tls(&self, name: &str) -> Tls {
        self.tls_with(name, Flaw::None, self)
    }

    /// What a node shows that has such a certificate, and believes another authority.
    pub(crate) fn tls_with(&self, name: &str, flaw: Flaw, believed: &Self) -> Tls {
        let (certificate, key) = self.sign(name, flaw);
        Tls::new(vec![certificate], key, vec![believed.certificate()]).expect("they fit")
    }
}

/// A certificate that is its own authority, as `openssl req -x509 -newkey … -nodes -subj /CN=…
/// [-addext subjectAltName=…]` makes it: it may sign others (`CA:TRUE`).
pub(crate) struct SelfSigned {
    certificate: Certificate,
    key: KeyPair,
}

impl SelfSigned {
    /// One for these names; without any it has no `subjectAltName`.
    pub(crate) fn new(common_name: &str, names: &[&str], has_expired: bool) -> Self {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).expect("they are names");
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, common_name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.use_authority_key_identifier_extension = true;
        if has_expired {
            (params.not_before, params.not_after) =
                (date_time_ymd(2020, 1, 1), date_time_ymd(2021, 1, 1));
        }
        let key = KeyPair::generate().expect("a key can be made");
        let certificate = params.self_signed(&key).expect("it can be signed");
        Self { certificate, key }
    }

    /// What a node shows that has it, and trusts these.
    pub(crate) fn tls(&self, trusted: &[&Self]) -> Tls {
        let trusted = trusted.iter().map(|one| one.certificate.der().clone()).collect();
        let key = PrivateKeyDer::try_from(self.key.serialize_der()).expect("it is a key");
        Tls::new(vec![self.certificate.der().clone()], key, trusted).expect("they fit")
    }
}
