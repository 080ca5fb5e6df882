//! Members that show each other certificates, and members behind other addresses.

use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};
use serde_json::json;

use crate::group::Group;

/// Signs certificates.
struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: PathBuf,
}

impl Authority {
    fn new(folder: &Path) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().expect("a key can be made");
        let issuer = CertifiedIssuer::self_signed(params, key).expect("it can be signed");
        Self { issuer, folder: folder.to_owned() }
    }

    /// The options of a member whose certificate is for an address.
    fn options(&self, address: &str) -> Vec<String> {
        let params = CertificateParams::new([address.to_owned()]).expect("it is an address");
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

#[test]
fn only_members_with_certificates_for_their_addresses_are_in_the_group() {
    let mut group = Group::prepare();
    let authority = Authority::new(group.folder.path());
    let good = authority.options("127.0.0.1");
    group.options = [good.clone(), good.clone(), Vec::new()];
    (0..2).for_each(|one| group.start_member(one, "test"));
    (0..2).for_each(|one| group.await_members(one, 2));
    let other = group.folder.path().join("other");
    std::fs::create_dir(&other).expect("the temporary folder can be written");
    let strangers =
        [Vec::new(), authority.options("127.0.0.9"), Authority::new(&other).options("127.0.0.1")];
    for options in strangers {
        group.options[2] = options;
        group.start_member(2, "test");
        // It knows all addresses, and begins a group of its own.
        group.await_members(2, 1);
        let status = group.status(2).expect("it runs");
        assert_eq!(status["present"], json!([]));
        group.await_members(0, 2);
        group.end(2);
    }
    group.options[2] = good;
    group.start_member(2, "test");
    (0..3).for_each(|one| group.await_members(one, 3));
    assert!(group.output(2, &["run", "job", "--", "true"]).status.success());
}

#[test]
fn a_member_is_found_by_the_address_that_it_advertises() {
    let mut group = Group::prepare();
    // All addresses of the machine, none of which others could connect to by this name.
    group.listens = [(); 3].map(|()| "0.0.0.0");
    group.options = [0, 1, 2].map(|one| vec!["--advertise".into(), group.address(one)]);
    group.start_all();
    let members = group.json(1, &["members"]);
    let addresses = members.as_array().into_iter().flatten().map(|member| &member["address"]);
    let mut addresses: Vec<String> = addresses.map(ToString::to_string).collect();
    let mut expected = [0, 1, 2].map(|one| json!(group.address(one)).to_string());
    addresses.sort();
    expected.sort();
    assert_eq!(addresses, expected);
}
