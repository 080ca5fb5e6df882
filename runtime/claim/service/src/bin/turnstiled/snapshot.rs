//! `turnstiled snapshot`: the claims in a file, and a cluster or a single server that begins with
//! them.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use turnstile_claim::client::{Error, ErrorKind};
use turnstile_claim::server::{ClusterOptions, Snapshot};
use turnstile_host::store::{LogStore, NewDirectory, NewFile, has_files};
use turnstile_host::transport::tcp::Address;
use turnstile_raft::Members;
use turnstile_raft::arguments::{self, peer};

use super::server_args::ServerArgs;

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
        /// Asks no majority: what this member has applied. Of a cluster that has lost acknowledged
        /// changes, the member that says so has them, once the others are stopped and it is started
        /// again.
        #[arg(long, conflicts_with = "data")]
        stale: bool,
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
    #[arg(long, value_name = "N", requires = "cluster", value_parser = arguments::id)]
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
            let mut new = NewFile::create(&file).map_err(told)?;
            new.write_all(&bytes).and_then(|()| new.keep()).map_err(told)
        }
        SnapshotCommand::Save { file, data: None, server, stale } => {
            let client = server.client()?;
            let mut new = NewFile::create(&file).map_err(told)?;
            client.save_snapshot(stale, &mut new).await?;
            read_file(new.path())?;
            new.keep().map_err(told)
        }
        SnapshotCommand::Restore { file, data, member } => {
            restore(&file, &data, member.config()?).await
        }
    }
}

fn read_file(path: &Path) -> Result<Snapshot, Error> {
    let read = fs::read(path).and_then(|bytes| Snapshot::decode(&bytes));
    read.map_err(|error| failed(path, &error))
}

/// Reads the store of a single server.
fn read_store(data: &Path) -> Result<Snapshot, Error> {
    if !has_files(data).map_err(told)? {
        return Err(setting(format!("--data: {} has no store", data.display())));
    }
    let mut store = LogStore::open(data).map_err(|error| setting(format!("--data {error}")))?;
    Snapshot::of_store(&mut store).map_err(|error| {
        let path = data.display();
        setting(format!("--data {path}: {error}; if it is a member's: --url asks a running one"))
    })
}

/// Writes the claims into a directory that replaces the wanted one.
async fn restore(
    file: &Path,
    data: &Path,
    member: Option<(ClusterOptions, Members)>,
) -> Result<(), Error> {
    let in_data = |error: io::Error| setting(format!("--data: {error}"));
    let new = NewDirectory::begin(data).map_err(in_data)?;
    let snapshot = read_file(file)?;
    let mut store = LogStore::open(new.path()).map_err(in_data)?;
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
    restored.map_err(|error| failed(new.path(), &error))?;
    new.keep().map_err(in_data)
}

fn failed(path: &Path, error: &io::Error) -> Error {
    setting(format!("{}: {error}", path.display()))
}

/// An error that names its path.
fn told(error: io::Error) -> Error {
    setting(error.to_string())
}

fn setting(text: String) -> Error {
    ErrorKind::Setting(text).into()
}
