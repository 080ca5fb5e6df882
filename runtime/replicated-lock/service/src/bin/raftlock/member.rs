//! `raftlock member`: a member on its log, its addresses and its socket.

use std::io;
use std::sync::Arc;

use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;
use turnstile_host::store::{LogStore, has_files};
use turnstile_host::transport::tcp::Tls;
use turnstile_local::{Failure, MemberCertificates, Socket, Times, raise_open_files};
use turnstile_raft::arguments::{log_filter, not_opened};
use turnstile_raft::network::tcp::{TcpNetwork, TcpOptions};
use turnstile_replicated_lock::{LockService, Options};

use super::cli::{MemberArgs, members};
use super::service::Local;
use super::user::PROGRAM;

/// Runs a member until a signal ends it.
pub(crate) async fn run(args: MemberArgs) -> Result<u8, Failure> {
    let filter = EnvFilter::new(log_filter(&args.log.to_string()));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
    raise_open_files(args.users)?;
    let mut term = signal(SignalKind::terminate())?;
    let mut int = signal(SignalKind::interrupt())?;
    let members = members(&args.peers)?;
    if args.new && !members.contains_key(&args.id) {
        let text = format!("--peer: member {}, which is this one, is not among them", args.id);
        return Err(Failure::Usage(text));
    }
    let certificates = MemberCertificates::start(args.tls.as_deref())?;
    let network = network(&args, certificates.tls()).await?;
    let path = &args.socket.socket;
    let socket = Socket::bind(PROGRAM, path).await?;
    let store = open(&args)?;
    let mut raft = turnstile_raft::Options::with_heartbeat(args.id, args.heartbeat);
    raft.group.clone_from(&args.group);
    let options = Options::with(raft);
    let times = Times { heartbeat: args.heartbeat, lease: options.lease };
    let service = LockService::start(options, Box::new(store), network).await;
    let data = args.data.display();
    let service =
        service.map_err(|error| Failure::Unavailable(format!("--data {data}: {error}")))?;
    if args.new {
        let raft = service.raft().clone();
        // An error means that it has stopped, which is reported below.
        tokio::spawn(async move { raft.initialize(&members).await });
    } else if service.raft().status().group.is_none() {
        tracing::info!("it is in no group yet: `raftlock members add` at another member adds it");
    }
    tracing::info!(id = args.id, listen = %args.listen, socket = %path.display(), "started");
    let local = Local { service: service.clone(), certificates };
    let ended = tokio::select! {
        () = socket.serve(local, times, args.users) => Ok(0),
        why = service.raft().failed() => Err(Failure::Unavailable(why)),
        _ = term.recv() => Ok(0),
        _ = int.recv() => Ok(0),
    };
    // First, since the next process may bind it at once.
    drop(socket);
    service.stop().await;
    ended
}

/// Opens the log, which must be there unless it may be the first start.
fn open(args: &MemberArgs) -> Result<LogStore, Failure> {
    let (id, path) = (args.id, args.data.display());
    let is_there =
        has_files(&args.data).map_err(|error| Failure::Unavailable(error.to_string()))?;
    if !is_there && !args.new && !args.join {
        return Err(Failure::Usage(format!(
            "{path} has no log: a member that begins needs --new or --join; one that has lost its \
             log must not start again as member {id}"
        )));
    }
    LogStore::open(&args.data).map_err(|error| Failure::Unavailable(not_opened(id, &error)))
}

async fn network(args: &MemberArgs, tls: Option<&Tls>) -> Result<Arc<TcpNetwork>, Failure> {
    let mut options = TcpOptions::new(args.id);
    for (id, address) in &args.peers {
        options = options.peer(*id, address.clone());
    }
    if let Some(tls) = tls {
        options = options.tls(tls.clone());
    }
    Ok(TcpNetwork::bind(options, &args.listen.to_string()).await?)
}
