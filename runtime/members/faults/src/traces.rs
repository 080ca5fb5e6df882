//! The traces of all members of one run.

use std::fs::File;
use std::io::{self, BufReader};

use turnstile_group_lock_core::stack::scenario::PROTOCOL;
use turnstile_scenario::trace::{Run, Together, replay_together};

use crate::cluster::Cluster;

/// How many messages were received and lost, if the members have written traces: they are one run
/// of the cores. The members have ended.
pub(crate) fn check(cluster: &Cluster) -> io::Result<Option<(usize, usize)>> {
    if !cluster.service.has_traces() {
        return Ok(None);
    }
    let files = cluster.members.values().map(|member| File::open(&member.place.trace));
    let files: Vec<File> = files.collect::<io::Result<_>>()?;
    let replayed = replay_together(files.into_iter().map(BufReader::new), &[PROTOCOL]);
    match replayed {
        Together { run: Some(Run { received, lost, impossible: None }), .. } => {
            Ok(Some((received, lost)))
        }
        wrong => Err(io::Error::other(format!("the traces are not one run: {wrong:?}"))),
    }
}
