//! `grouplock member`: a member of a group, its addresses and its socket.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;
use turnstile_group_lock::Member;
use turnstile_host::Trace;
use turnstile_host::store::LogStore;
use turnstile_host::transport::tcp::Tls;
use turnstile_local::{Failure, MemberCertificates, Socket, Times, raise_open_files};

use super::cli::{MemberArgs, PROGRAM};
use super::service::Local;

/// A user hears that its lock is held several times in the time after which it is lost.
const BEATS: u32 = 4;

/// Runs a member until a signal ends it.
pub(crate) async fn run(args: MemberArgs) -> Result<u8, Failure> {
    let filter = EnvFilter::new(args.log.to_string());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
    raise_open_files(args.users)?;
    let mut term = signal(SignalKind::terminate())?;
    let mut int = signal(SignalKind::interrupt())?;
    let path = &args.socket.socket;
    let socket = Socket::bind(PROGRAM, path).await?;
    let certificates = MemberCertificates::start(args.tls.as_deref())?;
    let member = start(&args, certificates.tls()).await?;
    // The others find that a process is gone after two periods at the earliest.
    let lease = 2 * args.period;
    let times = Times { heartbeat: lease / BEATS, lease };
    let (listen, socket_path) = (args.listen, path.display());
    tracing::info!(group = args.name, %listen, socket = %socket_path, "started");
    let local = Local { group: args.name.clone(), member: member.clone(), certificates };
    tokio::select! {
        () = socket.serve(local, times, args.users) => {}
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
    // First, since the next process may bind it at once.
    drop(socket);
    member.leave().await;
    tracing::info!("it has left the group");
    Ok(0)
}

async fn start(args: &MemberArgs, tls: Option<&Tls>) -> Result<Member, Failure> {
    let at = args.advertise.unwrap_or(args.listen);
    if at.ip().is_unspecified() {
        let option = if args.advertise.is_some() { "--advertise" } else { "--listen" };
        return Err(Failure::Usage(format!(
            "{option}: the others cannot connect to {at}: --advertise with an address of this \
             machine is needed"
        )));
    }
    let mut builder = Member::builder(&args.name).listen(args.listen).period(args.period);
    builder = builder.grants_max(args.grants_max);
    if let Some(at) = args.advertise {
        builder = builder.advertise(at);
    }
    if let Some(data) = &args.data {
        let place = data.display();
        let failed = |error| Failure::Unavailable(format!("--data {place}: {error}"));
        builder = builder.store(LogStore::open(data).map_err(failed)?);
    }
    if let Some(trace) = &args.trace {
        let failed = |error| Failure::Unavailable(format!("--trace {error}"));
        builder = builder.trace(Trace::append("grouplock", trace).map_err(failed)?);
    }
    for seed in &args.seeds {
        builder = builder.seed(*seed);
    }
    if let Some(tls) = tls {
        builder = builder.tls(tls.clone());
    }
    builder.start().await.map_err(|error| Failure::Unavailable(error.to_string()))
}
