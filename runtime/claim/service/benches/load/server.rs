//! The measured servers: each is a process, on loopback and on the same disk.

use std::io::{self, BufRead as _, BufReader, ErrorKind, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The maximum time for a server to start listening.
const PATIENCE: Duration = Duration::from_secs(20);

/// The directory of another build of the programs; `None`: this build.
pub(crate) type Build<'a> = Option<&'a Path>;

/// A server, which is one process or three; dropping this kills it.
pub(crate) struct Server {
    children: Vec<Child>,
    addresses: Vec<SocketAddr>,
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
        Self::etcds(1)
    }

    /// A cluster of this many `etcd`s; `None` if it is not installed.
    pub(crate) fn etcds(members: usize) -> Option<Self> {
        let ports: Vec<_> = (0..members).map(|_| (free_port(), free_port())).collect();
        let peers = ports.iter().enumerate();
        let peers: Vec<_> = peers.map(|(one, (_, peer))| format!("m{one}=http://{peer}")).collect();
        let mut servers = Vec::new();
        for (one, (at, peer)) in ports.iter().enumerate() {
            let (clients, peer) = (format!("http://{at}"), format!("http://{peer}"));
            let mut command = Command::new("etcd");
            command.args(["--log-level", "error", "--name", &format!("m{one}")]);
            command.args(["--initial-cluster", &peers.join(",")]);
            command.args(["--listen-client-urls", &clients, "--advertise-client-urls", &clients]);
            command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
            command.arg("--data-dir").arg(empty(&format!("load.etcd-{members}-{one}")));
            servers.push(Self::begun(command.stderr(Stdio::null()), *at)?);
        }
        let server = Self::joined(servers);
        server.await_listening();
        Some(server)
    }

    /// A cluster of three `turnstiled`s, each with an empty store, and with this interval of
    /// heartbeats in seconds, if it is not the default.
    pub(crate) fn cluster(heartbeat: Option<&str>) -> Self {
        let ports: Vec<_> = (0..3).map(|_| free_port()).collect();
        let mut servers = Vec::new();
        for (one, port) in ports.iter().enumerate() {
            let mut command = turnstiled(None);
            command.args(["--cluster", "load", "--new", "--id", &(one + 1).to_string()]);
            command.args(["--peer-listen", &port.to_string()]);
            for (peer, port) in ports.iter().enumerate() {
                command.arg("--peer").arg(format!("{}={port}", peer + 1));
            }
            command.arg("--data").arg(empty(&format!("load.cluster-{one}")));
            command.args(heartbeat.into_iter().flat_map(|seconds| ["--heartbeat", seconds]));
            servers.push(Self::announced(&mut command));
        }
        let server = Self::joined(servers);
        server.await_ready();
        server
    }

    /// Starts a server that prints its address.
    pub(crate) fn announced(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("the server says where it listens");
        let at = line.trim().rsplit('/').next().and_then(|at| at.parse().ok());
        let at = at.unwrap_or_else(|| panic!("no address in {line:?}"));
        Self { addresses: vec![at], children: vec![child] }
    }

    /// Starts a server with a given address.
    fn installed(command: &mut Command, at: SocketAddr) -> Option<Self> {
        let server = Self::begun(command, at)?;
        server.await_listening();
        Some(server)
    }

    /// Starts a server that need not listen yet.
    fn begun(command: &mut Command, at: SocketAddr) -> Option<Self> {
        let child = match command.stdout(Stdio::null()).spawn() {
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            child => child.expect("the server starts"),
        };
        Some(Self { children: vec![child], addresses: vec![at] })
    }

    fn await_listening(&self) {
        let started = Instant::now();
        for at in &self.addresses {
            while let Err(error) = TcpStream::connect(at) {
                assert!(started.elapsed() < PATIENCE, "{at}: {error}");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }

    /// Waits until every process of a cluster says that it is ready.
    fn await_ready(&self) {
        let started = Instant::now();
        for at in &self.addresses {
            while !is_ready(*at).expect("the server answers") {
                assert!(started.elapsed() < PATIENCE, "{at} is not ready");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }

    /// Several servers as one.
    fn joined(servers: Vec<Self>) -> Self {
        let mut all = Self { children: Vec::new(), addresses: Vec::new() };
        for mut server in servers {
            all.children.append(&mut server.children);
            all.addresses.append(&mut server.addresses);
        }
        all
    }

    /// The address for one of the clients, which are spread over the processes.
    pub(crate) fn address(&self, client: usize) -> SocketAddr {
        self.addresses[client % self.addresses.len()]
    }

    /// Kills one of its processes.
    pub(crate) fn kill(&mut self, one: usize) {
        self.children[one].kill().expect("it is our child");
    }

    /// The processor time of the server and this process so far.
    pub(crate) fn cpu_time(&self) -> Duration {
        let times = self.children.iter().map(|child| cpu_time(&child.id().to_string()));
        cpu_time("self") + times.sum::<Duration>()
    }

    /// Waits until the processes that were killed have ended.
    pub(crate) fn await_end(&mut self) {
        for child in &mut self.children {
            child.wait().expect("it is our child");
        }
    }

    /// The peak memory of the largest of its processes, in MiB.
    pub(crate) fn memory_mib(&self) -> u64 {
        self.largest_mib("VmHWM:")
    }

    /// The resident memory of the largest of its processes, in MiB.
    pub(crate) fn resident_mib(&self) -> u64 {
        self.largest_mib("VmRSS:")
    }

    fn largest_mib(&self, field: &str) -> u64 {
        self.children.iter().map(|child| memory_mib(child, field)).max().unwrap_or(0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for child in &mut self.children {
            child.kill().expect("it is our child");
            child.wait().expect("it is our child");
        }
    }
}

/// Whether a member of a cluster is ready.
pub(crate) fn is_ready(at: SocketAddr) -> io::Result<bool> {
    let mut stream = TcpStream::connect(at)?;
    let request = "GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes())?;
    Ok(io::read_to_string(stream)?.starts_with("HTTP/1.1 200"))
}

/// A field of the memory of a process, in MiB.
fn memory_mib(child: &Child, field: &str) -> u64 {
    let path = format!("/proc/{}/status", child.id());
    let status = std::fs::read_to_string(path).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.expect("a number") >> 10
}

pub(crate) fn turnstiled(build: Build<'_>) -> Command {
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

pub(crate) fn free_port() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, turnstile_simulation::free_port()))
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
