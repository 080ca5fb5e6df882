//! A member of a group that needs no majority: `grouplock`.

use serde_json::Value;

use crate::network::address;
use crate::place::{MemberPlace, PEER_PORT, Programs, Standing};

/// Runs a member among others.
pub(crate) fn member(programs: &Programs, place: &MemberPlace, others: &[u8]) -> Vec<String> {
    let mut words = vec![programs.path("grouplock"), "member".into(), "--name=faults".into()];
    words.push(format!("--listen={}:{PEER_PORT}", address(place.id)));
    words.push(format!("--data={}", place.data.display()));
    words.push(format!("--socket={}", place.socket.display()));
    words.push(format!("--trace={}", place.trace.display()));
    words.push("--seed".into());
    words.extend(others.iter().map(|id| format!("{}:{PEER_PORT}", address(*id))));
    words
}

/// How a member is by its status: ready, if all that seem to be there are in its view. Nothing if
/// it is in no group.
pub(crate) fn standing(status: &Value) -> Option<Standing> {
    let count = |list: &Value| list.as_array().map(Vec::len);
    let members = count(&status["members"])?;
    let is_ready = status["in_group"] == true && members == count(&status["present"])? + 1;
    let first = status["members"][0]["address"].as_str()?;
    let leader = first.split(':').next()?.rsplit('.').next()?.parse().ok();
    Some(Standing { is_ready, leader, term: 0, members: Some(members) })
}
