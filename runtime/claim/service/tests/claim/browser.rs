//! What a web page of another site can send to a server that asks for no token, and that nothing
//! comes of it.

use std::io::Write as _;

use serde_json::json;
use turnstile_claim::server::{Hosts, Options, Storage};

use super::Running;
use super::tokens::tokens;
use crate::http::Answer;

/// A request as these headers have it.
fn send(server: &Running, method: &str, path: &str, headers: &str, body: &str) -> Answer {
    let mut client = server.client();
    let text = format!(
        "{method} {path} HTTP/1.1\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    );
    client.stream().write_all(text.as_bytes()).expect("the server reads");
    client.hear()
}

/// A browser sends these types to any site without asking it first; and none, for a body without a
/// type.
#[test]
fn a_page_of_another_site_takes_no_lock() {
    let server = Running::in_memory();
    let host = format!("host: {}\r\norigin: http://elsewhere\r\n", server.at);
    let claim = json!({ "resource": "r", "ttl": 60 }).to_string();
    let held = server.client().post(&claim).expect(201).path();
    let simple = [
        "content-type: text/plain\r\n",
        "content-type: text/plain; x=application/json\r\n",
        "content-type: application/x-www-form-urlencoded\r\n",
        "content-type: multipart/form-data; boundary=application/json\r\n",
        "",
    ];
    for kind in simple {
        let headers = format!("{host}{kind}");
        let posted = send(&server, "POST", "/v1/claims/", &headers, &claim).expect(415);
        assert!(posted.text.contains("application/json"), "{posted:?}");
        send(&server, "PATCH", &held, &headers, r#"{"status":"released"}"#).expect(415);
    }
    let mut client = server.client();
    assert_eq!(client.get(&held).field("status"), "active");
    assert_eq!(client.get("/v1/claims/").json().as_array().map(Vec::len), Some(1));
    let kind = "content-type: Application/JSON; charset=utf-8\r\n";
    let own = format!("host: {0}\r\norigin: http://{0}\r\n{kind}", server.at);
    send(&server, "POST", "/v1/claims/", &own, &claim).expect(202);
}

#[test]
fn a_browser_finds_the_pages_of_the_server() {
    let server = Running::in_memory();
    let page = server.client().with("accept", "text/html,*/*").get("/").expect(200);
    for path in ["/status/", "/metrics", "/healthz"] {
        assert!(page.text.contains(&format!("href=\"{path}\"")), "{}", page.text);
        server.client().get(path).expect(200);
    }
}

/// Should a browser ever send JSON for another site, it says for which.
#[test]
fn an_open_server_changes_nothing_for_a_page_of_another_site() {
    let server = Running::in_memory();
    let claim = json!({ "resource": "r", "ttl": 60 }).to_string();
    let held = server.client().post(&claim).expect(201).path();
    for origin in ["http://elsewhere", "null", "http://localhost:1", "https://127.0.0.1"] {
        let mut page = server.client().with("origin", origin);
        page.post(&claim).expect(403);
        page.patch(&held, r#"{"status":"released"}"#).expect(403);
        page.request("POST", "/status/revoke/", "claim=1").expect(403);
        let mut page = page.with("access-control-request-method", "POST");
        let asked = page.request("OPTIONS", "/v1/claims/", "").expect(405);
        assert!(!asked.headers.contains_key("access-control-allow-origin"), "{asked:?}");
    }
    let list = server.client().get("/v1/claims/?status=active").json();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
    let tokens = tokens("origin.tokens", "secret\n");
    let server = Running::start(Storage::Memory, Options { tokens, ..Options::default() });
    let page = server.client().with("origin", "http://elsewhere");
    page.with_token("secret").post(&claim).expect(201);
}

/// What has no Host says nothing wrong; what has two, or a strange one, does.
#[test]
fn old_clients_need_no_host_and_nobody_has_two() {
    let server = Running::in_memory();
    let ask = |version: &str, headers: &str| {
        let mut client = server.client();
        let text = format!("GET /v1/claims/ HTTP/{version}\r\n{headers}\r\n");
        client.stream().write_all(text.as_bytes()).expect("the server reads");
        client.hear()
    };
    ask("1.0", "").expect(200);
    ask("1.0", "host: localhost\r\n").expect(200);
    ask("1.0", "host: evil.example\r\n").expect(421);
    ask("1.1", "host: localhost\r\nhost: evil.example\r\n").expect(400);
    ask("1.1", "host: evil.example@localhost\r\n").expect(400);
    for target in ["http://evil.example/v1/claims/", "http://localhost@evil.example/v1/claims/"] {
        let mut client = server.client();
        let text = format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        client.stream().write_all(text.as_bytes()).expect("the server reads");
        let status = client.hear().status;
        assert!([400, 421].contains(&status), "{target}: {status}");
    }
}

/// DNS rebinding: the page's own name is suddenly this machine's address, so that the browser
/// takes its requests for requests to its own site.
#[test]
fn a_server_answers_to_its_own_names_alone() {
    let hosts = Hosts::of(["locks.example".into()]);
    let public_url = Some("https://proxy.example".parse().expect("a URL"));
    let options = Options { hosts, public_url, ..Options::default() };
    let server = Running::start(Storage::Memory, options);
    let ask = |host: &str, path: &str| send(&server, "GET", path, &format!("host: {host}\r\n"), "");
    for host in ["localhost", "127.0.0.1:1", "[::1]:2", "Locks.Example:5000", "proxy.example"] {
        ask(host, "/v1/claims/").expect(200);
    }
    for path in ["/v1/claims/", "/v1/claims/1/", "/v1/claims", "/status/", "/metrics", "/"] {
        let refused = ask("evil.example", path).expect(421);
        assert!(refused.text.contains("--host"), "{refused:?}");
    }
    ask("evil.example", "/healthz").expect(200);

    let plain = Running::in_memory();
    send(&plain, "GET", "/v1/claims/", "host: evil.example\r\n", "").expect(421);
    send(&plain, "POST", "/status/revoke/", "host: evil.example\r\n", "claim=1").expect(421);
}
