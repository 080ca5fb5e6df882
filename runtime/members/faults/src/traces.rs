//! The traces of all members of one run.

use std::io;
use std::process::Command;

use crate::cluster::Cluster;
use crate::tool;

/// What `turnstile replay --together` says of the members' traces, if they have written some: they
/// are one run of the cores. The members have ended.
pub(crate) fn check(cluster: &Cluster) -> io::Result<Option<String>> {
    if !cluster.service.has_traces() {
        return Ok(None);
    }
    let mut replay = Command::new(cluster.programs.path("turnstile"));
    replay.args(["replay", "--together"]);
    replay.args(cluster.members.values().map(|member| &member.place.trace));
    let said = tool::output(&mut replay)?;
    Ok(said.lines().last().map(str::to_owned))
}
