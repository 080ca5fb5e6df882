//! `turnstiled --cluster`: members as processes, over TCP.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use turnstile_simulation::free_port;

use crate::http::{Client, until};
use crate::real::Turnstiled;

/// Members of a cluster as processes.
pub(super) struct Site {
    folder: PathBuf,
    ports: Vec<u16>,
    pub(super) members: BTreeMap<u64, Turnstiled>,
    /// The file of tokens, and the token of the clients; `None`: none are required.
    pub(super) tokens: Option<(PathBuf, &'static str)>,
}

impl Site {
    /// Three members that are to be started; there is a port for a fourth.
    pub(super) fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cluster").join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).expect("the directory is ours");
        }
        let ports = (0..4).map(|_| free_port()).collect();
        Self { folder, ports, members: BTreeMap::new(), tokens: None }
    }

    /// A path in the directory of all members.
    pub(super) fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().expect("a readable path").to_owned()
    }

    /// The address of a member for the others.
    pub(super) fn address(&self, id: u64) -> String {
        format!("127.0.0.1:{}", self.ports[id as usize - 1])
    }

    pub(super) fn arguments(&self, id: u64) -> Vec<String> {
        let mut arguments: Vec<String> =
            ["--cluster", "test", "--heartbeat", "0.1", "--data"].map(str::to_owned).into();
        arguments.push(self.path(&id.to_string()));
        arguments.extend(["--id".to_owned(), id.to_string(), "--peer-listen".to_owned()]);
        arguments.push(self.address(id));
        for peer in 1..=3 {
            arguments.extend(["--peer".to_owned(), format!("{peer}={}", self.address(peer))]);
        }
        if let Some((file, _)) = &self.tokens {
            let file = file.to_str().expect("a readable path");
            arguments.extend(["--tokens".to_owned(), file.to_owned()]);
        }
        arguments
    }

    pub(super) fn start(&mut self, id: u64, more: &[&str]) {
        let arguments = self.arguments(id);
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        arguments.extend(more);
        self.members.insert(id, Turnstiled::start(&arguments));
    }

    pub(super) fn client(&self, id: u64) -> Client {
        let client = Client::new(self.members[&id].at).repeating();
        match self.tokens {
            Some((_, token)) => client.with_token(token),
            None => client,
        }
    }

    /// The URL of a member for clients.
    pub(super) fn url(&self, id: u64) -> String {
        format!("http://{}", self.members[&id].at)
    }

    /// The addresses for clients of those that run.
    pub(super) fn listening(&self) -> Vec<SocketAddr> {
        self.members.values().map(|member| member.at).collect()
    }

    pub(super) fn ready(&self) {
        for id in self.members.keys() {
            until("it is ready", || self.client(*id).get("/readyz").status == 200);
        }
    }

    pub(super) fn leader(&self) -> u64 {
        let leads = |id: &&u64| {
            self.client(**id).get("/metrics").expect(200).text.contains("turnstile_log_leads 1\n")
        };
        let mut leader = None;
        until("one leads", || {
            leader = self.members.keys().find(leads).copied();
            leader.is_some()
        });
        leader.expect("one leads")
    }
}

pub(super) fn body(resource: &str) -> String {
    json!({ "resource": resource, "ttl": 600 }).to_string()
}

#[test]
fn processes_outlive_the_kill_of_their_leader_and_start_again() {
    let mut site = Site::new("killed");
    (1..=3).for_each(|id| site.start(id, &["--new"]));
    site.ready();
    let held = site.client(2).post(&body("r")).expect(201);
    let mut newest = held.field("fencing_token").as_u64().expect("a token");
    for _ in 0..2 {
        let leader = site.leader();
        // Dropping it kills it.
        drop(site.members.remove(&leader));
        site.ready();
        for id in site.members.keys() {
            let mut client = site.client(*id);
            assert_eq!(client.get(&held.path()).expect(200).field("status"), "active");
            let next = client.post(&body(&format!("{leader}-{id}-{newest}"))).expect(201);
            let token = next.field("fencing_token").as_u64().expect("a token");
            assert!(token > newest, "token {token} after {newest}");
            newest = token;
        }
        site.start(leader, &[]);
        site.ready();
        assert_eq!(site.client(leader).get(&held.path()).field("status"), "active");
    }
    // All of them, at once.
    site.members.clear();
    (1..=3).for_each(|id| site.start(id, &[]));
    site.ready();
    assert_eq!(site.client(1).get(&held.path()).expect(200).field("status"), "active");
}

#[track_caller]
pub(super) fn check_refused(arguments: &[&str], because: &str) {
    let refused = Command::new(env!("CARGO_BIN_EXE_turnstiled")).args(arguments).output();
    let refused = refused.expect("the program starts");
    assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {refused:?}");
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(text.contains(because), "{arguments:?}: {text}");
}

#[test]
fn a_directory_of_the_other_kind_is_named_with_the_commands_that_convert_it() {
    let mut site = Site::new("kinds");
    let single = site.path("single");
    let server = Turnstiled::start(&["--data", &single]);
    Client::new(server.at).post(&body("r")).expect(201);
    drop(server);
    let arguments = site.arguments(1);
    let mut of_single: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let data = of_single.iter().position(|word| *word == "--data").expect("it has a directory");
    of_single[data + 1] = &single;
    check_refused(&of_single, "that of a single server: `turnstiled snapshot save FILE --data ");
    (1..=3).for_each(|id| site.start(id, &["--new"]));
    site.ready();
    site.members.clear();
    let listen = ["--listen", "127.0.0.1:0"];
    let member = site.path("1");
    let of_member = [&["--data", &member], &listen[..]].concat();
    check_refused(&of_member, "that of a member of a cluster, which --cluster serves");
    let save = ["snapshot", "save", &site.path("file"), "--data", &member];
    check_refused(&save, "that of a member of a cluster");
}

#[test]
fn what_keeps_a_member_from_starting_is_named() {
    let mut site = Site::new("refused");
    let first = site.arguments(1);
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    check_refused(&first, "has no log: a member that begins needs --new or --join");
    check_refused(&[&first[..], &["--peer", "1=127.0.0.1:1"]].concat(), "member 1 is given twice");
    check_refused(&[&first[..], &["--peer", "4=nowhere"]].concat(), "is not HOST:PORT");
    check_refused(&[&first[..], &["--trace", "trace"]].concat(), "cannot be used with");
    check_refused(&[&first[..], &["--body-max", "9000000"]].concat(), "--body-max: the");
    let stranger = ["--cluster", "c", "--id", "4", "--peer-listen", "127.0.0.1:0"];
    let alone = ["--peer", "1=127.0.0.1:1", "--data", "d", "--new"];
    check_refused(&[&stranger[..], &alone].concat(), "member 4, which is this one, is not among");
    check_refused(&["--in-memory", "--new"], "--cluster");
    check_refused(&["--cluster", "c", "--id", "1", "--in-memory"], "--peer");
    // A start that is refused leaves no log, so that --new is still right.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let taken = taken.local_addr().expect("it is bound").to_string();
    for (option, value, why) in [
        ("--listen", "0.0.0.0:0", "is not on loopback"),
        ("--listen", taken.as_str(), "in use"),
        ("--peer-listen", taken.as_str(), "in use"),
        ("--cluster", "", "the name of a cluster has 1 to 255 bytes"),
    ] {
        let mut arguments = [&first[..], &["--new", "--listen", "127.0.0.1:0"]].concat();
        let at = arguments.iter().position(|word| *word == option).expect("it is there");
        arguments[at + 1] = value;
        check_refused(&arguments, why);
    }
    assert!(!Path::new(&site.path("1")).exists());
    (1..=3).for_each(|id| site.start(id, &["--new"]));
    site.ready();
}

/// A unit or a container has one command line.
#[test]
fn a_member_starts_again_with_the_options_of_its_first_start() {
    let mut site = Site::new("again");
    (1..=3).for_each(|id| site.start(id, &["--new"]));
    site.ready();
    let held = site.client(1).post(&body("r")).expect(201);
    site.members.clear();
    (1..=3).for_each(|id| site.start(id, &["--new"]));
    site.ready();
    assert_eq!(site.client(1).get(&held.path()).expect(200).field("status"), "active");
}
