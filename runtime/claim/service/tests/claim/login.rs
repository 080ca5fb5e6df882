//! The status page from a browser, where tokens are required: a form, a cookie, and no way in for
//! another site.

use std::io::Write as _;
use std::time::Duration;

use serde_json::json;
use turnstile_claim::server::{Options, Storage};

use super::Running;
use super::tokens::tokens;
use crate::http::{Answer, Client};

fn guarded(name: &str) -> Running {
    start(name, Options::default())
}

fn start(name: &str, options: Options) -> Running {
    let tokens = tokens(name, "a+b secret\n");
    Running::start(Storage::Memory, Options { tokens, ..options })
}

fn origin(server: &Running) -> String {
    format!("http://{}", server.at)
}

/// A browser that has been let in.
fn browser(server: &Running) -> Client {
    let mut client = server.client().with("origin", &origin(server));
    let answer = client.request("POST", "/status/login/", "token=a%2Bb+secret").expect(303);
    assert_eq!(answer.headers["location"], "/status/");
    let cookie = &answer.headers["set-cookie"];
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert!(!cookie.contains("secret"), "the token stays where it is: {cookie}");
    let (pair, _) = cookie.split_once(';').expect("attributes");
    client.with("cookie", pair)
}

fn revoke(client: &mut Client, claim: &Answer) -> Answer {
    let path = claim.path();
    let id = path.trim_end_matches('/').rsplit('/').next().expect("an id").to_owned();
    client.request("POST", "/status/revoke/", &format!("claim={id}"))
}

#[test]
fn a_browser_shows_the_token_once_and_may_then_look_and_revoke() {
    let server = guarded("login.tokens");
    let asked = server.client().get("/status/").expect(401);
    assert!(asked.text.contains(r#"action="/status/login/""#), "{}", asked.text);
    assert!(asked.headers["content-security-policy"].contains("frame-ancestors 'none'"));
    let refused = server.client().request("POST", "/status/login/", "token=a").expect(403);
    assert!(!refused.headers.contains_key("set-cookie"), "who does not say where it comes from");
    let mut wrong = server.client().with("origin", &origin(&server));
    let refused = wrong.request("POST", "/status/login/", "token=a%2Bb").expect(401);
    assert!(refused.text.contains("not valid for this server"), "{}", refused.text);
    assert!(!refused.headers.contains_key("set-cookie"));

    let mut owner = server.client().with_token("a+b secret");
    let held = owner.post(&json!({ "resource": "r", "ttl": 60 }).to_string()).expect(201);
    let mut browser = browser(&server);
    let page = browser.get("/status/").expect(200);
    assert!(page.text.contains("<td>r</td>") && page.text.contains("Log out"), "{}", page.text);
    revoke(&mut browser, &held).expect(303);
    assert_eq!(owner.get(&held.path()).field("status"), "revoked");

    browser.get("/v1/claims/").expect(401);
    browser.get("/metrics").expect(401);
    browser.request("POST", "/status/logout/", "").expect(303);
    browser.get("/status/").expect(401);
}

#[test]
fn a_browser_behind_a_proxy_is_let_in_where_the_server_knows_the_proxy_s_name() {
    let outside = "https://locks.example";
    let body = json!({ "resource": "r", "ttl": 60 }).to_string();
    let proxied = |server: &Running| {
        let client = server.client().with("origin", outside);
        client.with("x-forwarded-proto", "https").with("x-forwarded-host", "locks.example")
    };
    let unaware = guarded("unaware.tokens");
    proxied(&unaware).request("POST", "/status/login/", "token=a%2Bb+secret").expect(403);

    let public_url = Some(outside.parse().expect("a URL"));
    let server = start("proxy.tokens", Options { public_url, ..Options::default() });
    let mut owner = server.client().with_token("a+b secret");
    let held = owner.post(&body).expect(201);
    assert!(held.headers["location"].starts_with("https://locks.example/v1/claims/"));
    let mut client = proxied(&server);
    let answer = client.request("POST", "/status/login/", "token=a%2Bb+secret").expect(303);
    let cookie = &answer.headers["set-cookie"];
    assert!(cookie.contains("Secure"), "{cookie}");
    let (pair, _) = cookie.split_once(';').expect("attributes");
    revoke(&mut client.with("cookie", pair), &held).expect(303);
    assert_eq!(owner.get(&held.path()).field("status"), "revoked");
    let mut foreign = server.client().with("origin", "https://elsewhere").with("cookie", pair);
    revoke(&mut foreign, &held).expect(403);
}

#[test]
fn another_site_revokes_nothing_with_a_browser_s_cookie() {
    let server = guarded("foreign.tokens");
    let mut owner = server.client().with_token("a+b secret");
    let held = owner.post(&json!({ "resource": "r", "ttl": 60 }).to_string()).expect(201);
    let (name, cookie) = browser(&server).headers.pop().expect("the cookie");
    for foreign in [Some("http://elsewhere"), Some("null"), None] {
        let mut client = server.client().with(&name, &cookie);
        if let Some(foreign) = foreign {
            client = client.with("origin", foreign);
        }
        revoke(&mut client, &held).expect(403);
        client.request("POST", "/status/logout/", "").expect(403);
    }
    assert_eq!(owner.get(&held.path()).field("status"), "active");
    revoke(&mut owner, &held).expect(303);
    let mut guess = server.client().with("cookie", "turnstile-session=").with("x", "y");
    guess.get("/status/").expect(401);
}

#[test]
fn a_login_that_is_slow_or_long_is_told_so() {
    let patience = Duration::from_millis(50);
    let options = Options { body_timeout: patience, body_max: 100, ..Options::default() };
    let server = start("slow.tokens", options);
    let from = origin(&server);
    let mut slow = server.client();
    let head = format!(
        "POST /status/login/ HTTP/1.1\r\nhost: {}\r\norigin: {from}\r\ncontent-length: 9\r\n\r\nt",
        server.at
    );
    slow.stream().write_all(head.as_bytes()).expect("the server reads");
    slow.hear().expect(408);
    let mut long = server.client().with("origin", &from);
    long.request("POST", "/status/login/", &"t".repeat(101)).expect(413);
    browser(&server).get("/status/").expect(200);
}
