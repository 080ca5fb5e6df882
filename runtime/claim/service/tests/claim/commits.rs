//! How often the server commits: what nobody waits for goes out with what somebody does.

use std::time::Duration;

use tokio::io::{AsyncWriteExt as _, DuplexStream};
use turnstile_claim::server::{Options, Server, Storage};
use turnstile_host::store::Disk;

use crate::wire::{ask, get, serve};

fn request(line: &str, body: &str) -> String {
    let head = "host: localhost\r\ncontent-type: application/json\r\nprefer: wait=60";
    format!("{line} HTTP/1.1\r\n{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

fn post() -> String {
    request("POST /v1/claims/", r#"{"resource":"r","ttl":600}"#)
}

async fn commits(pipe: &mut DuplexStream) -> u64 {
    let text = ask(pipe, &get("/metrics"), usize::MAX).await;
    let line = text.lines().find_map(|line| line.strip_prefix("turnstile_commits_total "));
    line.and_then(|count| count.parse().ok()).expect("a count")
}

/// Lets everything happen that needs no time.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_hand_over_is_one_commit_and_nothing_is_held_back_for_long() {
    let disk = Disk::default().open();
    let storage = Storage::Simulated(Box::new(disk), Box::new(|| Duration::ZERO));
    let server = Server::open(storage, Options::default()).expect("nothing to read");
    let (connect, serving) = serve(server, 4_096);
    let (mut holder, mut waiter) = (connect(), connect());
    let granted = ask(&mut holder, &post(), usize::MAX).await;
    assert!(granted.starts_with("HTTP/1.1 201"), "{granted}");
    for claim in 1..5 {
        let before = commits(&mut holder).await;
        waiter.write_all(post().as_bytes()).await.expect("the server reads");
        settle().await;
        assert_eq!(commits(&mut holder).await, before, "nobody is answered for what is written");
        let release = request(&format!("PATCH /v1/claims/{claim}/"), r#"{"status":"released"}"#);
        holder.write_all(release.as_bytes()).await.expect("the server reads");
        let granted = ask(&mut waiter, "", usize::MAX).await;
        assert!(granted.starts_with("HTTP/1.1 201"), "{granted}");
        let released = ask(&mut holder, "", usize::MAX).await;
        assert!(released.starts_with("HTTP/1.1 204"), "{released}");
        assert_eq!(commits(&mut holder).await, before + 1);
        std::mem::swap(&mut holder, &mut waiter);
    }
    let before = commits(&mut holder).await;
    waiter.write_all(post().as_bytes()).await.expect("the server reads");
    settle().await;
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert_eq!(commits(&mut holder).await, before + 1, "it is written although nobody waits");
    serving.abort();
}
