//! The status of a member as JSON, and as text.

use std::fmt::Write as _;

use serde_json::{Value, json};
use turnstile_local::MemberCertificates;
use turnstile_raft::{Role, VoteChange};
use turnstile_replicated_lock::{LockMember, Status};

/// The status as JSON.
pub(crate) fn json(status: &Status) -> Value {
    let Status { raft, address, epoch, is_ready, member, present, locks, unhandled } = status;
    let locks = locks.iter().map(|lock| {
        json!({
            "id": lock.id,
            "name": hex(lock.lock.0),
            "holder": lock.holder.as_ref().map(presence),
            "token": lock.token,
            "waiters": lock.waiters.iter().map(presence).collect::<Vec<_>>(),
        })
    });
    let mut by_id: Vec<&LockMember> = present.iter().collect();
    by_id.sort_by_key(|one| (one.id, one.address));
    json!({
        "version": 1,
        "id": raft.id,
        "role": role_name(raft.role),
        "term": raft.term,
        "leader": raft.leader,
        "address": hex(address.0),
        "epoch": epoch,
        "ready": is_ready,
        "log": {
            "last": raft.last_log_index,
            "applied": raft.applied_index,
            "snapshot": raft.snapshot_index,
            "syncs": raft.syncs,
            "sync_us": u64::try_from(raft.sync_time.as_micros()).unwrap_or(u64::MAX),
        },
        "store_failing": raft.is_store_failing,
        "removed": raft.is_removed(),
        "unknown": raft.is_unknown,
        "member": member,
        "group": raft.group,
        "members": raft.members.iter().map(|(id, address)| json!({
            "id": id,
            "address": address,
            "voter": raft.is_voter(*id),
            "pending": raft.vote_change(*id).map(VoteChange::name),
        })).collect::<Vec<_>>(),
        "refused": raft.refused.values().collect::<Vec<_>>(),
        "present": by_id.into_iter().map(presence).collect::<Vec<_>>(),
        "locks": locks.collect::<Vec<_>>(),
        "unhandled": unhandled,
    })
}

/// A number that JavaScript would round.
fn hex(number: u64) -> String {
    format!("{number:016x}")
}

fn presence(one: &LockMember) -> Value {
    json!({ "id": one.id, "address": hex(one.address.0) })
}

const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Learner => "learner",
        Role::Follower => "follower",
        Role::Candidate => "candidate",
        Role::Leader => "leader",
        Role::Stopped => "stopped",
    }
}

/// The JSON as text for people.
pub(crate) fn text(status: &Value) -> String {
    let mut out = String::new();
    let word = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".into(),
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            other.to_string()
        }
    };
    // A member without a session has no id; nobody has neither.
    let who = |value: &Value| {
        let known = [&value["id"], &value["address"]].into_iter().find(|one| !one.is_null());
        word(known.unwrap_or(&Value::Null))
    };
    let all = |value: &Value| {
        let list = value.as_array().into_iter().flatten();
        let list: Vec<String> = list.map(who).collect();
        if list.is_empty() { "-".to_owned() } else { list.join(", ") }
    };
    let ready = if status["ready"] == true { "ready" } else { "not ready" };
    let disk = if status["store_failing"] == true { ", its disk rejects writes" } else { "" };
    let (id, member, term) = (word(&status["id"]), word(&status["member"]), word(&status["term"]));
    let leader = word(&status["leader"]);
    let removed = match (&status["removed"], &status["unknown"]) {
        (_, Value::Bool(true)) => ", the others do not know it",
        (Value::Bool(true), _) => ", it was removed from its group",
        (_, _) => "",
    };
    let _written = writeln!(out, "member   {id}: {member}, {ready}{disk}{removed}");
    let _written = writeln!(out, "leader   {leader} in term {term}");
    let _written = writeln!(out, "present  {}", all(&status["present"]));
    for why in status["refused"].as_array().into_iter().flatten() {
        let _written = writeln!(out, "refused  {}", word(why));
    }
    for lock in status["locks"].as_array().into_iter().flatten() {
        let id = match &lock["id"] {
            Value::String(id) => format!("{id:?}"),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => word(&lock["name"]),
        };
        let (holder, token) = (who(&lock["holder"]), word(&lock["token"]));
        let waiters = all(&lock["waiters"]);
        let _written =
            writeln!(out, "lock     {id}: held by {holder}, token {token}, waiting {waiters}");
    }
    for line in MemberCertificates::text(&status["certificates"]).lines() {
        let _written = writeln!(out, "tls      {line}");
    }
    for event in status["unhandled"].as_array().into_iter().flatten() {
        let _written = writeln!(out, "bug      an event that no row handles: {}", word(event));
    }
    out
}
