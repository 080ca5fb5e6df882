//! `claim` with several URLs: servers that are not there, that refuse for a while, or that do not
//! go together.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use turnstile_claim::client::{Connector, ErrorKind, LockClientBuilder};
use turnstile_claim::server::{Options, ServerTls, Storage};

use crate::client::fixture;
use crate::command::{CLAIM, statuses};
use crate::http::Running;

/// No process listens there.
fn nobody() -> String {
    let gone = TcpListener::bind("127.0.0.1:0").and_then(|gone| gone.local_addr());
    format!("http://{}", gone.expect("loopback has ports"))
}

fn url(at: SocketAddr) -> String {
    format!("http://{at}")
}

fn claim(urls: &[String], arguments: &[&str]) -> Command {
    let mut command = Command::new(CLAIM);
    command.args(urls.iter().flat_map(|url| ["--url", url.as_str()])).args(arguments);
    command.env_remove("TURNSTILE_URL").env_remove("TURNSTILE_TOKEN").env_remove("TURNSTILE_LOG");
    command
}

fn output(urls: &[String], arguments: &[&str]) -> Output {
    claim(urls, arguments).output().expect("the program starts")
}

#[track_caller]
fn check_refused(command: &mut Command, because: &str) {
    let refused = command.output().expect("the program starts");
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(text.contains(because), "{because:?} in {text}");
    assert_eq!(refused.status.code(), Some(2), "{text}");
}

#[test]
fn a_server_that_is_not_there_is_passed_over() {
    let server = Running::in_memory();
    let urls = [nobody(), nobody(), url(server.at)];
    let ran = output(&urls, &["run", "r", "--", "sh", "-c", "echo $CLAIM_URL"]);
    assert!(ran.status.success(), "{ran:?}");
    let text = String::from_utf8(ran.stdout).expect("plain text");
    assert_eq!(text.trim(), format!("{}/v1/claims/1/", url(server.at)), "a server that answers");
    for ask in [&["ls"][..], &["show", "1"], &["show", text.trim()], &["wait", "r"]] {
        let ran = output(&urls, ask);
        assert!(ran.status.success(), "{ran:?}");
    }
    server.client().post(r#"{"resource":"s","ttl":600}"#).expect(201);
    assert!(output(&urls, &["revoke", "3"]).status.success());
    assert_eq!(statuses(&server, "s"), ["revoked"]);
    let mut spaced = claim(&[], &["run", "r", "--", "true"]);
    let ran = spaced.env("TURNSTILE_URL", urls.join(" ")).output().expect("it starts");
    assert!(ran.status.success(), "{ran:?}");
}

#[test]
fn where_no_server_is_the_error_names_one() {
    let urls = [nobody(), nobody()];
    for ask in [&["ls"][..], &["run", "r", "--timeout", "0.3", "--", "true"]] {
        let ran = output(&urls, ask);
        assert_eq!(ran.status.code(), Some(69), "{ran:?}");
        let text = String::from_utf8(ran.stderr).expect("plain text");
        let last = text.lines().last().unwrap_or_default();
        let is_named =
            |url: &String| last.contains(&format!("no response from {url}: Connection refused"));
        assert!(urls.iter().any(is_named), "{text}");
    }
}

#[test]
fn urls_that_do_not_go_together_are_refused() {
    let [one, two] = ["http://127.0.0.1:1", "http://127.0.0.1:2"];
    let check = |other: &str, because: &str| {
        check_refused(&mut claim(&[one.to_owned(), other.to_owned()], &["ls"]), because);
    };
    check("https://127.0.0.1:2", "\"https://127.0.0.1:2\": its scheme is not that of the others");
    check("http://127.0.0.1:2/locks", "2/locks\": its path is not that of the others");
    check("127.0.0.1:2", "invalid server URL \"127.0.0.1:2\"");
    check("http://127.0.0.1:1/", "\"http://127.0.0.1:1/\": it is given twice");
    check(&format!("{two} {two}"), "repeat --url");
    let locks = [format!("{one}/locks"), format!("{two}/locks/")];
    let ran = output(&locks, &["run", "r", "--timeout", "0.1", "--", "true"]);
    assert_eq!(ran.status.code(), Some(69), "{ran:?}");
    let mut none = claim(&[], &["ls"]);
    check_refused(none.env("TURNSTILE_URL", " "), "the server's URL is missing");
}

#[test]
fn a_lock_is_known_by_each_url_to_those_that_run_under_it() {
    let server = Running::in_memory();
    let urls = [url(server.at), nobody()];
    for inner in [&urls[..1], &urls[1..], &[urls[1].clone(), urls[0].clone()]] {
        let inner = inner.iter().map(|url| format!("--url {url} ")).collect::<String>();
        let script = format!("{CLAIM} {inner} run r --timeout 0.3 -- true");
        let ran = output(&urls, &["run", "r", "--", "sh", "-c", &script]);
        assert_eq!(ran.status.code(), Some(2), "{ran:?}");
        let text = String::from_utf8(ran.stderr).expect("plain text");
        assert!(text.contains("wait for itself"), "{text}");
    }
}

/// A server that is not ready: it answers 503 and keeps connections. Its requests' hosts.
fn unready() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has ports");
    let at = listener.local_addr().expect("it is bound");
    let hosts = Arc::new(Mutex::new(Vec::new()));
    let heard = hosts.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let heard = heard.clone();
            std::thread::spawn(move || {
                let mut stream = BufReader::new(stream.expect("a client connects"));
                loop {
                    let (mut host, mut len, mut line) = (None, 0, String::new());
                    while line.trim() != "" || host.is_none() {
                        line.clear();
                        // A client that has gone ends this thread.
                        if stream.read_line(&mut line).unwrap_or(0) == 0 {
                            return;
                        }
                        match line.to_ascii_lowercase().trim().split_once(": ") {
                            Some(("host", value)) => host = Some(value.to_owned()),
                            Some(("content-length", value)) => len = value.parse().expect("it is"),
                            _ => {}
                        }
                    }
                    stream.read_exact(&mut vec![0; len]).expect("a body");
                    heard.lock().expect("no thread fails").extend(host);
                    let text = "HTTP/1.1 503 No\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n";
                    stream.get_mut().write_all(text.as_bytes()).expect("the client listens");
                }
            });
        }
    });
    (at, hosts)
}

#[test]
fn the_next_attempt_goes_to_the_next_server_on_a_connection_to_that_one() {
    let (servers, hosts): (Vec<_>, Vec<_>) = [unready(), unready()].into_iter().unzip();
    let urls = [url(servers[0]), url(servers[1])];
    let ran = output(&urls, &["run", "r", "--timeout", "1", "--", "true"]);
    assert_eq!(ran.status.code(), Some(69), "{ran:?}");
    let heard = |hosts: &Arc<Mutex<Vec<String>>>| hosts.lock().expect("no thread fails").clone();
    let hosts: Vec<_> = hosts.iter().map(heard).collect();
    for (at, hosts) in servers.iter().zip(&hosts) {
        assert!(hosts.len() > 1, "several attempts: {hosts:?}");
        assert!(hosts.iter().all(|host| *host == at.to_string()), "{at}: {hosts:?}");
    }
    assert!(hosts[0].len().abs_diff(hosts[1].len()) <= 1, "{hosts:?}");
    let ready = Running::in_memory();
    ready.client().post(r#"{"resource":"s","ttl":600}"#).expect(201);
    for ask in [&["ls"][..], &["wait", "r"], &["revoke", "1"]] {
        let ran = output(&[urls[0].clone(), url(ready.at)], ask);
        assert!(ran.status.success(), "{ran:?}");
    }
}

#[test]
fn a_list_that_two_servers_give_has_each_claim_once() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has ports");
    let at = listener.local_addr().expect("it is bound");
    let server = Running::in_memory();
    server.client().post(r#"{"resource":"r","ttl":600}"#).expect(201);
    let mut here = server.client();
    let first = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("the client connects");
        let read = stream.read(&mut [0; 4_096]).expect("the client asks");
        assert!(read > 0);
        // The same claim, under the name of this server, which then is gone.
        let list = here.get("/v1/claims/?status=active").expect(200).text;
        let list = list.replace(&here.at().to_string(), &at.to_string());
        let text = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{list}", list.len());
        stream.write_all(text.as_bytes()).expect("the client listens");
    });
    let listed = output(&[url(at), url(server.at)], &["ls", "--json"]);
    first.join().expect("the client has come");
    assert!(listed.status.success(), "{listed:?}");
    let claims: Vec<Value> = serde_json::from_slice(&listed.stdout).expect("the servers' JSON");
    assert_eq!(claims.len(), 1, "{claims:?}");
    assert!(claims[0]["url"].as_str().is_some_and(|found| found.starts_with(&url(at))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_name_in_a_certificate_is_that_of_the_url() {
    let certificate = fixture("localhost.cert.pem");
    let tls = ServerTls::read(&certificate, &fixture("localhost.key.pem")).expect("a good pair");
    let server = Running::start(Storage::Memory, Options { tls: Some(tls), ..Options::default() });
    let named = |names: [&str; 2]| {
        let urls = names.map(|name| format!("https://{name}:{}", server.at.port()));
        let mut builder = LockClientBuilder::for_servers(urls);
        builder.connector = Connector::default().trusting(certificate.clone());
        builder.build().expect("good addresses")
    };
    let client = named(["[::ffff:127.0.0.1]", "localhost"]);
    let claim = client.claim("r").await.expect("one of the names is in the certificate");
    assert!(claim.url().starts_with("https://localhost:"), "{}", claim.url());
    claim.release().await.expect("it is held");
    let client = named(["[::ffff:127.0.0.1]", "[::ffff:7f00:1]"]);
    let error = client.claim("r").await.expect_err("no name is in the certificate");
    assert!(matches!(error.cause, ErrorKind::Unreachable(_)), "{error}");
    assert!(error.to_string().contains("is not trusted"), "{error}");
}
