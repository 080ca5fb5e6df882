//! The measured servers: each is a process, on loopback and on the same disk.

use std::io::{self, BufRead as _, BufReader, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The maximum time for a server to start listening.
const PATIENCE: Duration = Duration::from_secs(20);

/// The directory of another build of the programs; `None`: this build.
pub(crate) type Build<'a> = Option<&'a Path>;

/// A server process; dropping this kills it.
pub(crate) struct Server {
    child: Child,
    pub(crate) at: SocketAddr,
}

impl Server {
    /// `turnstiled` with claims in memory.
    pub(crate) fn in_memory(build: Build<'_>) -> Self {
        let mut command = turnstiled(build);
        Self::announced(command.arg("--in-memory"))
    }

    /// `turnstiled` with an empty store.
    pub(crate) fn on_disk(build: Build<'_>) -> Self {
        let name = if build.is_some() { "load.other" } else { "load" };
        Self::on(build, &empty(name))
    }

    /// `turnstiled` with the store in this directory.
    pub(crate) fn on(build: Build<'_>, dir: &Path) -> Self {
        let mut command = turnstiled(build);
        Self::announced(command.arg("--data").arg(dir))
    }

    /// This program as the server that sends constant responses.
    pub(crate) fn constant() -> Self {
        let this = std::env::current_exe().expect("a program has a name");
        Self::announced(Command::new(this).arg("constant"))
    }

    /// `redis-server`, as durable as `turnstiled`; `None` if it is not installed.
    pub(crate) fn redis() -> Option<Self> {
        let at = free_port();
        let mut command = Command::new("redis-server");
        command.args(["--bind", "127.0.0.1", "--port", &at.port().to_string()]);
        command.args(["--save", "", "--appendonly", "yes", "--appendfsync", "always"]);
        command.arg("--dir").arg(empty("load.redis"));
        Self::installed(&mut command, at)
    }

    /// `etcd`, which syncs by default; `None` if it is not installed.
    pub(crate) fn etcd() -> Option<Self> {
        let (at, peer) = (free_port(), format!("http://{}", free_port()));
        let clients = format!("http://{at}");
        let mut command = Command::new("etcd");
        command.args(["--log-level", "error", "--initial-cluster", &format!("default={peer}")]);
        command.args(["--listen-client-urls", &clients, "--advertise-client-urls", &clients]);
        command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
        command.arg("--data-dir").arg(empty("load.etcd"));
        Self::installed(command.stderr(Stdio::null()), at)
    }

    /// Starts a server that prints its address.
    fn announced(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("the server says where it listens");
        let at = line.trim().rsplit('/').next().and_then(|at| at.parse().ok());
        Self { at: at.unwrap_or_else(|| panic!("no address in {line:?}")), child }
    }

    /// Starts a server with a given address.
    fn installed(command: &mut Command, at: SocketAddr) -> Option<Self> {
        let child = match command.stdout(Stdio::null()).spawn() {
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            child => child.expect("the server starts"),
        };
        let server = Self { child, at };
        let started = Instant::now();
        while let Err(error) = TcpStream::connect(at) {
            assert!(started.elapsed() < PATIENCE, "{command:?}: {error}");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }

    /// The processor time of the server and this process so far.
    pub(crate) fn cpu_time(&self) -> Duration {
        cpu_time("self") + cpu_time(&self.child.id().to_string())
    }

    /// The peak memory of the server, in MiB.
    pub(crate) fn memory_mib(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        kib.expect("a number") >> 10
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().expect("it is our child");
        self.child.wait().expect("it is our child");
    }
}

fn turnstiled(build: Build<'_>) -> Command {
    let own = || PathBuf::from(env!("CARGO_BIN_EXE_turnstiled"));
    let mut command = Command::new(build.map_or_else(own, |build| build.join("turnstiled")));
    command.args(["--listen", "127.0.0.1:0"]).env("TURNSTILE_LOG", "warn");
    command
}

/// An empty directory of this name, in the build directory.
pub(crate) fn empty(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).expect("the directory is ours");
    }
    std::fs::create_dir_all(&dir).expect("the directory is ours");
    dir
}

fn free_port() -> SocketAddr {
    let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    bound.and_then(|listener: TcpListener| listener.local_addr()).expect("a port is free")
}

/// The processor time of a process so far; the kernel counts in hundredths of a second.
fn cpu_time(process: &str) -> Duration {
    let stat: io::Result<String> = std::fs::read_to_string(format!("/proc/{process}/stat"));
    let stat = stat.expect("it runs");
    // The name in parentheses may hold anything; behind it the 12th and 13th are user and system.
    let (_, fields) = stat.rsplit_once(')').expect("a name in parentheses");
    let ticks = |at| -> u64 {
        fields.split_whitespace().nth(at).and_then(|ticks| ticks.parse().ok()).expect("a number")
    };
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}
