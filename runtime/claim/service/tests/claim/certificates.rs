//! Certificates of the server: self-signed ones as `openssl req -x509` makes them, and their ends.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, KeyPair, date_time_ymd,
};
use rustix::process::{Pid, Signal, kill_process};
use turnstile_claim::client::{Connector, ErrorKind, LockClientBuilder};
use turnstile_claim::server::{Options, ServerTls, Storage};
use turnstile_host::wall_us;

use super::Running;
use crate::http::until;
use crate::real::Turnstiled;

/// The files of a certificate that is its own authority (`CA:TRUE`) and valid until this time, in
/// seconds since the Unix epoch. Without names it has no `subjectAltName`, as without `-addext`.
fn self_signed(folder: &str, names: &[&str], end_s: u64) -> [PathBuf; 2] {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificates").join(folder);
    fs::create_dir_all(&folder).expect("the directory is ours");
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).expect("they are names");
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, "localhost");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.use_authority_key_identifier_extension = true;
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(1970, 1, 1) + Duration::from_secs(end_s);
    let key = KeyPair::generate().expect("a key can be made");
    let certificate = params.self_signed(&key).expect("it can be signed");
    let files = ["cert.pem", "key.pem"].map(|name| folder.join(name));
    for (file, text) in files.iter().zip([certificate.pem(), key.serialize_pem()]) {
        fs::write(file, text).expect("the directory is ours");
    }
    files
}

/// A day and a half after now, in seconds since the Unix epoch.
fn tomorrow_s() -> u64 {
    wall_us() / 1_000_000 + 36 * 3_600
}

fn serve([certificate, key]: &[PathBuf; 2]) -> (Running, LockClientBuilder) {
    let tls = ServerTls::read(certificate, key).expect("they fit");
    let server = Running::start(Storage::Memory, Options { tls: Some(tls), ..Options::default() });
    let builder = LockClientBuilder::new(&format!("https://localhost:{}", server.at.port()));
    (server, builder)
}

async fn refused(builder: &LockClientBuilder) -> String {
    let client = builder.clone().build().expect("a good address");
    let error = client.claim("r").await.expect_err("the certificate is not trusted");
    assert!(matches!(error.cause, ErrorKind::Unreachable(_)), "{error}");
    error.to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_advice_for_a_self_signed_certificate_works() {
    // openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -subj /CN=localhost
    let files = self_signed("plain", &[], tomorrow_s());
    let (_server, mut builder) = serve(&files);
    let advice = refused(&builder).await;
    for part in [
        "is not trusted: ",
        "set TURNSTILE_CA to a PEM file with the certificate of the authority that has signed it",
        "if it is self-signed, that is the certificate itself",
    ] {
        assert!(advice.contains(part), "{advice}");
    }
    builder.connector = Connector::default().trusting(files[0].clone());
    let advice = refused(&builder).await;
    for part in [
        "it has no subjectAltName",
        "`openssl req -x509 -newkey rsa:2048 -nodes -days 365 -keyout key.pem -out cert.pem -subj \
         /CN=localhost -addext subjectAltName=DNS:localhost`",
    ] {
        assert!(advice.contains(part), "{advice}");
    }
    // With what this command makes, and TURNSTILE_CA set to it.
    let files = self_signed("named", &["localhost"], tomorrow_s());
    let (_server, mut builder) = serve(&files);
    builder.connector = Connector::default().trusting(files[0].clone());
    let claim = builder.build().expect("a good address").claim("r").await.expect("it is trusted");
    claim.release().await.expect("it is held");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_self_signed_certificate_is_trusted_for_its_names_and_its_time() {
    let files = self_signed("elsewhere", &["elsewhere"], tomorrow_s());
    let (_server, mut builder) = serve(&files);
    builder.connector = Connector::default().trusting(files[0].clone());
    let text = refused(&builder).await;
    assert!(text.contains("its subjectAltName has other names"), "{text}");
    let expired = self_signed("expired", &["localhost"], 1_609_459_200);
    let (_server, mut builder) = serve(&expired);
    builder.connector = Connector::default().trusting(expired[0].clone());
    let text = refused(&builder).await;
    assert!(text.contains("needs a new one") && !text.contains("TURNSTILE_CA"), "{text}");
}

#[test]
fn the_log_says_when_a_certificate_ends() {
    let files = self_signed("ends", &["localhost"], tomorrow_s());
    let log = files[0].with_file_name("log");
    let [certificate, key] = files.each_ref().map(|file| file.to_str().expect("it is text"));
    let arguments = ["--in-memory", "--tls-cert", certificate, "--tls-key", key];
    let server = Turnstiled::start_with(&arguments, |command| {
        let log = File::create(&log).expect("the directory is ours");
        command.env("TURNSTILE_LOG", "info").env("NO_COLOR", "1").stderr(log);
    });
    let lines = |text: &str| {
        let log = fs::read_to_string(&log).expect("it is text");
        log.lines().filter(|line| line.contains(text)).map(str::to_owned).collect::<Vec<_>>()
    };
    let reload = || {
        let before = lines("reloaded on SIGHUP").len();
        kill_process(Pid::from_child(&server.child), Signal::HUP).expect("it runs");
        until("it is reloaded", || lines("reloaded on SIGHUP").len() > before);
    };
    until("it is logged", || lines("expires soon").len() == 1);
    let soon = lines("expires soon");
    for part in ["WARN", "usage=\"server\"", certificate, "CN=localhost", "days=1", "SIGHUP"] {
        assert!(soon[0].contains(part), "{part}: {soon:?}");
    }
    self_signed("ends", &["localhost"], 1_609_459_200);
    reload();
    let expired = lines("has expired");
    assert_eq!((expired.len(), lines("expires soon").len()), (1, 1), "{expired:?}");
    for part in ["ERROR", "usage=\"server\"", certificate, "2021-01-01T00:00:00Z"] {
        assert!(expired[0].contains(part), "{part}: {expired:?}");
    }
    self_signed("ends", &["localhost"], 4_102_444_800);
    reload();
    assert_eq!((lines("has expired").len(), lines("expires soon").len()), (1, 1));
}
