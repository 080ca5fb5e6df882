//! The socket of a member, to which only the user that started the member can connect.

use std::fs;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::{UnixListener, UnixStream};

use crate::hold::Times;
use crate::program::{Failure, Program};
use crate::serve::serve;
use crate::service::Service;

/// The socket of a member. Dropping it removes its file, so that the next process may bind it.
#[derive(Debug)]
pub struct Socket {
    listener: UnixListener,
    path: PathBuf,
}

impl Socket {
    /// Listens at a path, to which only this user can connect. A socket at which nobody listens any
    /// more is replaced.
    ///
    /// # Errors
    /// When another process listens there, or the path cannot be used: it has more than 107 bytes,
    /// for example.
    pub async fn bind(program: Program, path: &Path) -> Result<Self, Failure> {
        check_path(program, path)?;
        let bound = bind(path).await;
        let failed = |error| Failure::Unavailable(format!("{}: {error}", path.display()));
        Ok(Self { listener: bound.map_err(failed)?, path: path.to_owned() })
    }

    /// Serves connections until it is dropped: at most so many users that wait for a lock or hold
    /// one, and as many again that hold one already.
    pub async fn serve<S: Service>(&self, service: S, times: Times, users_max: usize) {
        serve(&self.listener, service, times, users_max).await;
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // A start replaces one that remains.
        let _removed = fs::remove_file(&self.path);
    }
}

/// The maximum length of a socket's path in bytes: the system keeps 108 for it and a zero.
const PATH_MAX: usize = 107;

/// Refuses a path that is too long for a socket.
///
/// # Errors
/// When it is, with the option by which to choose another one.
pub(crate) fn check_path(program: Program, path: &Path) -> Result<(), Failure> {
    let (len, variable) = (path.as_os_str().len(), program.variable);
    if len <= PATH_MAX {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "--socket {}: the path has {len} bytes, and that of a socket has at most {PATH_MAX}: \
         choose a shorter one by --socket or {variable}_SOCKET, for example in /run",
        path.display()
    )))
}

async fn bind(path: &Path) -> io::Result<UnixListener> {
    if UnixStream::connect(path).await.is_ok() {
        return Err(io::Error::new(io::ErrorKind::AddrInUse, "another member listens there"));
    }
    match fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_socket() => {}
        Ok(_) => {
            let text = "a file that is no socket is there";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    // The mode of a socket can be changed only once it is there. So it is bound in a folder that is
    // closed to others, and then moved, which replaces the former one.
    let folder = path.with_file_name(format!(".rl{}", std::process::id()));
    let inside = folder.join("s");
    // Remains of a process with the same number.
    let _removed = fs::remove_file(&inside).and_then(|()| fs::remove_dir(&folder));
    fs::DirBuilder::new().mode(0o700).create(&folder)?;
    let bound = fs::File::open(&folder).and_then(|folder| {
        // The name of the folder may be longer than that of the socket.
        let listener = match inside.as_os_str().len() > PATH_MAX {
            true => UnixListener::bind(format!("/proc/self/fd/{}/s", folder.as_raw_fd())),
            false => UnixListener::bind(&inside),
        }?;
        fs::set_permissions(&inside, fs::Permissions::from_mode(0o600))?;
        fs::rename(&inside, path)?;
        Ok(listener)
    });
    if bound.is_err() {
        // It may not be there.
        let _removed = fs::remove_file(&inside);
    }
    fs::remove_dir(&folder)?;
    bound
}

/// The open files of a member beside those of its users: connections, the log, and what arrives.
const OPEN_FILES: u64 = 512;

/// Raises the limit of open files to what the system allows, which must be enough: a user has one.
///
/// # Errors
/// When the system allows too few for so many users.
pub fn raise_open_files(users: usize) -> Result<(), Failure> {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })
        .map_err(|error| Failure::System(format!("the limit of open files: {error}")))?;
    let needed = 2 * users as u64 + OPEN_FILES;
    match limit.maximum {
        Some(most) if most < needed => Err(Failure::Usage(format!(
            "--users: {users} need {needed} open files, and the limit is {most} (`ulimit -Hn`)"
        ))),
        Some(_) | None => Ok(()),
    }
}
