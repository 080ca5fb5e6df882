//! TLS between the members: who shows no certificate, or a wrong one, is told so on both sides and
//! gets nothing.

use std::fs::{self, File};
use std::time::Duration;

use rcgen::date_time_ymd;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
};
use rustix::process::{Pid, Signal, kill_process};
use turnstile_host::wall_us;

use super::program::{Site, body, check_refused};
use crate::http::until;
use crate::real::Turnstiled;

/// The host of all members.
const HOST: &str = "127.0.0.1";

/// Ends of validity, in seconds since the Unix epoch.
const OF_2021_S: u64 = 1_609_459_200;
const OF_2100_S: u64 = 4_102_444_800;

/// Signs certificates.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().expect("a key can be made");
        Self(CertifiedIssuer::self_signed(params, key).expect("it can be signed"))
    }

    /// A certificate for a name, its key, and this authority.
    fn sign(&self, name: &str, has_expired: bool) -> [String; 3] {
        self.sign_until(name, if has_expired { OF_2021_S } else { OF_2100_S })
    }

    /// A certificate that is valid until this time, in seconds since the Unix epoch.
    fn sign_until(&self, name: &str, end_s: u64) -> [String; 3] {
        let mut params = CertificateParams::new([name.to_owned()]).expect("it is a name");
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(1970, 1, 1) + Duration::from_secs(end_s);
        let key = KeyPair::generate().expect("a key can be made");
        let certificate = params.signed_by(&key, &self.0).expect("it can be signed");
        [certificate.pem(), key.serialize_pem(), self.0.pem()]
    }
}

/// A certificate that is its own authority, beside the one of the others.
fn self_signed(authority: &Authority) -> [String; 3] {
    let params = CertificateParams::new([HOST.to_owned()]).expect("it is a name");
    let key = KeyPair::generate().expect("a key can be made");
    let certificate = params.self_signed(&key).expect("it can be signed");
    [certificate.pem(), key.serialize_pem(), authority.0.pem()]
}

/// The options for these files.
fn options(site: &Site, name: &str, texts: [String; 3]) -> Vec<String> {
    let mut options = vec!["--peer-tls".to_owned()];
    for (kind, text) in ["certificate", "key", "authority"].into_iter().zip(texts) {
        let file = site.path(&format!("{name}.{kind}"));
        fs::write(&file, text).expect("the directory is ours");
        options.push(file);
    }
    options
}

/// Starts a member whose warnings are in a file.
fn start(site: &mut Site, id: u64, more: &[String]) {
    start_logging(site, id, "warn", more);
}

fn start_logging(site: &mut Site, id: u64, level: &str, more: &[String]) {
    let arguments = [site.arguments(id), more.to_vec()].concat();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let log = File::create(site.path(&format!("{id}.log"))).expect("the directory is ours");
    let member = Turnstiled::start_with(&arguments, |command| {
        command.env("TURNSTILE_LOG", level).stderr(log);
    });
    site.members.insert(id, member);
}

/// Waits until a member has warned.
fn warns(site: &Site, id: u64, of: &str) {
    let log = || fs::read_to_string(site.path(&format!("{id}.log"))).expect("it is text");
    until(&format!("{of:?} of member {id}"), || log().contains(of));
}

/// Members 1 and 2, which trust the authority, as member 3 did, which does not run any more.
fn pair(site: &mut Site, authority: &Authority) {
    fs::create_dir_all(site.path("")).expect("the directory is ours");
    for id in 1..=3 {
        let tls = options(site, &format!("good-{id}"), authority.sign(HOST, false));
        start(site, id, &[&["--new".to_owned()][..], &tls].concat());
    }
    site.ready();
    drop(site.members.remove(&3));
}

#[test]
fn members_authenticate_each_other_by_certificates() {
    let mut site = Site::new("tls");
    let (authority, other) = (Authority::new("ours"), Authority::new("theirs"));
    pair(&mut site, &authority);
    let held = site.client(2).post(&body("r")).expect(201);
    let strangers = [
        (None, "connection rejected: the TLS handshake failed", "no hello message"),
        (
            Some(other.sign(HOST, false)),
            "received fatal alert: UnknownCA",
            "invalid peer certificate: UnknownIssuer",
        ),
        (
            Some(self_signed(&authority)),
            "rejected: the TLS handshake failed: invalid peer certificate: UnknownIssuer",
            "rejected the connection: the TLS handshake failed: received fatal alert: UnknownCA",
        ),
        (
            Some(authority.sign(HOST, true)),
            "invalid peer certificate: certificate expired",
            "received fatal alert: CertificateExpired",
        ),
        (
            Some(authority.sign("elsewhere", false)),
            "the certificate does not match the sender",
            "the certificate does not match the sender: a hello from 3 to 1",
        ),
    ];
    // Each reason is another one, so that members 1 and 2 warn of each.
    for (texts, theirs, own) in strangers {
        let tls = texts.map(|texts| options(&site, "stranger", texts));
        drop(site.members.remove(&3));
        start(&mut site, 3, &tls.unwrap_or_default());
        warns(&site, 1, theirs);
        warns(&site, 3, own);
        let mut stranger = site.client(3);
        stranger.get("/healthz").expect(200);
        stranger.get("/readyz").expect(503);
        let path = format!("{}?stale=true", held.path());
        assert_eq!(stranger.get(&path).status, 404, "it has heard nothing: {theirs}");
        // The others go on without it.
        let next = site.client(1).post(&body("s")).expect(201);
        site.client(2).set(&next.path(), "released").expect(204);
    }
    drop(site.members.remove(&3));
    let tls = options(&site, "good-3", authority.sign(HOST, false));
    start(&mut site, 3, &tls);
    site.ready();
    assert_eq!(site.client(3).get(&held.path()).expect(200).field("status"), "active");
}

/// How often a member has logged a text.
fn logged(site: &Site, id: u64, text: &str) -> usize {
    let log = fs::read_to_string(site.path(&format!("{id}.log"))).expect("it is text");
    log.matches(text).count()
}

/// Has a member read its files again.
fn reload(site: &Site, id: u64, is_refused: bool) {
    let text = if is_refused { "reload failed" } else { "reloaded on SIGHUP" };
    let before = logged(site, id, text);
    kill_process(Pid::from_child(&site.members[&id].child), Signal::HUP).expect("it runs");
    until("it is reloaded", || logged(site, id, text) > before);
}

#[test]
fn certificates_and_their_authority_are_replaced_while_members_run() {
    let mut site = Site::new("rotation");
    fs::create_dir_all(site.path("")).expect("the directory is ours");
    let (old, new) = (Authority::new("old"), Authority::new("new"));
    let now_s = || wall_us() / 1_000_000;
    let end_s = now_s() + 5;
    let mut tls = Vec::new();
    for id in 1..=3 {
        let name = format!("member-{id}");
        tls.push(options(&site, &name, old.sign_until(HOST, end_s)));
        let more = [&["--new".to_owned()][..], tls.last().expect("it was added")].concat();
        start_logging(&mut site, id, "info", &more);
    }
    // Other certificates of another authority: at first the files of all trust both.
    for id in 1..=3 {
        let [certificate, key, authority] = new.sign(HOST, false);
        let texts = [certificate, key, old.0.pem() + &authority];
        options(&site, &format!("member-{id}"), texts);
        reload(&site, id, false);
    }
    until("the old certificates have expired", || now_s() > end_s);
    for id in 1..=3 {
        fs::write(site.path(&format!("member-{id}.authority")), new.0.pem()).expect("it is ours");
        reload(&site, id, false);
    }
    site.ready();
    let told =
        [1, 2, 3].map(|id| logged(&site, id, "expires soon") + logged(&site, id, "has expired"));
    let held = site.client(1).post(&body("r")).expect(201);
    // Each starts again, so that it and all others have new connections.
    for id in 1..=3 {
        drop(site.members.remove(&id));
        start_logging(&mut site, id, "info", &tls[id as usize - 1]);
        site.ready();
        assert_eq!(site.client(id).get(&held.path()).expect(200).field("status"), "active");
    }
    assert_eq!(told, [1, 1, 1], "each said so at its start");
    let metrics = site.client(1).get("/metrics").expect(200).text;
    for (usage, kind) in [("peer", "certificate"), ("peer-authority", "authority")] {
        let labels = format!(
            "{{usage=\"{usage}\",file=\"{}\",number=\"1\"}} ",
            site.path(&format!("member-1.{kind}"))
        );
        let name = "turnstile_certificate_not_after_timestamp_seconds";
        let line = metrics.lines().find(|line| line.starts_with(&format!("{name}{labels}")));
        let end = line.unwrap_or_else(|| panic!("no {labels} in {metrics}")).rsplit(' ').next();
        let expected = if usage == "peer" { OF_2100_S } else { 67_090_118_400 };
        assert_eq!(end, Some(expected.to_string().as_str()), "{labels}");
    }
    // Files that do not fit change nothing.
    fs::write(site.path("member-1.key"), "none").expect("it is ours");
    reload(&site, 1, true);
    drop(site.members.remove(&2));
    start_logging(&mut site, 2, "info", &tls[1]);
    site.ready();
    assert_eq!(logged(&site, 2, "expire"), 0);
}

#[test]
fn files_of_tls_that_are_none_are_named() {
    let site = Site::new("tls-files");
    fs::create_dir_all(site.path("")).expect("the directory is ours");
    let [certificate, key, _] = Authority::new("ours").sign(HOST, false);
    let [_, another, authority] = Authority::new("theirs").sign(HOST, false);
    for (texts, because) in [
        ([certificate.clone(), another, authority.clone()], "bad.certificate: "),
        ([certificate.clone(), key.clone(), "none".into()], "bad.authority: "),
        (["none".into(), key, authority], "bad.certificate: "),
    ] {
        let tls = options(&site, "bad", texts);
        let arguments = [site.arguments(1), vec!["--new".to_owned()], tls].concat();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        check_refused(&arguments, because);
        check_refused(&arguments, "--peer-tls ");
        assert!(!std::path::Path::new(&site.path("1")).exists(), "nothing is begun");
    }
}
