//! Who may do what: a claim belongs to the name of the token that made it.

use std::path::Path;

use serde_json::{Value, json};
use turnstile_claim::server::{Options, Storage, Tokens};
use turnstile_host::store::LogStore;

use super::Running;
use super::tokens::{NAMED, tokens};
use crate::http::{Answer, Running as Single};

fn guarded(name: &str) -> Running {
    let tokens = tokens(name, NAMED);
    Running::start(Storage::Memory, Options { tokens, ..Options::default() })
}

fn claim(resource: &str) -> String {
    json!({ "resource": resource, "ttl": 60, "user_data": "private" }).to_string()
}

#[track_caller]
fn check_forbidden(answer: &Answer, claim: &Answer) {
    assert_eq!(answer.status, 403, "{answer:?}");
    assert!(answer.field("message").as_str().is_some_and(|text| text.contains("owner")));
    let id = claim.path().trim_end_matches('/').rsplit('/').next().map(str::to_owned);
    assert_eq!(Some(answer.field("claim_id").to_string()), id);
    assert!(!answer.text.contains("private"), "{answer:?}");
}

const CHANGES: [&str; 6] = [
    r#"{"ttl":5}"#,
    r#"{"status":"active"}"#,
    r#"{"status":"released"}"#,
    r#"{"status":"aborted"}"#,
    r#"{"status":"withdrawn"}"#,
    r#"{"status":"revoked"}"#,
];

#[test]
fn a_claim_is_changed_by_its_owner_and_by_operators_alone() {
    let server = guarded("change.tokens");
    let (mut ci, mut rotated) =
        (server.client().with_token("ci-1"), server.client().with_token("ci-2"));
    let (mut deploy, mut root) =
        (server.client().with_token("deploy-1"), server.client().with_token("root-1"));
    let held = ci.post(&claim("r")).expect(201);
    let waiting = ci.post(&claim("r")).expect(202);
    for claim in [&held, &waiting] {
        for change in CHANGES {
            check_forbidden(&deploy.patch(&claim.path(), change), claim);
        }
    }
    assert_eq!(ci.get(&held.path()).field("status"), "active");
    assert!(ci.get(&held.path()).number("ttl") > 5.0);
    assert_eq!(ci.get(&waiting.path()).field("status"), "waiting");
    deploy.patch("/v1/claims/99/", r#"{"ttl":5}"#).expect(404);
    deploy.patch(&held.path(), r#"{"status":"x"}"#).expect(400);

    rotated.patch(&held.path(), r#"{"ttl":50}"#).expect(200);
    root.patch(&held.path(), r#"{"ttl":40}"#).expect(200);
    rotated.set(&held.path(), "released").expect(204);
    // A stranger neither promotes the waiter, nor changes a claim that is over.
    for change in CHANGES {
        check_forbidden(&deploy.patch(&held.path(), change), &held);
        check_forbidden(&deploy.patch(&waiting.path(), change), &waiting);
    }
    assert_eq!(ci.get(&waiting.path()).field("status"), "waiting");
    rotated.set(&waiting.path(), "active").expect(200);
    root.set(&waiting.path(), "revoked").expect(204);
    check_forbidden(&deploy.set(&waiting.path(), "revoked"), &waiting);
    // An operator's own claims are the operator's.
    let own = root.post(&claim("r")).expect(201);
    check_forbidden(&ci.set(&own.path(), "released"), &own);
}

#[test]
fn user_data_is_read_by_its_owner_and_by_operators_alone() {
    let server = guarded("data.tokens");
    let held = server.client().with_token("ci-1").post(&claim("r")).expect(201);
    assert_eq!((held.field("user_data"), held.field("owner")), ("private".into(), "ci".into()));
    let seen = |token: &str| {
        let mut client = server.client().with_token(token);
        let shown = client.get(&held.path()).expect(200);
        let listed = client.get("/v1/claims/?resource=r").expect(200);
        let live = client.get("/v1/claims/?status=active").expect(200);
        let page = client.get("/status/").expect(200).text;
        assert!(page.contains("<td>r</td>") && page.contains("<td>ci</td>"), "{page}");
        assert_eq!(page.contains(">Revoke<"), page.contains("private"), "{page}");
        for answer in [&listed.json()[0], &live.json()[0]] {
            assert_eq!(answer["user_data"], shown.field("user_data"));
            assert_eq!(answer["owner"], "ci");
        }
        (shown.field("user_data"), page.contains("private"))
    };
    let own = (Value::from("private"), true);
    assert_eq!(["ci-1", "ci-2", "root-1"].map(seen), [own.clone(), own.clone(), own]);
    assert_eq!(seen("deploy-1"), (Value::Null, false));
}

#[test]
fn idempotency_keys_are_per_owner() {
    let server = guarded("keys.tokens");
    let post = |token: &str| {
        let mut client = server.client().with_token(token).with("idempotency-key", "one");
        client.post(&claim("r"))
    };
    let first = post("ci-1").expect(201);
    assert_eq!(post("ci-2").expect(201).field("url"), first.field("url"), "one owner");
    let other = post("deploy-1").expect(202);
    assert_ne!(other.field("url"), first.field("url"));
    assert_eq!(post("deploy-1").expect(202).field("url"), other.field("url"));
    assert_ne!(post("root-1").expect(202).field("url"), first.field("url"), "an operator's, too");
}

/// Two owners and keys may be spelled so that they are the same text one after the other.
#[test]
fn an_owner_and_a_key_do_not_run_together() {
    let text =
        "[[token]]\nname = \"a\"\nsecret = \"1\"\n[[token]]\nname = \"ab\"\nsecret = \"2\"\n";
    let tokens = tokens("run.tokens", text);
    let server = Running::start(Storage::Memory, Options { tokens, ..Options::default() });
    let post = |token: &str, key: &str, resource: &str| {
        let mut client = server.client().with_token(token).with("idempotency-key", key);
        client.post(&claim(resource)).field("url")
    };
    let urls =
        [post("1", "bc", "r"), post("2", "c", "r"), post("1", "b", "cr"), post("2", "r", "c")];
    for (place, url) in urls.iter().enumerate() {
        assert!(!urls[..place].contains(url), "{urls:?}");
    }
}

fn start(dir: &Path, tokens: Tokens) -> Single {
    let store = LogStore::open(dir).expect("the directory opens");
    let options = Options { tokens, ..Options::default() };
    Single::start(Storage::Blocking(Box::new(store)), options)
}

#[test]
fn an_owner_is_kept_over_a_restart_and_a_claim_without_one_is_everybody_s() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(module_path!());
    if dir.exists() {
        std::fs::remove_dir_all(&dir).expect("the directory is ours");
    }
    let server = start(&dir, Tokens::default());
    let mut open = server.client().with("idempotency-key", "one");
    let early = open.post(&claim("early")).expect(201);
    assert_eq!(early.json().get("owner"), None, "an open server knows no owner");
    drop(open);
    server.stop();

    let server = start(&dir, tokens("restart.tokens", NAMED));
    let held = server.client().with_token("ci-1").post(&claim("r")).expect(201);
    server.stop();

    let server = start(&dir, tokens("restart.tokens", NAMED));
    let mut deploy = server.client().with_token("deploy-1");
    check_forbidden(&deploy.set(&held.path(), "released"), &held);
    assert_eq!(deploy.get(&held.path()).field("user_data"), Value::Null);
    let seen = server.client().with_token("ci-2").get(&held.path()).expect(200);
    assert_eq!((seen.field("user_data"), seen.field("owner")), ("private".into(), "ci".into()));
    // It was made while the server was open: whoever is let in may change it, as before.
    assert_eq!(deploy.get(&early.path()).field("user_data"), "private");
    deploy.patch(&early.path(), r#"{"ttl":5}"#).expect(200);
    drop(deploy);
    server.stop();

    let server = start(&dir, Tokens::default());
    let mut open = server.client().with("idempotency-key", "one");
    assert_eq!(open.get(&held.path()).field("user_data"), "private");
    assert_eq!(open.post(&claim("early")).expect(201).path(), early.path());
    open.set(&held.path(), "released").expect(204);
}

#[test]
fn tokens_without_names_may_change_each_other_s_claims_as_before() {
    let tokens = tokens("nameless.tokens", "one\nanother\n");
    let server = Running::start(Storage::Memory, Options { tokens, ..Options::default() });
    let held = server.client().with_token("one").post(&claim("r")).expect(201);
    assert_eq!(held.json().get("owner"), None);
    let mut another = server.client().with_token("another");
    assert_eq!(another.get(&held.path()).field("user_data"), "private");
    another.set(&held.path(), "released").expect(204);
}

/// A browser session has the rights of the token that it was opened with.
#[test]
fn the_status_page_revokes_what_its_token_may_change() {
    let server = guarded("page.tokens");
    let held = server.client().with_token("ci-1").post(&claim("r")).expect(201);
    let id = held.path().trim_end_matches('/').rsplit('/').next().map(str::to_owned);
    let form = format!("claim={}", id.expect("an id"));
    let from = format!("http://{}", server.at);
    let browser = |token: &str| {
        let mut client = server.client().with("origin", &from);
        let login = client.request("POST", "/status/login/", &format!("token={token}"));
        let cookie = login.expect(303).headers["set-cookie"].clone();
        client.with("cookie", cookie.split_once(';').expect("attributes").0)
    };
    let mut stranger = browser("deploy-1");
    let page = stranger.get("/status/").expect(200).text;
    assert!(!page.contains("private") && !page.contains(">Revoke<"), "{page}");
    stranger.request("POST", "/status/revoke/", &form).expect(403);
    let mut operator = browser("root-1");
    assert!(operator.get("/status/").expect(200).text.contains("private"));
    operator.request("POST", "/status/revoke/", &form).expect(303);
    assert_eq!(server.client().with_token("ci-1").get(&held.path()).field("status"), "revoked");
}
