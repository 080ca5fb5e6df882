//! A mount: connected to the kernel, served by threads, and ended.

use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use polyfuse::{KernelConfig, Session};
use rustix::fs::{Mode, OFlags, StatVfsMountFlags, fstatvfs, minor, open, stat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::options::{Locking, MountOptions};
use super::volume::{Kernel, Volume};
use crate::mount::kernel::caller::may_act_as_others;
use crate::mount::kernel::request::handle;

/// The largest write of one request, in bytes: 128 KiB that begin anywhere in a page. Each request,
/// also for a lock, has memory for it, which the library fills with zeros: 1 MiB takes 20 µs.
const WRITE_MAX: u32 = (128 << 10) + 4096;

/// A directory that is mounted.
#[derive(Debug)]
pub struct Mount {
    mountpoint: PathBuf,
    connection: u32,
    threads: Vec<JoinHandle<io::Result<()>>>,
}

impl Mount {
    /// Mounts a directory. Must be called within a tokio runtime, which the locks need as long as
    /// it is mounted. The process gets a umask of zero, and as many open files as the system
    /// permits.
    ///
    /// # Errors
    /// When the directory cannot be opened, or not be mounted there.
    pub fn start(backing: &Path, mountpoint: &Path, options: MountOptions) -> io::Result<Self> {
        let threads = options.threads;
        let root = directory(backing)?;
        drop(directory(mountpoint)?);
        look_for_fuse()?;
        // Each thread has that of the program that it acts for.
        rustix::process::umask(Mode::empty());
        let config = configuration(&root, &options)?;
        let volume = Arc::new(Volume::new(root, options)?);
        let mountpoint = mountpoint.canonicalize()?;
        // It would unmount what is at the place when it is dropped, which may be another mount.
        let session: &Session = Box::leak(Box::new(mount(&mountpoint, config)?));
        volume.notifier.set(Kernel(session.notifier())).expect("it is set once");
        let runtime = tokio::runtime::Handle::current();
        let serve = || {
            let (volume, runtime) = (volume.clone(), runtime.clone());
            std::thread::Builder::new().name("rangefs".into()).spawn(move || {
                let _entered = runtime.enter();
                may_act_as_others()?;
                while let Some(request) = session.next_request()? {
                    handle(&volume, request);
                }
                Ok(())
            })
        };
        let threads: io::Result<Vec<_>> = (0..threads).map(|_| serve()).collect();
        let threads = threads?;
        let connection = minor(stat(&mountpoint)?.st_dev);
        Ok(Self { mountpoint, connection, threads })
    }

    /// The number of its connection to the kernel, which [`super::watch`] takes.
    #[must_use]
    pub const fn connection(&self) -> u32 {
        self.connection
    }

    /// Where it is mounted.
    #[must_use]
    pub fn mountpoint(&self) -> &Path {
        &self.mountpoint
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

/// The device by which the kernel hands its requests out.
const DEVICE: &str = "/dev/fuse";

/// The program that mounts.
pub(super) const FUSERMOUNT: &str = "/usr/bin/fusermount3";

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

fn directory(path: &Path) -> io::Result<OwnedFd> {
    let opened = open(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
    opened.map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
}

/// What the kernel is asked for.
fn configuration(backing: &OwnedFd, options: &MountOptions) -> io::Result<KernelConfig> {
    let mut config = KernelConfig::default();
    let asks_for_locks = !matches!(options.locking, Locking::Kernel);
    config.posix_locks(asks_for_locks).flock_locks(asks_for_locks).posix_acl(true).dont_mask(true);
    config.max_write(WRITE_MAX).fusermount_path(FUSERMOUNT);
    // It would come late, and unmount what is at the place by then.
    config.auto_unmount(false);
    // The kernel knows the capabilities of a program, and clears set-user-id bits and capabilities
    // of a file by them before it is changed. To be truncated by `open` would be to escape that.
    config.handle_killpriv(false).atomic_o_trunc(false);
    let keeps_names = !options.names_kept.is_zero();
    config.readdirplus(keeps_names).readdirplus_auto(keeps_names);
    config.mount_option("default_permissions,fsname=rangefs,subtype=rangefs");
    if options.is_for_all {
        config.mount_option("allow_other");
    }
    for option in restrictions(fstatvfs(backing)?.f_flag) {
        config.mount_option(option);
    }
    Ok(config)
}

/// What may be done with the files: what may be done with those behind. Root alone may mount files
/// that give the rights of their owners, and devices.
fn restrictions(behind: StatVfsMountFlags) -> impl Iterator<Item = &'static str> {
    let is_root = geteuid().is_root();
    [
        (StatVfsMountFlags::NOSUID, "nosuid", is_root.then_some("suid")),
        (StatVfsMountFlags::NODEV, "nodev", is_root.then_some("dev")),
        (StatVfsMountFlags::NOEXEC, "noexec", None),
        (StatVfsMountFlags::RDONLY, "ro", None),
    ]
    .into_iter()
    .filter_map(move |(flag, yes, no)| if behind.contains(flag) { Some(yes) } else { no })
}

/// Connects to the kernel.
fn mount(mountpoint: &Path, config: KernelConfig) -> io::Result<Session> {
    let (mut said, errors) = io::pipe()?;
    // The program inherits the stream, and speaks when it fails.
    let stream = rustix::io::dup(io::stderr())?;
    rustix::stdio::dup2_stderr(errors)?;
    let session = Session::mount(mountpoint.into(), config);
    rustix::stdio::dup2_stderr(stream)?;
    session.map_err(|error| {
        let mut words = String::new();
        let _spoken = said.read_to_string(&mut words);
        let words = if words.is_empty() { error.to_string() } else { words };
        let words = words.trim_end();
        io::Error::other(format!("cannot mount at {}: {words}", mountpoint.display()))
    })
}
