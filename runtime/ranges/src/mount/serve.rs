//! A mount: connected to the kernel, served by threads, and ended.

use std::io::{self, BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread::JoinHandle;

use polyfuse::{KernelConfig, Session};
use rustix::fs::{Mode, OFlags, minor, open, stat};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::caller::may_act_as_others;
use super::request::handle;
use super::volume::{Kernel, Locking, Volume};
use crate::{Manager, Options};

/// The largest write of one request, in bytes.
const WRITE_MAX: u32 = 128 << 10;

/// How a directory is mounted.
#[derive(Debug)]
pub struct MountOptions {
    /// The file server of its locks.
    pub locking: Locking,
    /// The configuration of its manager.
    pub manager: Options,
    /// Whether reads and writes keep to the document's rules, also of programs that lock nothing.
    pub is_mandatory: bool,
    /// How many threads serve it.
    pub threads: usize,
    /// Whether all users may use it.
    pub is_for_all: bool,
}

/// A directory that is mounted.
#[derive(Debug)]
pub struct Mount {
    connection: u32,
    threads: Vec<JoinHandle<io::Result<()>>>,
}

impl Mount {
    /// Mounts a directory. Must be called within a tokio runtime, which the locks need as long as
    /// it is mounted. The process gets a umask of zero, as the kernel applies that of each program,
    /// and as many open files as the system permits.
    ///
    /// # Errors
    /// When the directory cannot be opened, or not be mounted there.
    pub fn start(backing: &Path, mountpoint: &Path, options: MountOptions) -> io::Result<Self> {
        let MountOptions { locking, manager, is_mandatory, threads, is_for_all } = options;
        let root = directory(backing)?;
        drop(directory(mountpoint)?);
        look_for_fuse()?;
        raise_limit();
        // The kernel has applied the program's own.
        rustix::process::umask(Mode::empty());
        let asks_for_locks = !matches!(locking, Locking::Kernel);
        let volume = Volume::new(root, Manager::start(manager), locking, is_mandatory)?;
        let volume = Arc::new(volume);
        let session = Arc::new(mount(mountpoint, asks_for_locks, is_for_all)?);
        volume.notifier.set(Kernel(session.notifier())).expect("it is set once");
        let runtime = tokio::runtime::Handle::current();
        let serve = || {
            let (session, volume, runtime) = (session.clone(), volume.clone(), runtime.clone());
            std::thread::Builder::new().name("rangefs".into()).spawn(move || {
                let _entered = runtime.enter();
                may_act_as_others();
                while let Some(request) = session.next_request()? {
                    handle(&volume, request);
                }
                Ok(())
            })
        };
        let threads: io::Result<Vec<_>> = (0..threads).map(|_| serve()).collect();
        let threads = threads?;
        let connection = minor(stat(mountpoint)?.st_dev);
        Ok(Self { connection, threads })
    }

    /// The number of its connection to the kernel, which [`super::watch`] takes.
    #[must_use]
    pub const fn connection(&self) -> u32 {
        self.connection
    }

    /// Waits until it is unmounted and no program has a file of it open.
    ///
    /// # Errors
    /// When requests of the kernel cannot be read.
    pub fn wait(self) -> io::Result<()> {
        for thread in self.threads {
            thread.join().expect("no request panics")?;
        }
        Ok(())
    }
}

/// Takes a mount out of the tree of files. Programs that have files of it open keep them.
///
/// # Errors
/// When it cannot be unmounted.
pub fn unmount(mountpoint: &Path) -> io::Result<()> {
    let status = Command::new(FUSERMOUNT).args(["-u", "-z", "--"]).arg(mountpoint).status()?;
    let said = || format!("{FUSERMOUNT} cannot unmount {}: {status}", mountpoint.display());
    if status.success() { Ok(()) } else { Err(io::Error::other(said())) }
}

/// The device by which the kernel hands its requests out.
const DEVICE: &str = "/dev/fuse";

/// The program that mounts.
const FUSERMOUNT: &str = "/usr/bin/fusermount3";

/// Whether file systems can be mounted here.
fn look_for_fuse() -> io::Result<()> {
    let device = open(DEVICE, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty());
    if let Err(error) = device {
        let remedy = match error {
            Errno::ACCESS => "may be used by root alone here: run this as root, or `chmod 666` it",
            _ => {
                "is what file systems of programs need: load the module (`modprobe fuse`), or give \
                 a container the device and the right to mount (`--device /dev/fuse --cap-add \
                 SYS_ADMIN`)"
            }
        };
        return Err(io::Error::other(format!("{DEVICE}: {error}. It {remedy}")));
    }
    if !Path::new(FUSERMOUNT).exists() {
        return Err(io::Error::other(format!(
            "{FUSERMOUNT} is not there, which mounts file systems of programs: install it, in \
             Debian by `apt-get install fuse3`"
        )));
    }
    Ok(())
}

/// Each file that the kernel knows is an open file here: takes as many as the system permits.
fn raise_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: maximum, maximum };
    if current != maximum
        && let Err(error) = setrlimit(Resource::Nofile, raised)
    {
        tracing::warn!(%error, "the limit of open files stays at {current:?}");
    }
}

fn directory(path: &Path) -> io::Result<OwnedFd> {
    let opened = open(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
    opened.map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
}

/// Connects to the kernel.
fn mount(mountpoint: &Path, asks_for_locks: bool, is_for_all: bool) -> io::Result<Session> {
    let mut config = KernelConfig::default();
    config.posix_locks(asks_for_locks).flock_locks(asks_for_locks).posix_acl(true);
    config.max_write(WRITE_MAX).fusermount_path(FUSERMOUNT);
    // The kernel knows the capabilities of a program, and clears set-user-id bits and capabilities
    // of a file by them before it is changed. To be truncated by `open` would be to escape that.
    config.handle_killpriv(false).atomic_o_trunc(false);
    config.mount_option("default_permissions,fsname=rangefs,subtype=rangefs");
    if is_for_all {
        config.mount_option("allow_other");
    }
    let (mut said, errors) = io::pipe()?;
    // The program inherits the stream. It speaks when it fails, and when it finds at the end that
    // the mount is gone, which is as it should be.
    let stream = rustix::io::dup(io::stderr())?;
    rustix::stdio::dup2_stderr(errors)?;
    let session = Session::mount(mountpoint.into(), config);
    rustix::stdio::dup2_stderr(stream)?;
    if let Err(error) = session {
        let mut words = String::new();
        said.read_to_string(&mut words)?;
        let words = if words.is_empty() { error.to_string() } else { words };
        let words = words.trim_end();
        return Err(io::Error::other(format!("cannot mount at {}: {words}", mountpoint.display())));
    }
    std::thread::spawn(move || {
        for line in BufReader::new(said).lines().map_while(Result::ok) {
            tracing::debug!("{line}");
        }
    });
    session
}
