//! `turnstiled member`: lists the members of a cluster, and changes them.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::time::Duration;

use clap::Subcommand;
use serde::Deserialize;
use tokio::time::{Instant, sleep};
use turnstile_claim::client::{Error, ErrorKind, LockClient};
use turnstile_host::transport::tcp::Address;
use turnstile_raft::arguments::peer;

use super::command::ServerArgs;

/// A change whose outcome is unknown is repeated for so long.
const CHANGE_MAX: Duration = Duration::from_secs(60);
/// The pause before that.
const REPEAT_PAUSE: Duration = Duration::from_secs(1);
/// What is said before the error of the last attempt.
const UNKNOWN: &str = "the outcome is unknown: an earlier attempt may have made the change, or may \
    still make it (see `turnstiled member list`); the last attempt:";

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

/// A change of the members.
enum MembersChange {
    Add(u64, Address),
    Remove(u64),
}

/// Runs a command.
pub(crate) async fn run(command: MemberCommand) -> Result<(), Error> {
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

/// Makes a change, which is asked for again while its outcome is unknown. One that was in the list
/// and then is no member is removed; of another, that it is none is an error.
async fn make(client: &LockClient, change: &MembersChange) -> Result<(), Error> {
    let until = Instant::now() + CHANGE_MAX;
    let was_member = match change {
        MembersChange::Add(..) => false,
        MembersChange::Remove(id) => {
            let list = read(&client.members().await?)?;
            list.iter().any(|member| member.id == *id)
        }
    };
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
            (Err(error), MembersChange::Remove(id))
                if is_repeated && was_member && has_status(&error, 404) =>
            {
                print(&format!("there is no member {id} any more\n"));
                return Ok(());
            }
            (Err(error), _) if has_status(&error, 503) && Instant::now() < until => {
                if !is_repeated {
                    eprintln!("turnstiled: {error}; trying again");
                }
                is_repeated = true;
            }
            (Err(error), _) => {
                if is_repeated {
                    eprintln!("turnstiled: {UNKNOWN}");
                }
                return Err(error);
            }
        }
        sleep(REPEAT_PAUSE).await;
    }
}

fn has_status(error: &Error, expected: u16) -> bool {
    matches!(error.cause, ErrorKind::Refused { status, .. } if status == expected)
}

/// A member in a list of them.
#[derive(Deserialize)]
struct MemberSeen {
    id: u64,
    address: String,
    voter: bool,
    leader: bool,
}

fn read(list: &str) -> Result<Vec<MemberSeen>, Error> {
    LockClient::read(list)
}

/// The members as text for people.
fn text(list: &str) -> Result<String, Error> {
    let mut out = String::new();
    for MemberSeen { id, address, voter, leader } in read(list)? {
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
