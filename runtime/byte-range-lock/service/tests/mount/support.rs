//! Mounts, claim servers and folders for a test, which are gone when it ends, however it ends.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::runtime::Runtime;
use turnstile_claim::server::{Options, Server, Storage};
use turnstile_host::store::Disk;

/// How long anything may take that is to happen at once.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// The longest that a test may take, for each thousand of sequences that it makes.
const LONGEST: Duration = Duration::from_secs(1200);

fn longest() -> Duration {
    let sequences = std::env::var("TURNSTILE_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    LONGEST.saturating_mul(sequences.map_or(1, |sequences: u32| sequences.div_ceil(1000)).max(1))
}

/// The programs that these tests run.
const PROGRAMS: [&str; 9] = [
    "perl",
    "fusermount3",
    "sqlite3",
    "stress-ng",
    "git",
    "tdbtool",
    "setfattr",
    "setfacl",
    "setcap",
];

/// What these tests need and is not here.
pub(crate) fn needs() -> Result<(), String> {
    if !nix::unistd::geteuid().is_root() {
        return Err("run them as root".into());
    }
    for program in PROGRAMS {
        let found = Command::new("which").arg(program).output().map_err(|why| why.to_string())?;
        if !found.status.success() {
            return Err(format!(
                "{program} is not here (apt-get install fuse3 sqlite3 stress-ng git tdb-tools attr \
                 acl libcap2-bin perl)"
            ));
        }
    }
    if let Err(error) = fs::File::options().read(true).write(true).open("/dev/fuse") {
        return Err(format!("/dev/fuse: {error}"));
    }
    // It fails, and changes nothing, if it is mounted already.
    let mut mount = Command::new("mount");
    let mount = mount.args(["-t", "fusectl", "none", CONNECTIONS]).stderr(Stdio::null());
    let _mounted = mount.status();
    Ok(())
}

/// The folder by which connections of mounts are aborted.
const CONNECTIONS: &str = "/sys/fs/fuse/connections";

/// Aborts all connections when a test hangs: nothing else frees a program that waits for a mount.
pub(crate) struct Watchdog {
    /// Closed when the test ends.
    _running: Sender<()>,
}

impl Watchdog {
    pub(crate) fn start(name: &'static str) -> Self {
        let (running, over) = mpsc::channel::<()>();
        thread::spawn(move || {
            if over.recv_timeout(longest()) == Err(RecvTimeoutError::Timeout) {
                eprintln!("test {name} hangs: all FUSE connections are aborted");
                for connection in fs::read_dir(CONNECTIONS).into_iter().flatten().flatten() {
                    let _gone = fs::write(connection.path().join("abort"), "1");
                }
                std::process::exit(1);
            }
        });
        Self { _running: running }
    }
}

/// A folder that is removed at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("turnstile-mount-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a folder for a test");
        Self(path)
    }

    /// A folder in which all users may make files.
    pub(crate) fn open_to_all() -> Self {
        let folder = Self::new();
        let mode = fs::Permissions::from_mode(0o777);
        fs::set_permissions(&folder.0, mode).expect("it is this process's");
        folder
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.0);
    }
}

/// A mount, by a process of its own.
pub(crate) struct Mounted {
    pub(crate) process: Child,
    pub(crate) path: PathBuf,
    /// The number of its connection.
    connection: u64,
    /// Its own mountpoint, which is removed after it.
    folder: Option<Folder>,
}

impl Mounted {
    /// Mounts a folder, with these arguments.
    pub(crate) fn start(backing: &Path, arguments: &[&str]) -> Self {
        let folder = Folder::new();
        let mut mounted = Self::start_at(backing, &folder.0, arguments);
        mounted.folder = Some(folder);
        mounted
    }

    /// Mounts a folder at a folder.
    pub(crate) fn start_at(backing: &Path, mountpoint: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rangefs"));
        command.arg(backing).arg(mountpoint).args(arguments).stdout(Stdio::piped());
        let mut process = command.spawn().expect("rangefs starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("its output is read");
        BufReader::new(output).read_line(&mut line).expect("its output is text");
        assert!(line.contains("is mounted at"), "rangefs says {line:?}");
        let device = fs::metadata(mountpoint).expect("it is mounted").dev();
        let connection = nix::sys::stat::minor(device);
        Self { process, path: mountpoint.into(), connection, folder: None }
    }

    /// The path of a file in it.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let process = i32::try_from(self.process.id()).expect("process numbers are small");
        kill(Pid::from_raw(process), signal).expect("it runs");
    }

    /// Aborts its connection: whoever waits for it gets an error.
    pub(crate) fn abort(&self) {
        let _gone = fs::write(format!("{CONNECTIONS}/{}/abort", self.connection), "1");
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if self.process.try_wait().ok().flatten().is_none() {
            self.signal(Signal::SIGCONT);
            self.signal(Signal::SIGTERM);
            let until = Instant::now() + SOON;
            while self.process.try_wait().ok().flatten().is_none() {
                if Instant::now() > until {
                    self.abort();
                    let _dead = self.process.kill();
                    let _reaped = self.process.wait();
                    break;
                }
                thread::park_timeout(Duration::from_millis(5));
            }
        }
        let mut unmount = Command::new("umount");
        let _unmounted = unmount.arg("-l").arg(&self.path).stderr(Stdio::null()).status();
    }
}

/// A claim server in this process.
pub(crate) struct ClaimServer {
    runtime: Option<Runtime>,
    address: std::net::SocketAddr,
    disk: Disk,
}

impl ClaimServer {
    pub(crate) fn start() -> Self {
        let address = "127.0.0.1:0".parse().expect("an address");
        let mut server = Self { runtime: None, address, disk: Disk::default() };
        server.resume();
        server
    }

    /// Starts it, or starts it again at the same address with what it had.
    pub(crate) fn resume(&mut self) {
        let runtime = Runtime::new().expect("a runtime");
        let storage = Storage::Blocking(Box::new(self.disk.open()));
        self.address = runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind(self.address).await.expect("it is free");
            let address = listener.local_addr().expect("it has an address");
            let server = Server::open(storage, Options::default()).expect("it opens");
            tokio::spawn(server.serve(listener, std::future::pending()));
            address
        });
        self.runtime = Some(runtime);
    }

    /// Ends it at once, as if it were killed.
    pub(crate) fn end(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(SOON);
        }
    }

    /// The argument by which a mount uses it.
    pub(crate) fn locks(&self) -> String {
        format!("--locks=claims=http://{}", self.address)
    }
}

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let late = Instant::now() + SOON;
    while !holds() {
        assert!(Instant::now() < late, "{what}: not within {SOON:?}");
        thread::park_timeout(Duration::from_millis(2));
    }
}
