//! `turnstiled --cluster`: the server as a member of a cluster.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use turnstile_claim::server::{ClusterOptions, Options, Server};
use turnstile_host::store::{LogStore, has_files};
use turnstile_host::transport::tcp::{Address, Tls};
use turnstile_raft::arguments::{self, heartbeat, members, not_opened, peer};
use turnstile_raft::network::REQUEST_BYTES_MAX;
use turnstile_raft::network::tcp::{TcpNetwork, TcpOptions};
use turnstile_raft::{Members, NOT_OF_A_MEMBER};

use super::named::named;

/// The options of a member.
#[derive(Args, Debug)]
pub(crate) struct MemberArgs {
    /// Runs as a member of the cluster of this name, on the directory --data. All members answer
    /// the same requests; a majority of them must run.
    #[arg(long, value_name = "NAME", requires_all = ["id", "peers", "peer_listen", "data"])]
    #[arg(conflicts_with = "trace")]
    cluster: Option<String>,
    /// This member's number; no other member may ever have it.
    #[arg(long, value_name = "N", requires = "cluster", value_parser = arguments::id)]
    id: Option<u64>,
    /// A member of the cluster, with the address that the others connect to; may be repeated. With
    /// --new this one is among them, and each needs the same list. Later, and with --join, the
    /// members of the log replace them.
    #[arg(long = "peer", value_name = "N=HOST:PORT", value_parser = peer, requires = "cluster")]
    peers: Vec<(u64, Address)>,
    /// The address to listen on for the other members.
    #[arg(long, value_name = "ADDR", requires = "cluster")]
    peer_listen: Option<SocketAddr>,
    /// Authenticates the members to each other by TLS: this one's certificate and key, and the
    /// authority of all, in PEM. A certificate names the host of its member's address. SIGHUP
    /// reloads the files for new connections; if they do not fit, the error is logged and the
    /// previous ones stay in use. The log and the metrics say when they expire, as of --tls-cert.
    #[arg(long, value_names = ["CERT", "KEY", "CA"], num_args = 3, requires = "cluster")]
    peer_tls: Option<Vec<PathBuf>>,
    /// The interval of the leader's heartbeats, in seconds: without one for 9 to 12 of them the
    /// members elect another leader.
    #[arg(long, value_name = "SECONDS", value_parser = heartbeat, default_value = "0.15")]
    heartbeat: Duration,
    /// Begins a cluster, unless --data has a log: for its first members, at each start. The cluster
    /// begins once all of them have run. One that has lost its log is refused by the others, since
    /// it may have voted for what it no longer knows; replace it by a member with a new number.
    #[arg(long, requires = "cluster")]
    new: bool,
    /// Begins an empty log, unless --data has one, for a member that `turnstiled member add` adds
    /// to the cluster: at each start.
    #[arg(long, requires = "cluster", conflicts_with = "new")]
    join: bool,
}

/// A member that is configured.
pub(crate) struct MemberConfig {
    cluster: ClusterOptions,
    members: Members,
    network: TcpOptions,
    listen: SocketAddr,
    is_new: bool,
    /// Whether there may be no log yet.
    may_begin: bool,
}

impl MemberArgs {
    /// The configuration of a member; `None` if the server is none.
    ///
    /// # Errors
    /// When the options contradict each other, or a file of TLS cannot be read.
    pub(crate) fn config(&self, body_max: usize) -> io::Result<Option<MemberConfig>> {
        let Self { cluster, id, peers, peer_listen, peer_tls, heartbeat, new, join } = self;
        let (Some(name), Some(id), Some(listen)) = (cluster, *id, *peer_listen) else {
            return Ok(None);
        };
        let mut raft = turnstile_raft::Options::with_heartbeat(id, *heartbeat);
        raft.operation_bytes =
            raft.operation_bytes.max(body_max.saturating_add(ClusterOptions::OPERATION_HEAD_BYTES));
        let most = REQUEST_BYTES_MAX / 2 - raft.entry_bytes;
        if raft.operation_bytes > most {
            let most = most - ClusterOptions::OPERATION_HEAD_BYTES;
            let text = format!("--body-max: the log of a cluster takes at most {most} bytes");
            return Err(invalid(text));
        }
        let mut network = TcpOptions::new(id);
        let members = members(peers).map_err(|why| invalid(format!("--peer: {why}")))?;
        for (id, address) in peers {
            network = network.peer(*id, address.clone());
        }
        if *new && !members.contains_key(&id) {
            let text = format!("--peer: member {id}, which is this one, is not among them");
            return Err(invalid(text));
        }
        if let Some([certificate, key, authority]) = peer_tls.as_deref() {
            let tls = Tls::read(certificate, key, authority).map_err(named("--peer-tls"))?;
            network = network.tls(tls);
        }
        let cluster = ClusterOptions::new(name, raft);
        let (is_new, may_begin) = (*new, *new || *join);
        Ok(Some(MemberConfig { cluster, members, network, listen, is_new, may_begin }))
    }
}

impl MemberConfig {
    /// The certificates that it shows to the other members, and trusts of them.
    pub(crate) const fn tls(&self) -> Option<&Tls> {
        self.network.tls.as_ref()
    }

    /// Starts the member on its directory.
    ///
    /// # Errors
    /// When the directory has no log, or one that is damaged or of another member.
    pub(crate) async fn start(self, data: &Path, options: Options) -> io::Result<Server> {
        self.cluster.check(options.body_max)?;
        let listen = self.listen.to_string();
        let network = TcpNetwork::bind(self.network, &listen).await;
        let network: Arc<TcpNetwork> = network.map_err(named("--peer-listen"))?;
        // The last, so that nothing else leaves a new log.
        let store = open(data, self.may_begin, self.cluster.raft.id)?;
        let server = Server::join(self.cluster, Box::new(store), network, options).await;
        let server = server.map_err(|error| explained(data, error))?;
        match server.member() {
            Some(member) if self.is_new => {
                let (member, members) = (member.clone(), self.members);
                // An error means that it has stopped, which the server reports.
                tokio::spawn(async move { member.initialize(&members).await });
            }
            Some(member) if member.status().group.is_none() => {
                let next = "`turnstiled member add` at another member adds it";
                tracing::info!("this member is in no cluster yet: {next}");
            }
            Some(_) | None => {}
        }
        Ok(server)
    }
}

/// Opens the log, which must be there unless it may be the first start.
fn open(data: &Path, may_begin: bool, id: u64) -> io::Result<LogStore> {
    let path = data.display();
    if !may_begin && !has_files(data).map_err(named("--data"))? {
        return Err(invalid(format!(
            "--data {path} has no log: a member that begins needs --new or --join; one that has \
             lost its log must not start again as member {id}"
        )));
    }
    LogStore::open(data)
        .map_err(|error| io::Error::new(error.kind(), format!("--data {}", not_opened(id, &error))))
}

/// Names the directory and what it is, if it is none of a member.
fn explained(data: &Path, error: io::Error) -> io::Error {
    if !error.to_string().ends_with(NOT_OF_A_MEMBER) {
        return error;
    }
    let data = data.display();
    invalid(format!(
        "--data {data}: {NOT_OF_A_MEMBER}; if it is that of a single server: `turnstiled snapshot \
         save FILE --data {data}` and `turnstiled snapshot restore FILE --data DIR --cluster NAME \
         ...` make one of a member"
    ))
}

fn invalid(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, text)
}
