//! Programs that end without a word: a child that holds a lock and leaves.

use std::env;
use std::process::{Command, Stdio};

use tokio::runtime::Builder;
use turnstile_driver::client::{Manager, Setup};

use crate::http::{PATIENCE, Running};

/// Where the child finds the server, and how it is to leave.
const SERVER: &str = "TURNSTILE_TEST_LEAVES";
const HOW: &str = "TURNSTILE_TEST_HOW";

/// The child: it gets the lock and leaves, so that nobody drops the claim.
fn leave(url: &str) {
    let how = env::var(HOW).expect("it is told");
    let mut runtime = if how.contains("threads") {
        Builder::new_multi_thread()
    } else {
        Builder::new_current_thread()
    };
    let runtime = runtime.enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (manager, guard) = if how.contains("unguarded") {
            (Manager::connect(url).expect("a good address"), None)
        } else {
            let built = Setup::new(url).build_with_guard(PATIENCE).expect("a good address");
            (built.0, Some(built.1))
        };
        std::mem::forget(manager.claim("r").await.expect("nobody else wants it"));
        assert!(!how.contains("panics"), "as it was told to");
        drop(guard);
    });
}

#[test]
fn whoever_leaves_the_program_gives_everything_back() {
    if let Ok(url) = env::var(SERVER) {
        return leave(&url);
    }
    let ends = ["returns", "returns, with threads", "panics", "panics, with threads"];
    let unguarded = ["unguarded, returns", "unguarded, returns, with threads"];
    for how in ends.into_iter().chain(unguarded) {
        let server = Running::in_memory();
        let status = Command::new(env::current_exe().expect("it runs"))
            .args(["--exact", "leaving::whoever_leaves_the_program_gives_everything_back"])
            .env(SERVER, format!("http://{}", server.at))
            .env(HOW, how)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("it starts");
        assert_eq!(status.success(), !how.contains("panics"), "{how}");
        let list = server.client().get("/v1/claims/").expect(200).json();
        let left = if how.contains("unguarded") { "active" } else { "released" };
        assert_eq!(list[0]["status"], left, "{how}");
    }
}
