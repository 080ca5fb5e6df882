//! The memory of the real server, when many clients have come and gone.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::http::{Client, until};
use crate::real::Turnstiled;

const CLIENTS: usize = 3_000;

/// The memory of a process that is resident, in KiB.
fn resident(server: &Turnstiled) -> u64 {
    let status = format!("/proc/{}/status", server.child.id());
    let status = std::fs::read_to_string(status).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or_else(|| panic!("no size in {status}"))
}

#[test]
fn the_memory_of_connections_that_have_closed_is_given_back() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).expect("it may");
    let server = Turnstiled::start(&["--in-memory"]);
    let connect = || {
        let mut client = Client::new(server.at);
        client.get("/healthz").expect(200);
        client
    };
    drop(connect());
    let before = resident(&server);
    for _ in 0..2 {
        let clients: Vec<Client> = (0..CLIENTS).map(|_| connect()).collect();
        let open = resident(&server);
        assert!(open > before + 20_000, "{CLIENTS} connections take {before} to {open} KiB");
        drop(clients);
        let most = before + (open - before) / 4;
        until("their memory is given back", || resident(&server) < most);
    }
}
