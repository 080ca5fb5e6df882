//! `turnstiled snapshot`: the claims in a file, and a cluster or a single server that begins with
//! them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf, absolute};

use clap::{Args, Subcommand};
use turnstile_claim::client::{Error, ErrorKind};
use turnstile_claim::server::{ClusterOptions, Snapshot};
use turnstile_host::store::LogStore;
use turnstile_host::transport::tcp::Address;
use turnstile_raft::Members;

use super::command::ServerArgs;
use super::member::{has_files, peer};

#[derive(Subcommand, Debug)]
pub(crate) enum SnapshotCommand {
    /// Writes the claims into a file: those of a cluster, by any of its members, or with --data
    /// those of a single server that does not run.
    Save {
        /// The file, which must not exist yet.
        file: PathBuf,
        #[command(flatten)]
        server: ServerArgs,
        /// Reads this directory of a single server that does not run.
        #[arg(long, value_name = "DIR", conflicts_with = "url")]
        data: Option<PathBuf>,
    },
    /// Begins with the claims of a file: a single server, or with --cluster a cluster of one
    /// member, to which `turnstiled member add` adds others. Claims that were held are held, with
    /// the same tokens; new ones get greater tokens than any that was given before.
    Restore {
        /// The file.
        file: PathBuf,
        /// The directory, which must be empty or not exist yet.
        #[arg(long, value_name = "DIR")]
        data: PathBuf,
        #[command(flatten)]
        member: FirstMemberArgs,
    },
}

/// The first member of a new cluster.
#[derive(Args, Debug)]
pub(crate) struct FirstMemberArgs {
    /// Begins a cluster of this name.
    #[arg(long, value_name = "NAME", requires_all = ["id", "peer"])]
    cluster: Option<String>,
    /// The number of its first member.
    #[arg(long, value_name = "N", requires = "cluster")]
    id: Option<u64>,
    /// That number, and the address that other members will connect to.
    #[arg(long, value_name = "N=HOST:PORT", value_parser = peer, requires = "cluster")]
    peer: Option<(u64, Address)>,
}

impl FirstMemberArgs {
    /// The cluster and its only member; `None` for a single server.
    fn config(self) -> Result<Option<(ClusterOptions, Members)>, Error> {
        let Self { cluster: Some(name), id: Some(id), peer: Some((peer, address)) } = self else {
            return Ok(None);
        };
        if peer != id {
            let text = format!("--peer: member {id}, which is the first one, is not {peer}");
            return Err(setting(text));
        }
        let cluster = ClusterOptions::new(&name, turnstile_raft::Options::new(id));
        Ok(Some((cluster, Members::from([(id, address.to_string())]))))
    }
}

/// Saves or restores.
pub(crate) async fn run(command: SnapshotCommand) -> Result<(), Error> {
    match command {
        SnapshotCommand::Save { file, data: Some(data), .. } => {
            let bytes = read_store(&data)?.encode();
            let mut new = NewFile::create(&file)?;
            new.file.write_all(&bytes).map_err(|error| failed(&new.path, &error))?;
            new.keep()
        }
        SnapshotCommand::Save { file, data: None, server } => {
            let client = server.client()?;
            let mut new = NewFile::create(&file)?;
            client.save_snapshot(&mut new.file).await?;
            read_file(&new.path)?;
            new.keep()
        }
        SnapshotCommand::Restore { file, data, member } => {
            restore(&file, &data, member.config()?).await
        }
    }
}

/// A file that is removed, unless it is kept.
struct NewFile {
    path: PathBuf,
    file: File,
    is_kept: bool,
}

impl NewFile {
    fn create(path: &Path) -> Result<Self, Error> {
        let path = absolute(path).map_err(|error| failed(path, &error))?;
        // Claims may have secrets in their user data.
        let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let file = opened.map_err(|error| failed(&path, &error))?;
        Ok(Self { path, file, is_kept: false })
    }

    /// Returns once the file survives a crash.
    fn keep(mut self) -> Result<(), Error> {
        let synced = self.file.sync_all().and_then(|()| sync_folder(&self.path));
        synced.map_err(|error| failed(&self.path, &error))?;
        self.is_kept = true;
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_kept {
            // What is incomplete is of no use.
            let _removed = fs::remove_file(&self.path);
        }
    }
}

/// Syncs the directory that has a file.
fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

fn read_file(path: &Path) -> Result<Snapshot, Error> {
    let read = fs::read(path).and_then(|bytes| Snapshot::decode(&bytes));
    read.map_err(|error| failed(path, &error))
}

/// Reads the store of a single server.
fn read_store(data: &Path) -> Result<Snapshot, Error> {
    if !has_files(data).map_err(|error| failed(data, &error))? {
        return Err(setting(format!("--data: {} has no store", data.display())));
    }
    let mut store = LogStore::open(data).map_err(|error| setting(format!("--data {error}")))?;
    Snapshot::of_store(&mut store).map_err(|error| {
        let path = data.display();
        setting(format!("--data {path}: {error}; if it is a member's: --url asks a running one"))
    })
}

/// Writes the claims into a directory beside the wanted one, which it then replaces: an interrupted
/// one is no store.
async fn restore(
    file: &Path,
    data: &Path,
    member: Option<(ClusterOptions, Members)>,
) -> Result<(), Error> {
    if has_files(data).map_err(|error| failed(data, &error))? {
        return Err(setting(format!("--data: {} is not empty", data.display())));
    }
    let snapshot = read_file(file)?;
    let data = absolute(data).map_err(|error| failed(data, &error))?;
    let mut name = data.file_name().unwrap_or_default().to_owned();
    name.push(".restoring");
    let beside = data.with_file_name(name);
    match fs::remove_dir_all(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(failed(&beside, &error));
        }
        Ok(()) | Err(_) => {}
    }
    let mut store = LogStore::open(&beside).map_err(|error| setting(format!("--data {error}")))?;
    let restored = match member {
        None => {
            let restored = snapshot.restore(&mut store);
            drop(store);
            restored
        }
        Some((cluster, members)) => {
            snapshot.restore_member(&cluster, Box::new(store), &members).await
        }
    };
    restored.map_err(|error| failed(&beside, &error))?;
    let renamed = fs::rename(&beside, &data).and_then(|()| sync_folder(&data));
    renamed.map_err(|error| failed(&data, &error))
}

fn failed(path: &Path, error: &io::Error) -> Error {
    setting(format!("{}: {error}", path.display()))
}

fn setting(text: String) -> Error {
    ErrorKind::Setting(text).into()
}
