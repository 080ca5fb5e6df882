#![doc = include_str!("../README.md")]

mod cluster;
mod disk;
mod fault;
mod faults;
mod group;
mod history;
mod idle;
mod load;
mod losses;
mod network;
mod page;
mod place;
mod register;
mod round;
mod schedule;
mod service;
mod tool;
mod traces;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum as _};

use crate::fault::Fault;
use crate::place::Programs;
use crate::service::Service;

/// The programs of the system that it calls, and their packages.
const NEEDED: [(&str, &str); 4] =
    [("ip", "iproute2"), ("nft", "nftables"), ("setpriv", "util-linux"), ("curl", "curl")];

/// Strikes lock services with faults, and checks that every lock had one holder at a time.
///
/// It needs root, `ip`, `nft`, `setpriv`, `curl`, and libfaketime.
#[derive(Parser, Debug)]
#[command(args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<CliCommand>,
    /// The services [default: all].
    services: Vec<Service>,
    /// How often each fault strikes each service, 1 to 200.
    #[arg(long, value_name = "N", default_value_t = 5)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=200))]
    times: u32,
    /// Only this fault; may be repeated.
    #[arg(long = "fault", value_name = "FAULT")]
    faults: Vec<Fault>,
    /// The number of members, 3 to 9.
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u8).range(3..=9))]
    members: u8,
    /// The seed of the times, the users and the choice of members.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The folder of the programs [default: that of this one].
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
}

#[derive(Subcommand, Debug)]
enum CliCommand {
    /// Measures what members cost that have nothing to do, in 45 seconds.
    Idle {
        service: Service,
        /// The number of members, 1 to 60.
        #[arg(long, value_name = "N", default_value_t = 3)]
        #[arg(value_parser = clap::value_parser!(u8).range(1..=60))]
        members: u8,
        /// The folder of the programs [default: that of this one].
        #[arg(long, value_name = "DIR")]
        programs: Option<PathBuf>,
    },
    /// Runs the commands of a page of the documentation, and compares what they print.
    Page {
        page: PathBuf,
        /// The folder of the programs [default: that of this one].
        #[arg(long, value_name = "DIR")]
        programs: Option<PathBuf>,
    },
    /// The command under a lock: it writes down when it runs.
    #[command(hide = true)]
    Hold { token: String, record: PathBuf, milliseconds: u64 },
    /// A client of claims, until a file exists.
    #[command(hide = true)]
    Client { server: SocketAddr, record: PathBuf, stop: PathBuf, seed: u64 },
    /// A client that reads the claims with these numbers.
    #[command(hide = true)]
    Read { server: SocketAddr, record: PathBuf, first: u64, last: u64 },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let ended = match cli.command {
        Some(CliCommand::Hold { token, record, milliseconds }) => {
            hold(&token, &record, Duration::from_millis(milliseconds))
        }
        Some(CliCommand::Client { server, record, stop, seed }) => {
            load::client::run(server, &record, &stop, seed)
        }
        Some(CliCommand::Read { server, record, first, last }) => {
            load::client::read_all(server, &record, first..=last)
        }
        Some(CliCommand::Idle { service, members, programs }) => possible()
            .and_then(|()| idle::measure(service, &self::programs(programs, &[service])?, members)),
        Some(CliCommand::Page { page, programs }) => possible()
            .and_then(|()| page::run(&page, &self::programs(programs, &[Service::Grouplock])?)),
        None => possible().and_then(|()| strike_all(cli)),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("faults: {error}");
            ExitCode::FAILURE
        }
    }
}

fn hold(variable: &str, record: &Path, lasts: Duration) -> io::Result<()> {
    let missing = |_| io::Error::other(format!("there is no {variable}"));
    let token = std::env::var(variable).map_err(missing)?;
    // A number becomes a text of one length.
    load::hold::run(record, &format!("{token:0>20}"), lasts)
}

/// Whether the machine can do what is needed.
fn possible() -> io::Result<()> {
    if !rustix::process::geteuid().is_root() {
        return Err(io::Error::other("network namespaces and mounts need root"));
    }
    for (program, package) in NEEDED {
        let found = Command::new(program).arg("-V").stdin(Stdio::null()).output();
        if found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            let text = format!("{program} is missing: install Debian's package {package}");
            return Err(io::Error::other(text));
        }
    }
    cluster::clock_library().map(|_| ())
}

/// The programs of some services, in a folder or in that of this one.
fn programs(folder: Option<PathBuf>, services: &[Service]) -> io::Result<Programs> {
    let own = std::env::current_exe()?;
    let folder = folder.or_else(|| own.parent().map(Path::to_owned)).unwrap_or_default();
    let programs = Programs(std::path::absolute(folder)?);
    let missing = services.iter().find_map(|service| programs.missing(*service));
    missing.map_or(Ok(programs.clone()), |missing| {
        let folder = programs.0.display();
        let text = format!("{missing} is not in {folder}: build it with `cargo build --bins`");
        Err(io::Error::other(text))
    })
}

fn strike_all(cli: Cli) -> io::Result<()> {
    let services = match cli.services.is_empty() {
        true => Service::value_variants().to_vec(),
        false => cli.services,
    };
    let programs = programs(cli.programs, &services)?;
    let faults = match cli.faults.is_empty() {
        true => Fault::value_variants().to_vec(),
        false => cli.faults,
    };
    for service in services {
        for fault in faults.iter().filter(|fault| service.suffers(**fault)) {
            let plan = round::Plan { members: cli.members, times: cli.times, seed: cli.seed };
            let strike = if fault.ends_group() { round::strike_anew } else { round::strike };
            strike(service, &programs, *fault, plan)?;
        }
    }
    Ok(())
}
