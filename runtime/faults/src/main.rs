#![doc = include_str!("../README.md")]

mod claims;
mod client;
mod cluster;
mod disk;
mod faults;
mod group;
mod history;
mod hold;
mod http;
mod network;
mod register;
mod round;
mod service;
mod tool;
mod users;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum as _};

use crate::faults::Fault;
use crate::service::{Programs, Service};

/// Strikes lock services with faults, and checks that every lock had one holder at a time.
///
/// It needs root, `ip`, `setpriv`, `curl`, and libfaketime.
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
            client::run(server, &record, &stop, seed)
        }
        Some(CliCommand::Read { server, record, first, last }) => {
            client::read_all(server, &record, first..=last)
        }
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
    hold::run(record, &format!("{token:0>20}"), lasts)
}

/// Whether the machine can do what is needed.
fn possible() -> io::Result<()> {
    if !rustix::process::geteuid().is_root() {
        return Err(io::Error::other("network namespaces and mounts need root"));
    }
    cluster::clock_library().map(|_| ())
}

fn strike_all(cli: Cli) -> io::Result<()> {
    let own = std::env::current_exe()?;
    let folder = cli.programs.or_else(|| own.parent().map(Path::to_owned)).unwrap_or_default();
    let programs = Programs(std::path::absolute(folder)?);
    let or_all = |list: Vec<Service>| match list.is_empty() {
        true => Service::value_variants().to_vec(),
        false => list,
    };
    let faults = match cli.faults.is_empty() {
        true => Fault::value_variants().to_vec(),
        false => cli.faults,
    };
    for service in or_all(cli.services) {
        if let Some(missing) = programs.missing(service) {
            let folder = programs.0.display();
            let text = format!("{missing} is not in {folder}: build it with `cargo build --bins`");
            return Err(io::Error::other(text));
        }
        for fault in faults.iter().filter(|fault| service.suffers(**fault)) {
            let plan = round::Plan { members: cli.members, times: cli.times, seed: cli.seed };
            round::strike(service, &programs, *fault, plan)?;
        }
    }
    Ok(())
}
