//! Who is gone without a word: what that costs a free lock.

use std::path::Path;

use rustix::process::Signal;

use super::Running;
use crate::additions::metric;
use crate::http::{Client, until};
use crate::real::Turnstiled;

const BODY: &str = r#"{"resource":"r","ttl":600}"#;
/// More than one, since each is to cost nothing.
const GONE: usize = 4;

/// Clients that wait, each on a connection of its own, and their claims.
fn wait(holder: &mut Client, connect: impl Fn() -> Client) -> Vec<(Client, String)> {
    let waits = |number| {
        let mut client = connect().with("prefer", "wait=300");
        let path = connect().post(BODY).expect(202).path();
        client.send("PATCH", &path, r#"{"status":"active"}"#);
        until("it waits", || metric(holder, "calls_open") == number);
        (client, path)
    };
    (1..=GONE as u64).map(waits).collect()
}

/// A lock is held, others wait for it, and they hang up.
fn hung_up(server: &Running) -> (Client, String, Vec<String>) {
    let mut holder = server.client();
    let held = holder.post(BODY).expect(201).path();
    let (clients, paths): (Vec<_>, Vec<_>) =
        wait(&mut holder, || server.client()).into_iter().unzip();
    drop(clients);
    until("the server notices", || metric(&mut holder, "calls_open") == 0);
    (holder, held, paths)
}

#[test]
fn waiters_that_are_gone_cost_a_free_lock_nothing() {
    let server = Running::in_memory();
    let (mut holder, held, gone) = hung_up(&server);
    holder.set(&held, "released").expect(204);
    // Who asks the old way, and does not wait, has to be lucky with nobody.
    holder.post(BODY).expect(201);
    for path in gone {
        assert_eq!(holder.get(&path).field("status"), "waiting", "it may come back");
    }
}

#[test]
fn waiters_that_are_gone_keep_their_place_while_the_lock_is_held() {
    let server = Running::in_memory();
    let (mut holder, held, gone) = hung_up(&server);
    holder.post(BODY).expect(202);
    let mut back = server.client().with("prefer", "wait=300");
    back.send("PATCH", &gone[1], r#"{"status":"active"}"#);
    until("it is back", || metric(&mut holder, "calls_open") == 1);
    holder.set(&held, "released").expect(204);
    assert_eq!(back.hear().expect(200).field("status"), "active");
}

/// Others wait for a lock, and the server ends, by a signal, and with it who waits.
#[track_caller]
fn check_restart(signal: Signal, hang_up_first: bool) {
    let name = format!("{signal:?}-{hang_up_first}");
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join(module_path!()).join(name);
    if data.exists() {
        std::fs::remove_dir_all(&data).expect("the directory is ours");
    }
    let data = data.to_str().expect("a readable path");
    let arguments = ["--data", data];
    let mut server = Turnstiled::start(&arguments);
    let mut holder = Client::new(server.at);
    let held = holder.post(BODY).expect(201).path();
    let waiting = wait(&mut holder, || Client::new(server.at));
    if hang_up_first {
        drop(waiting);
        until("the server notices", || metric(&mut holder, "calls_open") == 0);
    }
    // Once this is answered all of it is on disk.
    holder.get(&held).expect(200);
    server.strike(signal);

    let server = Turnstiled::start(&arguments);
    let mut holder = Client::new(server.at);
    holder.set(&held, "released").expect(204);
    holder.post(BODY).expect(201);
}

#[test]
fn waiters_that_do_not_come_back_after_a_restart_cost_nothing() {
    for signal in [Signal::KILL, Signal::TERM] {
        check_restart(signal, false);
        check_restart(signal, true);
    }
}
