//! `raftlock members`: the members of the group, and changes of them.

use std::fmt::Write as _;

use serde_json::Value;

use super::cli::{MembersCommand, SocketArgs};
use super::wire::Request;
use super::{Failure, have_done, print, status_of};

/// Lists or changes the members.
pub(crate) async fn run(command: MembersCommand) -> Result<u8, Failure> {
    match command {
        MembersCommand::List { socket: SocketArgs { socket }, json } => {
            let status = status_of(&socket).await?;
            let members = &status["members"];
            print(&if json { format!("{members}\n") } else { text(members, &status["leader"]) });
            Ok(0)
        }
        MembersCommand::Add { member: (id, address), socket: SocketArgs { socket } } => {
            let address = address.to_string();
            have_done(&socket, &Request::AddMember { id, address }).await
        }
        MembersCommand::Remove { id, socket: SocketArgs { socket } } => {
            have_done(&socket, &Request::RemoveMember { id }).await
        }
    }
}

/// The members as text for people.
fn text(members: &Value, leader: &Value) -> String {
    let mut out = String::new();
    for member in members.as_array().into_iter().flatten() {
        let (id, address) = (&member["id"], member["address"].as_str().unwrap_or_default());
        let vote = if member["voter"] == true { "votes" } else { "has no vote yet" };
        let leads = if id == leader { ", leads" } else { "" };
        let _written = writeln!(out, "{id:<8} {address:<24} {vote}{leads}");
    }
    out
}
