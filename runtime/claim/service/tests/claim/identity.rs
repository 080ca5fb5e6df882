//! Which server it is that answers: every answer has its id, clients go on with no other one, and a
//! nested claim of a lock is recognised by it.

use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::TcpStream;
use turnstile_claim::client::{Connector, LockClientBuilder};
use turnstile_claim::server::{Options, Storage};
use turnstile_host::store::Disk;

use crate::http::{Answer, Running};

const ID: &str = "claim-server-id";

fn on(disk: &Disk) -> Running {
    Running::start(Storage::Blocking(Box::new(disk.open())), Options::default())
}

#[track_caller]
fn id(answer: &Answer) -> String {
    answer.headers.get(ID).unwrap_or_else(|| panic!("no id: {answer:?}")).clone()
}

#[test]
fn every_answer_has_the_id_of_its_store() {
    let disk = Disk::default();
    let server = on(&disk);
    let mut client = server.client();
    let first = id(&client.post(r#"{"resource":"r","ttl":60}"#).expect(201));
    for path in ["/v1/claims/", "/v1/claims/1/", "/v1/locks/", "/status/", "/metrics", "/healthz"] {
        assert_eq!(id(&client.get(path)), first, "{path}");
    }
    drop(client);
    server.stop();
    assert_eq!(id(&on(&disk).client().get("/v1/claims/")), first, "after a restart");
    let others = [on(&Disk::default()), Running::in_memory(), Running::in_memory()];
    let mut ids: Vec<String> =
        others.iter().map(|server| id(&server.client().get("/v1/claims/"))).collect();
    ids.push(first);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 4, "{ids:?}");
}

/// As when a snapshot is restored under the addresses of a server that has granted more since.
#[tokio::test]
async fn a_client_goes_on_with_no_other_server() {
    let (first, second) = (Running::in_memory(), Running::in_memory());
    let at = Arc::new(Mutex::new(first.at));
    let connector = Connector::new({
        let at = at.clone();
        move |_host, _port| {
            let at = *at.lock().expect("no holder panics");
            TcpStream::connect(at)
        }
    });
    let builder = LockClientBuilder { connector, ..LockClientBuilder::new("http://localhost:1") };
    let client = builder.build().expect("a good URL");
    let claim = client.claim("r").ttl(Duration::from_secs(4)).await.expect("it is free");
    client.list(None, None, 10).await.expect("it is the same server");
    *at.lock().expect("no holder panics") = second.at;
    // Connections to the first one end with it.
    first.stop();
    claim.lost().await;
    let loss = claim.loss().expect("it is lost").to_string();
    assert!(loss.contains("another server"), "{loss}");
    let error = client.list(None, None, 10).await.expect_err("it is another server").to_string();
    assert!(error.contains("another server") && error.contains("localhost:1"), "{error}");
    let error = client.claim("s").timeout(Duration::from_secs(9)).await;
    let error = error.expect_err("it is another server").to_string();
    assert!(error.contains("another server"), "{error}");
}

/// Runs `claim run r` under a `claim run r` of another URL.
fn nested(outer: &str, inner: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_claim");
    let script = format!("{program} run r --url {inner} --timeout 5 -- true");
    let mut command = Command::new(program);
    command.args(["run", "r", "--url", outer, "--", "sh", "-c", &script]);
    command.env_remove("TURNSTILE_URL").env_remove("CLAIM_HELD").output().expect("it starts")
}

#[test]
fn a_nested_claim_is_recognised_by_the_server_and_not_by_its_url() {
    let (server, other) = (Running::in_memory(), Running::in_memory());
    let port = server.at.port();
    let outer = format!("http://127.0.0.1:{port}");
    for inner in [outer.clone(), format!("http://localhost:{port}"), format!("{outer}/")] {
        let refused = nested(&outer, &inner);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{inner}: {said}");
        assert!(said.contains("would wait for itself"), "{inner}: {said}");
    }
    let free = nested(&outer, &format!("http://127.0.0.1:{}", other.at.port()));
    assert!(free.status.success(), "{free:?}");
}
