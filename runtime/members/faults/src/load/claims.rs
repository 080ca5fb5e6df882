//! Clients of replicated claims, one at each member, and what they saw together.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::cluster::Cluster;
use crate::load::client;
use crate::register::{Contradiction, Seen, contradictions};
use crate::service::HTTP_ADDRESS;

/// How many claims of former rounds are read again. All of them would take longer each time.
const BEFORE: u64 = 200;

/// The clients of a round; none if the service has no claims.
pub(crate) struct Claims {
    folder: PathBuf,
    clients: Vec<(PathBuf, Child)>,
}

impl Claims {
    /// Starts a client at each member.
    pub(crate) fn start(cluster: &Cluster, folder: &Path, seed: u64) -> io::Result<Self> {
        let mut claims = Self { folder: folder.to_owned(), clients: Vec::new() };
        if !cluster.service.has_claims() {
            return Ok(claims);
        }
        std::fs::create_dir_all(folder)?;
        for id in cluster.members.keys() {
            let record = folder.join(format!("client-{id}"));
            let mut command = command(cluster, *id)?;
            command.args(["client", HTTP_ADDRESS]).arg(&record).arg(claims.stop_file());
            command.arg((seed ^ u64::from(*id)).to_string());
            claims.clients.push((record, command.spawn()?));
        }
        Ok(claims)
    }

    /// Ends the clients, has every member asked for the claims of the round, and returns the number
    /// of answers. `last` is the last claim of the former rounds, and of this one afterwards.
    ///
    /// # Errors
    /// When two answers contradict each other, or nobody has an answer.
    pub(crate) fn check(mut self, cluster: &Cluster, last: &mut u64) -> io::Result<usize> {
        if self.clients.is_empty() {
            return Ok(0);
        }
        File::create(self.stop_file())?;
        let mut all = Vec::new();
        for (record, mut client) in std::mem::take(&mut self.clients) {
            client.wait()?;
            all.append(&mut client::seen(&record)?);
        }
        let newest = all.iter().map(|seen: &Seen| seen.claim).max();
        let newest = newest.ok_or_else(|| io::Error::other("no client has an answer"))?;
        let first = last.saturating_sub(BEFORE).max(1);
        *last = newest.max(*last);
        for id in cluster.members.keys() {
            let record = self.folder.join(format!("read-{id}"));
            let mut command = command(cluster, *id)?;
            command.args(["read", HTTP_ADDRESS]).arg(&record);
            command.args([first, *last].map(|claim| claim.to_string()));
            crate::tool::run(&mut command)?;
            all.append(&mut client::seen(&record)?);
        }
        let found: Vec<Contradiction> = contradictions(&all);
        match found.first() {
            None => std::fs::remove_dir_all(&self.folder).map(|()| all.len()),
            Some(first) => {
                let text = format!("{} contradictions, the first: {first:?}", found.len());
                Err(io::Error::other(text))
            }
        }
    }

    fn stop_file(&self) -> PathBuf {
        self.folder.join("stop")
    }
}

impl Drop for Claims {
    fn drop(&mut self) {
        for (_, client) in &mut self.clients {
            // It may have ended by itself.
            let _killed = client.kill();
            let _ended = client.wait();
        }
    }
}

/// This program on the host of a member.
fn command(cluster: &Cluster, id: u8) -> io::Result<Command> {
    let mut command = cluster.network.on(id);
    command.arg(std::env::current_exe()?).stdin(Stdio::null()).stdout(Stdio::null());
    Ok(command)
}
