//! `turnstiled member`: lists the members of a cluster, and changes them.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use clap::Subcommand;
use serde::Deserialize;
use turnstile_claim::client::{Error, ErrorKind, LockClient};
use turnstile_host::transport::tcp::Address;
use turnstile_raft::arguments::peer;
use turnstile_raft::request::{AttemptError, ChangeRequest};
use turnstile_raft::{MemberChange, VoteChange};

use super::server_args::ServerArgs;

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

/// Runs a command.
pub(crate) async fn run(command: MemberCommand) -> Result<(), Error> {
    match command {
        MemberCommand::List { server, json } => {
            let list = server.client()?.members().await?;
            print(&if json { format!("{list}\n") } else { text(&list)? });
            Ok(())
        }
        MemberCommand::Add { member: (id, address), server } => {
            let address = address.to_string();
            make(&server.client()?, &MemberChange::Add { id, address }).await
        }
        MemberCommand::Remove { id, server } => {
            make(&server.client()?, &MemberChange::Remove { id }).await
        }
    }
}

/// Makes a change, again while its outcome is unknown.
async fn make(client: &LockClient, change: &MemberChange) -> Result<(), Error> {
    let was_member = match change {
        MemberChange::Add { .. } => false,
        MemberChange::Remove { id } => {
            let list = read(&client.members().await?)?;
            list.iter().any(|member| member.id == *id)
        }
    };
    let request = ChangeRequest { change, was_member, list: "turnstiled member list" };
    let attempt = async |change: &MemberChange| {
        let changed = match change {
            MemberChange::Add { id, address } => client.add_member(*id, address).await,
            MemberChange::Remove { id } => client.remove_member(*id).await,
        };
        changed.map_err(|error| {
            if has_status(&error, 503) {
                AttemptError::Unknown(error)
            } else if has_status(&error, 404) {
                AttemptError::NoMember(error)
            } else {
                AttemptError::Refused(error)
            }
        })
    };
    let made = request.make(attempt, |text| eprintln!("turnstiled: {text}")).await?;
    print(&format!("{made}\n"));
    Ok(())
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
    /// What the change in progress does.
    pending: Option<String>,
    /// Why the server does not work with it, as one that has lost its log.
    trouble: Option<String>,
}

fn read(list: &str) -> Result<Vec<MemberSeen>, Error> {
    LockClient::read(list)
}

/// The members as text for people.
fn text(list: &str) -> Result<String, Error> {
    let mut out = String::new();
    for MemberSeen { id, address, voter, leader, pending, trouble } in read(list)? {
        let vote = VoteChange::words(pending.as_deref(), voter);
        let leads = if leader { ", leads" } else { "" };
        let trouble = trouble.map(|why| format!("; {why}")).unwrap_or_default();
        let _written = writeln!(out, "{id:<8} {address:<24} {vote}{leads}{trouble}");
    }
    Ok(out)
}

fn print(text: &str) {
    // Nobody may read any more.
    let _closed = io::stdout().write_all(text.as_bytes());
}
