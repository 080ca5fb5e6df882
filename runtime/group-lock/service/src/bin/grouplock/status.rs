//! The status of a member as JSON, and as text.

use std::fmt::Write as _;

use serde_json::{Value, json};
use turnstile_group_lock::GroupStatus;
use turnstile_local::MemberCertificates;

/// The status as JSON.
pub(crate) fn json(group: &str, status: &GroupStatus) -> Value {
    let GroupStatus { address, member, view, members, present, locks } = status;
    let coordinator = status.coordinator().map(|one| hex(one.number));
    json!({
        "version": 1,
        "group": group,
        "address": address,
        "member": hex(*member),
        "in_group": view.is_some(),
        "view": view,
        "coordinator": coordinator,
        "members": members.iter().map(|one| json!({
            "address": one.address,
            "member": hex(one.number),
        })).collect::<Vec<_>>(),
        "present": present,
        "locks": locks.iter().map(|lock| json!({
            "id": lock.name,
            "held": lock.is_held,
            "waiters": lock.waiters,
        })).collect::<Vec<_>>(),
    })
}

/// A number that JavaScript would round.
fn hex(number: u64) -> String {
    format!("{number:016x}")
}

/// The JSON as text for people.
pub(crate) fn text(status: &Value) -> String {
    let mut out = String::new();
    let (group, address) = (word(&status["group"]), word(&status["address"]));
    let _written = writeln!(out, "group    {group:?}");
    let _written = writeln!(out, "member   {address}, number {}", word(&status["member"]));
    let view = match (&status["in_group"], &status["view"]) {
        (Value::Bool(true), view) => word(view),
        _ => "none: it is in no group yet".to_owned(),
    };
    let _written = writeln!(out, "view     {view}");
    let present: Vec<String> = list(&status["present"]).map(word).collect();
    let present = if present.is_empty() { "-".to_owned() } else { present.join(", ") };
    let _written = writeln!(out, "present  {present}");
    for line in members(status).lines() {
        let _written = writeln!(out, "in view  {line}");
    }
    for line in locks(status).lines() {
        let _written = writeln!(out, "lock     {line}");
    }
    for line in MemberCertificates::text(&status["certificates"]).lines() {
        let _written = writeln!(out, "tls      {line}");
    }
    out
}

/// The members of the status, a line each.
pub(crate) fn members(status: &Value) -> String {
    let mut out = String::new();
    for one in list(&status["members"]) {
        let (address, number) = (word(&one["address"]), word(&one["member"]));
        let coordinates = if one["member"] == status["coordinator"] { ", coordinates" } else { "" };
        let is_own = if one["member"] == status["member"] { ", this one" } else { "" };
        let _written = writeln!(out, "{address:<24} {number}{coordinates}{is_own}");
    }
    out
}

/// The locks of the status, a line each.
pub(crate) fn locks(status: &Value) -> String {
    let mut out = String::new();
    for lock in list(&status["locks"]) {
        let (id, waiters) = (word(&lock["id"]), word(&lock["waiters"]));
        let held = if lock["held"] == true { "held" } else { "not held" };
        let _written = writeln!(out, "{id:?}: {held} here, {waiters} waiting here");
    }
    out
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".into(),
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            other.to_string()
        }
    }
}
