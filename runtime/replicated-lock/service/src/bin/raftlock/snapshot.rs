//! `raftlock snapshot`: the state of a group in a file, and a new group that begins with it.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use turnstile_host::at;
use turnstile_host::store::{LogStore, NewDirectory, NewFile, has_files};
use turnstile_local::Failure;
use turnstile_raft::{Backup, Members};
use turnstile_replicated_lock::{LockService, Options};

use super::cli::{SnapshotCommand, SocketArgs, members};
use super::user::have_done;
use super::wire::Request;

/// How a file of another service begins.
const CLAIMS: &[u8] = b"turnstile claims\n";

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
    let mut file = NewFile::create(path)?;
    file.write_all(bytes)?;
    file.keep()
}

/// Writes the state into a directory that replaces the wanted one.
async fn restore(
    file: &Path,
    data: &Path,
    options: &Options,
    members: &Members,
) -> Result<u8, Failure> {
    let failed = |error: io::Error| Failure::Unavailable(error.to_string());
    if has_files(data).map_err(failed)? {
        let text = format!("--data: {} is not empty: it may have a log", data.display());
        return Err(Failure::Usage(text));
    }
    let bytes = fs::read(file).map_err(at(file.display())).map_err(failed)?;
    if bytes.starts_with(CLAIMS) {
        return Err(Failure::Usage(format!(
            "{}: the file has the claims of `turnstiled`, and cannot be used here: `turnstiled \
             snapshot restore` begins with them",
            file.display()
        )));
    }
    let backup = Backup::decode(bytes).map_err(at(file.display())).map_err(failed)?;
    let new = NewDirectory::begin(data).map_err(failed)?;
    let store = Box::new(LogStore::open(new.path()).map_err(failed)?);
    let restored = LockService::restore(options, store, backup, members).await;
    restored.map_err(at(new.path().display())).map_err(failed)?;
    new.keep().map_err(failed)?;
    Ok(0)
}
