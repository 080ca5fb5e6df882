//! The members of the cluster, as operators list and change them.

use serde_json::json;
use tokio::time::timeout;
use turnstile_raft::{MemberChange, MemberError, Status, VoteChange};

use super::ReplicatedEngine;
use crate::server::state::backend::Backend as _;
use crate::server::state::reply::Reply;

/// The members, as far as this one knows them.
pub(crate) fn list(engine: &ReplicatedEngine) -> Reply {
    let status = engine.member().status();
    let own = status.failure.as_ref().map(|why| (status.id, why));
    let trouble = |id: u64| match own {
        Some((own, why)) if own == id => Some(why),
        Some(_) | None => status.refused.get(&id),
    };
    let list: Vec<_> = status
        .members
        .iter()
        .map(|(id, address)| {
            json!({
                "id": id,
                "address": address,
                "voter": status.is_voter(*id),
                "leader": status.leader == Some(*id),
                "pending": status.vote_change(*id).map(VoteChange::name),
                "trouble": trouble(*id),
            })
        })
        .collect();
    Reply::json(200, &list)
}

/// Changes the members, here or at the leader. A change that is made already is none.
pub(crate) async fn change(engine: &ReplicatedEngine, change: &MemberChange) -> Reply {
    let member = engine.member();
    let knows_leader = |status: &Status| status.leader.is_some();
    let patience = engine.options.request_timeout;
    if member.wait_for(patience, knows_leader).await.is_err() {
        return engine.not_executed();
    }
    // The leader ends a change that takes too long; here it is the leader that may not answer.
    let most = patience.saturating_add(engine.options.raft.timeout);
    match timeout(most, member.change_members(change)).await {
        Ok(Ok(())) => Reply::done(),
        Ok(Err(error)) if !error.is_not_executed() => unknown(change, &error),
        Ok(Err(MemberError::Membership { why })) => impossible(engine, change, &why).await,
        Ok(Err(_)) => engine.not_executed(),
        Err(_elapsed) => unknown(change, &MemberError::TimedOut),
    }
}

/// 404 if there is no such member, or else 409.
async fn impossible(engine: &ReplicatedEngine, change: &MemberChange, why: &str) -> Reply {
    // The leader has seen changes that this member may not have seen.
    if let Err(unavailable) = engine.refresh().await {
        return unavailable;
    }
    let members = engine.member().status().members;
    match change {
        MemberChange::Remove { id } if !members.contains_key(id) => {
            let ids: Vec<String> = members.keys().map(ToString::to_string).collect();
            let text = format!("There is no member {id}: the members are {}", ids.join(", "));
            Reply::message(404, &text)
        }
        MemberChange::Add { .. } | MemberChange::Remove { .. } => {
            Reply::message(409, &format!("The members cannot be changed: {why}"))
        }
    }
}

/// 503: the change may have been made, or may still be made.
fn unknown(change: &MemberChange, error: &MemberError) -> Reply {
    let advice = match change {
        MemberChange::Add { id, address } => format!(
            "; member {id} must run, with --join at its first start, and the others must reach it \
             at {address}"
        ),
        MemberChange::Remove { .. } => String::new(),
    };
    Reply::message(503, &format!("{error}. The request may be repeated{advice}"))
}
