//! Only nodes with the right certificates hear each other, whichever of them connects.

use std::path::{Path, PathBuf};
use std::process;

use tokio::io::AsyncWriteExt as _;
use turnstile_host::transport::tcp::{Address, Limits, Options, Tls};
use turnstile_host::transport::{Counts, Refusal, Transport, UnsentReason};

use super::certificates::{Authority, Flaw};
use super::inbox::LONG;
use super::pipes::{PROTOCOL, Pair, Pipes};
use super::quiet::{MESSAGES, send_all};
use super::raw;

/// One of the nodes 1 to 3, whose names are `node-1` to `node-3`.
fn options(id: u16) -> Options<u32> {
    (1..=3).fold(Options::new(u32::from(id), PROTOCOL).seed(7), |options, peer| {
        options.peer(u32::from(peer), Address::new(format!("node-{peer}"), peer))
    })
}

fn start(pipes: &Pipes, id: u16, tls: Option<Tls>) -> Pair {
    let options = options(id);
    pipes.start(if let Some(tls) = tls { options.tls(tls) } else { options }, id, 10)
}

/// Node 1 and node 2 try to send to each other, and neither can.
async fn assert_strangers(first: Option<Tls>, second: Option<Tls>) -> [Counts; 2] {
    let pipes = Pipes::default();
    let (first, mut first_seen) = start(&pipes, 1, first);
    let (second, mut second_seen) = start(&pipes, 2, second);
    first.send(2, (1, 0, Vec::new())).expect("there is room");
    second.send(1, (2, 0, Vec::new())).expect("there is room");
    assert_eq!(first_seen.next_unsent().await, (0, UnsentReason::Unreachable));
    assert_eq!(second_seen.next_unsent().await, (0, UnsentReason::Unreachable));
    first_seen.assert_empty();
    second_seen.assert_empty();
    let counts = [first.counts(), second.counts()];
    for Counts { sent, received, accepted, dialed, lost, .. } in counts.clone() {
        assert_eq!((sent, received, accepted, dialed, lost), (0, 0, 0, 0, 0));
    }
    tokio::join!(first.close(LONG), second.close(LONG));
    counts
}

#[tokio::test(start_paused = true)]
async fn nodes_with_good_certificates_hear_each_other() {
    let (pipes, authority) = (Pipes::default(), Authority::new());
    let (first, mut first_seen) = start(&pipes, 1, Some(authority.tls("node-1")));
    let (second, mut second_seen) = start(&pipes, 2, Some(authority.tls("node-2")));
    tokio::join!(
        send_all(1, &first, 2),
        send_all(2, &second, 1),
        first_seen.expect(2, 0..MESSAGES),
        second_seen.expect(1, 0..MESSAGES),
    );
    tokio::join!(first.close(LONG), second.close(LONG));
    for counts in [first.counts(), second.counts()] {
        assert_eq!((counts.dialed, counts.accepted, counts.lost), (1, 1, 0));
        assert!(counts.refused.is_empty() && counts.dials_refused.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_certificate_with_a_flaw_is_refused_both_ways() {
    let (authority, foreign) = (Authority::new(), Authority::new());
    let good = authority.tls("node-1");
    for flawed in [
        authority.tls_with("node-2", Flaw::Expired, &authority),
        authority.tls_with("node-2", Flaw::NotYetValid, &authority),
        foreign.tls_with("node-2", Flaw::None, &authority),
    ] {
        let [counts, other] = assert_strangers(Some(good.clone()), Some(flawed)).await;
        assert!(counts.refused[&Refusal::Tls] > 1, "{counts:?}");
        assert!(counts.dials_refused[&Refusal::Tls] > 1, "{counts:?}");
        assert!(other.refused[&Refusal::Tls] > 1, "{other:?}");
        assert!(other.dials_refused[&Refusal::Tls] > 1, "{other:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_foreign_authority_is_refused_by_each_side() {
    let (authority, foreign) = (Authority::new(), Authority::new());
    let believes_foreign = authority.tls_with("node-2", Flaw::None, &foreign);
    let counts = assert_strangers(Some(authority.tls("node-1")), Some(believes_foreign)).await;
    for counts in counts {
        assert!(counts.dials_refused[&Refusal::Tls] > 1, "{counts:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_certificate_for_servers_alone_does_not_send() {
    let authority = Authority::new();
    let pipes = Pipes::default();
    let (first, mut first_seen) = start(&pipes, 1, Some(authority.tls("node-1")));
    let tls = authority.tls_with("node-2", Flaw::ServerOnly, &authority);
    let (second, mut second_seen) = start(&pipes, 2, Some(tls));
    second.send(1, (2, 0, Vec::new())).expect("there is room");
    assert_eq!(second_seen.next_unsent().await, (0, UnsentReason::Unreachable));
    assert!(first.counts().refused[&Refusal::Tls] > 1);
    first.send(2, (1, 0, Vec::new())).expect("there is room");
    second_seen.expect(1, [0]).await;
    first_seen.assert_empty();
}

#[tokio::test(start_paused = true)]
async fn a_claim_of_an_id_with_the_certificate_of_another_is_refused() {
    let authority = Authority::new();
    let pipes = Pipes::default();
    let (first, mut first_seen) = start(&pipes, 1, Some(authority.tls("node-1")));
    let (second, mut second_seen) = start(&pipes, 2, Some(authority.tls("node-2")));
    // Node 3 says that it is node 2, whose connection stays as it is.
    second.send(1, (2, 0, Vec::new())).expect("there is room");
    first_seen.expect(2, [0]).await;
    let liar = options(2).tls(authority.tls("node-3"));
    let (liar, mut liar_seen) = pipes.start(liar, 2, 10);
    liar.send(1, (2, 66, Vec::new())).expect("there is room");
    assert_eq!(liar_seen.next_unsent().await, (66, UnsentReason::Unreachable));
    assert!(first.counts().refused[&Refusal::Certificate] > 1);
    assert!(liar.counts().dials_refused[&Refusal::Certificate] > 1);
    second.send(1, (2, 1, Vec::new())).expect("there is room");
    first_seen.expect(2, [1]).await;
    // It listens where node 2 did, and is no node 2 for who connects, either.
    first.send(2, (1, 0, Vec::new())).expect("there is room");
    assert_eq!(first_seen.next_unsent().await, (0, UnsentReason::Unreachable));
    assert!(first.counts().dials_refused[&Refusal::Tls] > 1);
    assert_eq!((first.counts().accepted, first.counts().lost), (1, 0));
    second_seen.assert_empty();
    liar_seen.assert_empty();
}

#[tokio::test(start_paused = true)]
async fn a_peer_may_have_another_name_than_its_host() {
    let authority = Authority::new();
    let pipes = Pipes::default();
    let options = |id: u32| {
        let address = |name: &str, port| Address::new("127.0.0.1", port).named(name);
        let options = Options::new(id, PROTOCOL).peer(1, address("node-1", 1));
        options.peer(2, address("node-2", 2)).tls(authority.tls(&format!("node-{id}")))
    };
    let (first, _) = pipes.start(options(1), 1, 10);
    let (_second, mut heard) = pipes.start(options(2), 2, 10);
    first.send(2, (1, 0, Vec::new())).expect("there is room");
    heard.expect(1, [0]).await;
}

#[tokio::test(start_paused = true)]
async fn a_peer_may_have_an_ip_address_for_a_name() {
    let authority = Authority::new();
    let pipes = Pipes::default();
    let options = |id: u16| {
        let address = |port| Address::new(format!("10.0.0.{port}"), port);
        let options = Options::new(u32::from(id), PROTOCOL).peer(1, address(1));
        options.peer(2, address(2)).tls(authority.tls(&format!("10.0.0.{id}")))
    };
    let (first, _) = pipes.start(options(1), 1, 10);
    let (_second, mut heard) = pipes.start(options(2), 2, 10);
    first.send(2, (1, 0, Vec::new())).expect("there is room");
    heard.expect(1, [0]).await;
}

#[tokio::test(start_paused = true)]
async fn nodes_with_and_without_tls_refuse_each_other() {
    let authority = Authority::new();
    let [with, without] = assert_strangers(Some(authority.tls("node-1")), None).await;
    assert!(with.refused[&Refusal::Tls] > 1, "{with:?}");
    assert!(without.refused[&Refusal::NoHello] > 1, "{without:?}");
    let tried = |counts: &Counts| counts.failed + counts.dials_refused.values().sum::<u64>();
    assert!(tried(&with) > 1 && tried(&without) > 1, "{with:?} {without:?}");
}

#[tokio::test(start_paused = true)]
async fn half_a_handshake_is_given_up() {
    let authority = Authority::new();
    let pipes = Pipes::default();
    let (first, _) = start(&pipes, 1, Some(authority.tls("node-1")));
    let mut stream = pipes.connect(1).expect("the node listens");
    // The head of a record that never comes.
    stream.write_all(&[0x16, 3, 1, 0, 200]).await.expect("the node listens");
    let begun = tokio::time::Instant::now();
    raw::rest(&mut stream).await;
    assert_eq!(begun.elapsed(), Limits::default().hello);
    assert_eq!(first.counts().refused, [(Refusal::Late, 1)].into());
}

#[tokio::test(start_paused = true)]
async fn a_certificate_is_renewed_while_the_node_runs() {
    let authority = Authority::new();
    let pipes = Pipes::default();
    let tls = authority.tls_with("node-1", Flaw::Expired, &authority);
    let (first, mut seen) = start(&pipes, 1, Some(tls.clone()));
    let (_second, mut heard) = start(&pipes, 2, Some(authority.tls("node-2")));
    first.send(2, (1, 0, Vec::new())).expect("there is room");
    assert_eq!(seen.next_unsent().await, (0, UnsentReason::Unreachable));
    let (certificate, key) = authority.sign("node-1", Flaw::None);
    tls.replace(vec![certificate], key, vec![authority.certificate()]).expect("they fit");
    first.send(2, (1, 1, Vec::new())).expect("there is room");
    heard.expect(1, [1]).await;
}

/// The files of a node, which change while it runs.
struct Files([PathBuf; 3]);

impl Files {
    fn new(name: &str) -> Self {
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", process::id()));
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        Self(["chain.pem", "key.pem", "roots.pem"].map(|file| folder.join(file)))
    }

    /// Replaces the certificate and its key by those of an authority, and trusts these authorities.
    fn write(&self, name: &str, of: &Authority, trusted: &[&Authority]) {
        let [chain, key, _] = of.files(name);
        let roots = trusted.iter().map(|one| one.files(name)[2].clone()).collect::<String>();
        for (path, text) in self.0.iter().zip([chain, key, roots]) {
            std::fs::write(path, text).expect("a file can be written");
        }
    }

    fn read(&self) -> Tls {
        let [chain, key, roots] = &self.0;
        Tls::read(chain, key, roots).expect("they fit")
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let folder = self.0[0].parent().expect("they are in a folder");
        std::fs::remove_dir_all(folder).expect("the folder is there");
    }
}

#[tokio::test(start_paused = true)]
async fn an_authority_is_replaced_while_nodes_run() {
    let [old, new] = [(); 2].map(|()| Authority::new());
    let names = ["node-1", "node-2"];
    let files = names.map(Files::new);
    let tls = [0, 1].map(|node| {
        files[node].write(names[node], &old, &[&old]);
        files[node].read()
    });
    let pipes = Pipes::default();
    let (first, mut first_seen) = start(&pipes, 1, Some(tls[0].clone()));
    let mut number = 0;
    // First all trust both, then all show the new one's certificates, then none trusts the old one.
    let both = vec![&old, &new];
    for (shown, trusted) in [(&old, both.clone()), (&new, both), (&new, vec![&new])] {
        for node in 0..2 {
            files[node].write(names[node], shown, &trusted);
            tls[node].files().reload().expect("they fit");
            // It starts again, so that all connections are new ones.
            let (second, mut second_seen) = start(&pipes, 2, Some(tls[1].clone()));
            first.send(2, (1, number, Vec::new())).expect("there is room");
            second_seen.expect(1, [number]).await;
            second.send(1, (2, number, Vec::new())).expect("there is room");
            first_seen.expect(2, [number]).await;
            second.close(LONG).await;
            number += 1;
        }
    }
    // Files that do not fit change nothing.
    std::fs::write(&files[0].0[1], "no key").expect("a file can be written");
    let error = tls[0].files().reload().expect_err("it has no key").to_string();
    assert!(error.contains("key.pem"), "{error}");
    let (second, _second_seen) = start(&pipes, 2, Some(new.tls("node-2")));
    second.send(1, (2, number, Vec::new())).expect("there is room");
    first_seen.expect(2, [number]).await;
    second.close(LONG).await;
    let stranger = old.tls_with("node-2", Flaw::None, &new);
    let (stranger, mut stranger_seen) = start(&pipes, 2, Some(stranger));
    stranger.send(1, (2, number, Vec::new())).expect("there is room");
    assert_eq!(stranger_seen.next_unsent().await, (number, UnsentReason::Unreachable));
    first_seen.assert_empty();
}

#[test]
fn the_files_say_when_their_certificates_end() {
    let (authority, files) = (Authority::new(), Files::new("ends"));
    files.write("node-1", &authority, &[&authority, &Authority::new()]);
    let certificates = files.read().files().certificates();
    let places = certificates.iter().map(|one| (one.usage, one.file.clone(), one.number));
    let [chain, _, roots] = files.0.clone();
    let authority = "peer-authority";
    let expected = [("peer", chain, 1), (authority, roots.clone(), 1), (authority, roots, 2)];
    assert_eq!(places.collect::<Vec<_>>(), expected);
    // The default of the library that makes them: the year 4096.
    for one in certificates {
        assert_eq!((one.not_before_s, one.not_after_s), (157_766_400, 67_090_118_400), "{one:?}");
    }
}

#[test]
fn a_key_that_does_not_fit_is_refused() {
    let authority = Authority::new();
    let (certificate, _) = authority.sign("node-1", Flaw::None);
    let (_, key) = authority.sign("node-1", Flaw::None);
    let roots = vec![authority.certificate()];
    assert!(Tls::new(vec![certificate.clone()], key.clone_key(), roots).is_err());
    assert!(Tls::new(vec![certificate], key, Vec::new()).is_err());
}

#[test]
fn files_are_read_and_faults_name_them() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tls-{}", process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let [chain, key, roots] = ["chain.pem", "key.pem", "roots.pem"].map(|name| folder.join(name));
    let authority = Authority::new();
    for (path, text) in [&chain, &key, &roots].into_iter().zip(authority.files("node-1")) {
        std::fs::write(path, text).expect("a file can be written");
    }
    Tls::read(&chain, &key, &roots).expect("they fit");
    for (chain, key, roots, faulty) in [
        (&chain, &chain, &roots, &chain),
        (&key, &key, &roots, &key),
        (&chain, &key, &key, &key),
        (&folder.join("none"), &key, &roots, &folder.join("none")),
    ] {
        let error = Tls::read(chain, key, roots).expect_err("something is wrong").to_string();
        assert!(error.contains(&*faulty.to_string_lossy()), "{error}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder is there");
}
