//! A mount: connected to the kernel, served by threads, and ended.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread::JoinHandle;

use polyfuse::{KernelConfig, Session};
use rustix::fs::{Mode, OFlags, open};

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
    mountpoint: PathBuf,
    threads: Vec<JoinHandle<io::Result<()>>>,
}

impl Mount {
    /// Mounts a directory. Must be called within a tokio runtime, which the locks need as long as
    /// it is mounted.
    ///
    /// # Errors
    /// When the directory cannot be opened, or not be mounted there.
    pub fn start(backing: &Path, mountpoint: &Path, options: MountOptions) -> io::Result<Self> {
        let MountOptions { locking, manager, is_mandatory, threads, is_for_all } = options;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = open(backing, flags, Mode::empty())?;
        let volume = Volume::new(root, Manager::start(manager), locking, is_mandatory)?;
        let volume = Arc::new(volume);
        let mut config = KernelConfig::default();
        config.posix_locks(true).flock_locks(true).max_write(WRITE_MAX);
        config.mount_option("default_permissions,fsname=rangefs,subtype=rangefs");
        if is_for_all {
            config.mount_option("allow_other");
        }
        let session = Arc::new(Session::mount(mountpoint.into(), config)?);
        volume.notifier.set(Kernel(session.notifier())).expect("it is set once");
        let runtime = tokio::runtime::Handle::current();
        let serve = || {
            let (session, volume, runtime) = (session.clone(), volume.clone(), runtime.clone());
            std::thread::Builder::new().name("rangefs".into()).spawn(move || {
                let _entered = runtime.enter();
                while let Some(request) = session.next_request()? {
                    handle(&volume, request);
                }
                Ok(())
            })
        };
        let threads: io::Result<Vec<_>> = (0..threads.max(1)).map(|_| serve()).collect();
        Ok(Self { mountpoint: mountpoint.into(), threads: threads? })
    }

    /// Takes the mount out of the tree of files. Programs that have files of it open keep them.
    ///
    /// # Errors
    /// When it cannot be unmounted.
    pub fn unmount(&self) -> io::Result<()> {
        let mut command = Command::new("fusermount3");
        let status = command.args(["-u", "-z", "--"]).arg(&self.mountpoint).status()?;
        if status.success() { Ok(()) } else { Err(io::Error::other(status.to_string())) }
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
