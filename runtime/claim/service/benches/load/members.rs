//! The members of a cluster as processes, each of which is killed and started again by itself.

use std::fs::{self, File, OpenOptions, Permissions};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::server::{Build, Server, empty, free_port, is_ready, turnstiled};

/// The number of owners of claims; the first one is an operator.
pub(crate) const OWNERS: usize = 100;
/// The maximum time for a member to be ready.
const PATIENCE: Duration = Duration::from_secs(120);

/// The secret of an owner's token.
pub(crate) fn secret(owner: usize) -> String {
    format!("secret-{:02}", owner % OWNERS)
}

/// A file with the tokens of all owners.
pub(crate) fn tokens() -> PathBuf {
    let path = empty("load.size-tokens").join("tokens");
    let token = |owner: usize| {
        let (secret, is_operator) = (secret(owner), owner == 0);
        let name = format!("team-{owner:02}.example");
        format!("[[token]]\nname = \"{name}\"\nsecret = \"{secret}\"\noperator = {is_operator}\n")
    };
    fs::write(&path, (0..OWNERS).map(token).collect::<String>()).expect("the file is ours");
    fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("the file is ours");
    path
}

/// Members on one machine: three at first.
pub(crate) struct Members<'a> {
    build: Build<'a>,
    tokens: PathBuf,
    ports: Vec<SocketAddr>,
    dirs: Vec<PathBuf>,
    /// In the order of their numbers, which begin with 1.
    pub(crate) all: Vec<Server>,
}

impl<'a> Members<'a> {
    /// Starts a new cluster of three.
    pub(crate) fn start(tokens: &Path, build: Build<'a>) -> Self {
        let (ports, all) = ((0..3).map(|_| free_port()).collect(), Vec::new());
        let dirs = (1..=3).map(|id| empty(&format!("load.size-{id}"))).collect();
        let mut members = Self { build, tokens: tokens.to_owned(), ports, dirs, all };
        for one in 0..3 {
            members.all.push(Server::announced(&mut members.command(one, Some("--new"))));
        }
        (0..3).for_each(|one| members.await_ready(one));
        members
    }

    fn command(&self, one: usize, begins: Option<&str>) -> Command {
        let mut command = turnstiled(self.build);
        command.args(["--cluster", "load", "--id", &(one + 1).to_string()]);
        command.args(["--peer-listen", &self.ports[one].to_string()]).args(begins);
        for (peer, port) in self.ports.iter().enumerate() {
            command.arg("--peer").arg(format!("{}={port}", peer + 1));
        }
        command.arg("--data").arg(&self.dirs[one]).arg("--tokens").arg(&self.tokens);
        command.env("TURNSTILE_LOG", "warn,turnstile_raft=debug").env("NO_COLOR", "1");
        command.stderr(self.log(one));
        command
    }

    fn log_path(&self, one: usize) -> PathBuf {
        self.dirs[one].with_extension(format!("{}.log", one + 1))
    }

    fn log(&self, one: usize) -> File {
        let file = OpenOptions::new().append(true).create(true).open(self.log_path(one));
        file.expect("the file is ours")
    }

    /// The lines of a member's log, from a line on.
    pub(crate) fn lines(&self, one: usize, from: usize) -> Vec<String> {
        let text = fs::read_to_string(self.log_path(one)).expect("the file is ours");
        text.lines().skip(from).map(str::to_owned).collect()
    }

    /// The size of a member's directory in bytes.
    pub(crate) fn disk_bytes(&self, one: usize) -> u64 {
        let files = fs::read_dir(&self.dirs[one]).expect("the directory is ours");
        // A compaction may remove a file meanwhile.
        files.flatten().filter_map(|file| Some(file.metadata().ok()?.len())).sum()
    }

    /// Kills a member with SIGKILL, and starts it again on its directory. Returns the time until it
    /// is ready.
    pub(crate) fn restart(&mut self, one: usize) -> Duration {
        self.all[one].kill(0);
        self.start_again(one)
    }

    /// Starts a member that was killed.
    pub(crate) fn start_again(&mut self, one: usize) -> Duration {
        self.all[one].await_end();
        let started = Instant::now();
        self.all[one] = Server::announced(&mut self.command(one, None));
        self.await_ready(one);
        started.elapsed()
    }

    /// Adds a member. Returns the time from its addition until it is ready.
    pub(crate) async fn add(&mut self, client: &mut Client) -> Duration {
        let one = self.all.len();
        self.ports.push(free_port());
        self.dirs.push(empty(&format!("load.size-{}", one + 1)));
        self.all.push(Server::announced(&mut self.command(one, Some("--join"))));
        let body = format!(r#"{{"address":"{}"}}"#, self.ports[one]);
        let started = Instant::now();
        // A change that is not finished in time may be repeated.
        while client
            .call(&format!("PUT /v1/cluster/members/{}/", one + 1), &body, false)
            .await
            .status
            >= 500
        {
            assert!(started.elapsed() < PATIENCE, "member {} is not added", one + 1);
        }
        self.await_ready(one);
        started.elapsed()
    }

    /// Waits until a member says that it is ready.
    fn await_ready(&self, one: usize) {
        let (started, at) = (Instant::now(), self.all[one].address(0));
        while !is_ready(at).expect("the server answers") {
            assert!(started.elapsed() < PATIENCE, "{at} is not ready");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// A client of a member, an operator.
    pub(crate) async fn client(&self, one: usize) -> Client {
        Client::connect(self.all[one].address(0)).await.with_token(&secret(0))
    }
}
