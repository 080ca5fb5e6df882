//! An authority that signs the certificates of members, in files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rcgen::{KeyUsagePurpose, date_time_ymd};

/// Signs certificates.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: PathBuf,
}

impl Authority {
    /// One whose files are in this folder.
    pub fn new(folder: &Path) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().expect("a key can be made");
        let issuer = CertifiedIssuer::self_signed(params, key).expect("it can be signed");
        Self { issuer, folder: folder.to_owned() }
    }

    /// The options of a member whose certificate is for an address, and valid until this time, in
    /// seconds since the Unix epoch. The files of the address are replaced.
    pub fn options(&self, address: &str, end_s: u64) -> Vec<String> {
        let mut params = CertificateParams::new([address.to_owned()]).expect("it is an address");
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(1970, 1, 1) + Duration::from_secs(end_s);
        let key = KeyPair::generate().expect("a key can be made");
        let certificate = params.signed_by(&key, &self.issuer).expect("it can be signed");
        let texts = [certificate.pem(), key.serialize_pem(), self.issuer.pem()];
        let names = ["certificate", "key", "authority"].map(|what| format!("{address}-{what}.pem"));
        let files = names.into_iter().zip(texts).map(|(name, text)| {
            let path = self.folder.join(name);
            std::fs::write(&path, text).expect("the temporary folder can be written");
            path.display().to_string()
        });
        ["--tls".to_owned()].into_iter().chain(files).collect()
    }
}
