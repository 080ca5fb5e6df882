//! `turnstiled member`: lists the members of a cluster, and changes them.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::time::Duration;

use clap::{Args, Subcommand};
use serde::Deserialize;
use tokio::time::{Instant, sleep};
use turnstile_claim::client::{Error, ErrorKind, LockClient, LockClientBuilder};
use turnstile_host::transport::tcp::Address;

use super::member::peer;

/// Exit status: the server cannot be reached, or it refused the request.
const UNAVAILABLE: u8 = 69;
/// Exit status: invalid arguments or settings.
const USAGE: u8 = 2;

/// A change whose outcome is unknown is repeated for so long.
const CHANGE_MAX: Duration = Duration::from_secs(60);
/// The pause before that.
const REPEAT_PAUSE: Duration = Duration::from_secs(1);

const DEFAULT_URL: &str = "http://127.0.0.1:5000";

#[derive(Subcommand, Debug)]
pub(crate) enum ServerCommand {
    /// Lists, adds or removes members of a cluster.
    ///
    /// A member whose machine or disk is lost for good is replaced in three steps, while a majority
    /// of the members runs: `turnstiled member remove 3`; on the new machine, with a number that no
    /// member has had, `turnstiled --cluster NAME --join --id 4 ...`; and `turnstiled member add
    /// 4=HOST:PORT`. Any other member can be asked.
    ///
    /// Environment: TURNSTILE_TOKEN, the bearer token, which must be an operator's if the members
    /// require tokens; TURNSTILE_CA, a PEM file with the certificate authority (default: those of
    /// the operating system).
    ///
    /// Exit status: 69: the server cannot be reached, or it refused the request; 2: invalid
    /// arguments or settings. An outcome that is unknown is asked for again for a minute; after
    /// that, too, the command may be repeated.
    Member {
        #[command(subcommand)]
        command: MemberCommand,
    },
}

#[derive(Subcommand, Debug)]
pub(crate) enum MemberCommand {
    /// Prints the members, as far as the one that is asked knows.
    List {
        #[command(flatten)]
        server: ServerArgs,
        /// Print the server's JSON.
        #[arg(long)]
        json: bool,
    },
    /// Adds a member, which runs: it was started with --join. It has a vote once it has the log.
    Add {
        /// Its number and the address that the others connect to.
        #[arg(value_name = "N=HOST:PORT", value_parser = peer)]
        member: (u64, Address),
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Removes a member, whether it runs or not. No other member may ever have its number.
    Remove {
        /// Its number.
        #[arg(value_name = "N")]
        id: u64,
        #[command(flatten)]
        server: ServerArgs,
    },
}

#[derive(Args, Debug)]
pub(crate) struct ServerArgs {
    /// The URL of a member [default: TURNSTILE_URL, or http://127.0.0.1:5000].
    #[arg(long, value_name = "URL")]
    url: Option<String>,
}

impl ServerArgs {
    fn client(self) -> Result<LockClient, Error> {
        let url = self.url.or_else(|| std::env::var("TURNSTILE_URL").ok());
        LockClientBuilder::in_environment(url.as_deref().unwrap_or(DEFAULT_URL)).build()
    }
}

/// A change of the members.
enum MembersChange {
    Add(u64, Address),
    Remove(u64),
}

/// Runs a command, and returns the exit status.
pub(crate) fn run(command: ServerCommand) -> u8 {
    let ServerCommand::Member { command } = command;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = match runtime {
        Ok(runtime) => runtime.block_on(run_member(command)),
        Err(error) => Err(ErrorKind::System(error.to_string()).into()),
    };
    match ended {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("turnstiled: {error}");
            let is_usage =
                matches!(error.cause, ErrorKind::Address(..) | ErrorKind::Credentials(_));
            if is_usage { USAGE } else { UNAVAILABLE }
        }
    }
}

async fn run_member(command: MemberCommand) -> Result<(), Error> {
    match command {
        MemberCommand::List { server, json } => {
            let list = server.client()?.members().await?;
            print(&if json { format!("{list}\n") } else { text(&list)? });
            Ok(())
        }
        MemberCommand::Add { member: (id, address), server } => {
            make(&server.client()?, &MembersChange::Add(id, address)).await
        }
        MemberCommand::Remove { id, server } => {
            make(&server.client()?, &MembersChange::Remove(id)).await
        }
    }
}

/// Makes a change, which is asked for again while its outcome is unknown.
async fn make(client: &LockClient, change: &MembersChange) -> Result<(), Error> {
    let until = Instant::now() + CHANGE_MAX;
    let mut is_repeated = false;
    loop {
        let changed = match change {
            MembersChange::Add(id, address) => client.add_member(*id, &address.to_string()).await,
            MembersChange::Remove(id) => client.remove_member(*id).await,
        };
        match (changed, change) {
            (Ok(()), MembersChange::Add(id, address)) => {
                print(&format!("member {id} at {address} is a member\n"));
                return Ok(());
            }
            (Ok(()), MembersChange::Remove(id)) => {
                print(&format!("member {id} is removed\n"));
                return Ok(());
            }
            (Err(error), MembersChange::Remove(id)) if is_repeated && has_status(&error, 404) => {
                print(&format!("there is no member {id} any more\n"));
                return Ok(());
            }
            (Err(error), _) if has_status(&error, 503) && Instant::now() < until => {
                if !is_repeated {
                    eprintln!("turnstiled: {error}; trying again");
                }
                is_repeated = true;
            }
            (Err(error), _) => return Err(error),
        }
        sleep(REPEAT_PAUSE).await;
    }
}

fn has_status(error: &Error, expected: u16) -> bool {
    matches!(error.cause, ErrorKind::Refused { status, .. } if status == expected)
}

/// The members as text for people.
fn text(list: &str) -> Result<String, Error> {
    #[derive(Deserialize)]
    struct MemberSeen {
        id: u64,
        address: String,
        voter: bool,
        leader: bool,
    }
    let mut out = String::new();
    for MemberSeen { id, address, voter, leader } in LockClient::read::<Vec<MemberSeen>>(list)? {
        let vote = if voter { "votes" } else { "has no vote yet" };
        let leads = if leader { ", leads" } else { "" };
        let _written = writeln!(out, "{id:<8} {address:<24} {vote}{leads}");
    }
    Ok(out)
}

fn print(text: &str) {
    // Nobody may read any more.
    let _closed = io::stdout().write_all(text.as_bytes());
}
