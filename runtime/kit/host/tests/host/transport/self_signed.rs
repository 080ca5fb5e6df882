//! Nodes whose certificates are their own authorities, as `openssl req -x509` makes them.

use turnstile_host::transport::tcp::{Address, Options, Tls, Trouble};
use turnstile_host::transport::{Refusal, Transport, UnsentReason};

use super::certificates::SelfSigned;
use super::pipes::{PROTOCOL, Pair, Pipes};

/// Starts node 1 or 2, whose name is `node-1` or `node-2`.
fn start(pipes: &Pipes, id: u16, tls: Tls) -> Pair {
    let peers = (1..=2).fold(Options::new(u32::from(id), PROTOCOL).seed(7), |options, peer| {
        options.peer(u32::from(peer), Address::new(format!("node-{peer}"), peer))
    });
    pipes.start(peers.tls(tls), id, 10)
}

/// Node 1 sends to node 2, which refuses it or is refused.
async fn troubles(first: Tls, second: Tls) -> String {
    let pipes = Pipes::default();
    let (first, mut first_seen) = start(&pipes, 1, first);
    let (_second, mut second_seen) = start(&pipes, 2, second);
    first.send(2, (1, 0, Vec::new())).expect("there is room");
    assert_eq!(first_seen.next_unsent().await, (0, UnsentReason::Unreachable));
    second_seen.assert_empty();
    match first.trouble(2) {
        Some(Trouble::Rejected(Refusal::Tls | Refusal::Certificate, text)) => text,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn check(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn nodes_that_trust_each_other_s_certificates_hear_each_other() {
    let [one, two] = ["node-1", "node-2"].map(|name| SelfSigned::new(name, &[name], false));
    let pipes = Pipes::default();
    let (first, mut first_seen) = start(&pipes, 1, one.tls(&[&two]));
    let (second, mut second_seen) = start(&pipes, 2, two.tls(&[&one, &two]));
    first.send(2, (1, 0, Vec::new())).expect("there is room");
    second.send(1, (2, 0, Vec::new())).expect("there is room");
    second_seen.expect(1, [0]).await;
    first_seen.expect(2, [0]).await;
}

#[tokio::test(start_paused = true)]
async fn a_trusted_certificate_is_for_its_own_names() {
    let [one, two] = ["node-1", "node-2"].map(|name| SelfSigned::new(name, &[name], false));
    let text = troubles(one.tls(&[&one, &two]), one.tls(&[&one, &two])).await;
    check(&text, &["node-2", "has other names", "subjectAltName=DNS:node-2"]);
    // Whoever accepts looks at the name, too.
    let other = SelfSigned::new("node-1", &["elsewhere"], false);
    let text = troubles(other.tls(&[&two]), two.tls(&[&other])).await;
    check(&text, &["the certificate does not match the sender"]);
}

#[tokio::test(start_paused = true)]
async fn a_certificate_that_is_not_trusted_is_told_with_what_to_do() {
    let [one, two] = ["node-1", "node-2"].map(|name| SelfSigned::new(name, &[name], false));
    let text = troubles(one.tls(&[&one]), two.tls(&[&one])).await;
    check(&text, &["UnknownIssuer", "(CA) of this node", "that is the certificate itself"]);
    let text = troubles(one.tls(&[&two]), two.tls(&[&two])).await;
    check(&text, &["UnknownCA", "(CA) of the peer"]);
    let unnamed = SelfSigned::new("node-2", &[], false);
    let text = troubles(one.tls(&[&unnamed]), unnamed.tls(&[&one])).await;
    check(&text, &["no subjectAltName", "subjectAltName=DNS:node-2"]);
}

#[tokio::test(start_paused = true)]
async fn a_trusted_certificate_that_has_expired_is_refused() {
    let one = SelfSigned::new("node-1", &["node-1"], false);
    let old = SelfSigned::new("node-2", &["node-2"], true);
    let text = troubles(one.tls(&[&old]), old.tls(&[&one])).await;
    check(&text, &["certificate expired", "needs a new one"]);
    let [old, two] = [("node-1", true), ("node-2", false)]
        .map(|(name, has_expired)| SelfSigned::new(name, &[name], has_expired));
    let text = troubles(old.tls(&[&two]), two.tls(&[&old])).await;
    check(&text, &["CertificateExpired"]);
}
