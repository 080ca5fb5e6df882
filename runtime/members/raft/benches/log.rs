//! Durable operations per second of three members in one process, each with a folder of its own.
//!
//! A client proposes its next operation when the one before is answered.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use turnstile_host::store::LogStore;
use turnstile_raft::network::hub::Hub;
use turnstile_raft::{Encode, LogPosition, Member, Options, Role, StateMachine};

const TIME: Duration = Duration::from_secs(4);
const OPERATION_BYTES: usize = 100;

struct Counter(u64);

impl StateMachine for Counter {
    fn apply(&mut self, _place: LogPosition, _operation: &[u8]) -> io::Result<Vec<u8>> {
        self.0 += 1;
        Ok(self.0.to_le_bytes().to_vec())
    }

    fn snapshot(&self) -> Encode {
        let count = self.0;
        Box::new(move |out| out.extend_from_slice(&count.to_le_bytes()))
    }

    fn install(&mut self, snapshot: &[u8]) -> io::Result<()> {
        self.0 = u64::from_le_bytes(snapshot.try_into().map_err(io::Error::other)?);
        Ok(())
    }
}

async fn client(leader: Member, until: Instant) -> u64 {
    let mut count = 0;
    while Instant::now() < until {
        leader.propose(vec![7; OPERATION_BYTES]).await.expect("there is a majority");
        count += 1;
    }
    count
}

async fn measure(leader: &Member, clients: usize) {
    let entries = leader.status().last_log_index.unwrap_or(0);
    let until = Instant::now() + TIME;
    let running: Vec<_> =
        (0..clients).map(|_| tokio::spawn(client(leader.clone(), until))).collect();
    let mut count = 0;
    for client in running {
        count += client.await.expect("it does not panic");
    }
    let entries = leader.status().last_log_index.unwrap_or(0) - entries;
    let (rate, share) = (count / TIME.as_secs(), count / entries.max(1));
    println!("{clients:4} clients: {rate:6} operations/s, {share:3} in an entry");
}

#[tokio::main]
async fn main() {
    let root = std::env::temp_dir().join(format!("turnstile-raft-bench-{}", std::process::id()));
    let folder = |id: u64| -> PathBuf { root.join(id.to_string()) };
    let (hub, mut members) = (Hub::new(), BTreeMap::new());
    for id in 1..=3 {
        let store = Box::new(LogStore::open(&folder(id)).expect("the folder is new"));
        let member = Member::start(Options::new(id), store, Counter(0), hub.join(id)).await;
        members.insert(id, member.expect("the folder is new"));
    }
    let list = (1..=3).map(|id| (id, format!("member-{id}"))).collect();
    members[&1].initialize(&list).await.expect("it is one of them");
    let leads = |status: &turnstile_raft::Status| status.role == Role::Leader;
    members[&1].wait_for(Duration::from_secs(60), leads).await.expect("it is elected");
    for clients in [1, 16, 64, 256, 1024] {
        measure(&members[&1], clients).await;
    }
    for member in members.values() {
        member.stop().await;
    }
    std::fs::remove_dir_all(&root).expect("the folder is ours");
}
