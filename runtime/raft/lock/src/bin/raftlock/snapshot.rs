//! `raftlock snapshot`: the state of a group in a file, and a new group that begins with it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use turnstile_host::store::LogStore;
use turnstile_raft::{Backup, Members};
use turnstile_raft_lock::{LockService, Options};

use super::cli::{SnapshotCommand, SocketArgs};
use super::member::members;
use super::wire::Request;
use super::{Failure, have_done};

/// Saves or restores.
pub(crate) async fn run(command: SnapshotCommand) -> Result<u8, Failure> {
    match command {
        SnapshotCommand::Save { file, socket: SocketArgs { socket } } => {
            let file = std::path::absolute(file)?;
            have_done(&socket, &Request::Save { file }).await
        }
        SnapshotCommand::Restore { file, data, id, peers, group } => {
            let (members, mut raft) = (members(&peers)?, turnstile_raft::Options::new(id));
            if !members.contains_key(&id) {
                let text = format!("--peer: member {id}, which is this one, is not among them");
                return Err(Failure::Usage(text));
            }
            raft.group = group;
            restore(&file, &data, &Options::with(raft), &members).await
        }
    }
}

/// Writes the state into a file that is not there yet.
///
/// # Errors
/// When the member has no state, or the file is there or cannot be written.
pub(crate) async fn save(service: &LockService, file: PathBuf) -> io::Result<()> {
    let bytes = service.raft().backup().await?.encode();
    tokio::task::spawn_blocking(move || write(&file, &bytes)).await.map_err(io::Error::other)?
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.display();
    let at = |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"));
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(at)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| file.sync_all())
        .and_then(|()| path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all()));
    written.map_err(|error| {
        // What is incomplete is of no use.
        let _removed = fs::remove_file(path);
        at(error)
    })
}

/// Writes the state into a directory beside the wanted one, which it then replaces: an interrupted
/// one is no log.
async fn restore(
    file: &Path,
    data: &Path,
    options: &Options,
    members: &Members,
) -> Result<u8, Failure> {
    let at = |path: &Path, error: io::Error| {
        Failure::Unavailable(format!("{}: {error}", path.display()))
    };
    match fs::read_dir(data).map(|mut files| files.next().is_some()) {
        Ok(true) => {
            let text = format!("--data: {} is not empty: it may have a log", data.display());
            return Err(Failure::Usage(text));
        }
        Ok(false) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(at(data, error)),
    }
    let bytes = fs::read(file).map_err(|error| at(file, error))?;
    let backup = Backup::decode(bytes).map_err(|error| at(file, error))?;
    let mut name = data.file_name().unwrap_or_default().to_owned();
    name.push(".restoring");
    let beside = data.with_file_name(name);
    match fs::remove_dir_all(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(&beside, error)),
        Ok(()) | Err(_) => {}
    }
    let store = Box::new(LogStore::open(&beside).map_err(|error| at(&beside, error))?);
    let restored = LockService::restore(options, store, backup, members).await;
    restored.map_err(|error| at(&beside, error))?;
    fs::rename(&beside, data).map_err(|error| at(data, error))?;
    Ok(0)
}
