//! `raftlock members`: the members of the group, and changes of them.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use turnstile_local::{Failure, print};
use turnstile_raft::request::{AttemptError, ChangeRequest};
use turnstile_raft::{MemberChange, VoteChange};

use super::cli::{MembersCommand, SocketArgs};
use super::user::{CHANGE_MAX, undone, user};
use super::wire::{Reply, Request};

/// Lists or changes the members.
pub(crate) async fn run(command: MembersCommand) -> Result<u8, Failure> {
    match command {
        MembersCommand::List { socket: SocketArgs { socket }, json } => {
            let status = user(&socket).status().await?;
            let members = &status["members"];
            print(&if json { format!("{members}\n") } else { text(members, &status["leader"]) })?;
            Ok(0)
        }
        MembersCommand::Add { member: (id, address), socket: SocketArgs { socket } } => {
            let address = address.to_string();
            make(&socket, &MemberChange::Add { id, address }, false).await
        }
        MembersCommand::Remove { id, socket: SocketArgs { socket } } => {
            let status = user(&socket).status().await?;
            let members = status["members"].as_array();
            let was_member = members.into_iter().flatten().any(|member| member["id"] == id);
            make(&socket, &MemberChange::Remove { id }, was_member).await
        }
    }
}

/// Has the member make a change, again while its outcome is unknown.
async fn make(socket: &Path, change: &MemberChange, was_member: bool) -> Result<u8, Failure> {
    let request = ChangeRequest { change, was_member, list: "raftlock members list" };
    let attempt = async |change: &MemberChange| {
        let asked = match change.clone() {
            MemberChange::Add { id, address } => Request::AddMember { id, address },
            MemberChange::Remove { id } => Request::RemoveMember { id },
        };
        match user(socket).ask(&asked, CHANGE_MAX).await.map_err(AttemptError::Refused)? {
            Reply::Done => Ok(()),
            Reply::Unknown(text) => Err(AttemptError::Unknown(Failure::Unavailable(text))),
            Reply::NoMember(text) => Err(AttemptError::NoMember(Failure::Unavailable(text))),
            Reply::Status(_) | Reply::Error(_) => Err(AttemptError::Refused(undone())),
        }
    };
    let made = request.make(attempt, |text| eprintln!("raftlock: {text}")).await?;
    print(&format!("{made}\n"))?;
    Ok(0)
}

/// The members as text for people.
fn text(members: &Value, leader: &Value) -> String {
    let mut out = String::new();
    for member in members.as_array().into_iter().flatten() {
        let (id, address) = (&member["id"], member["address"].as_str().unwrap_or_default());
        let vote = VoteChange::words(member["pending"].as_str(), member["voter"] == true);
        let leads = if id == leader { ", leads" } else { "" };
        let _written = writeln!(out, "{id:<8} {address:<24} {vote}{leads}");
    }
    out
}
