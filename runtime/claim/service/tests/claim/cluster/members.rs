//! Three members of a cluster in this process, each with a thread of its own, on simulated disks
//! and a network whose links can be cut.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::sync::oneshot;
use turnstile_claim::server::{ClusterOptions, Options, Server, Storage};
use turnstile_host::store::Disk;
use turnstile_raft::network::hub::Hub;
use turnstile_raft::{Member, Role, Status};

use crate::http::{Client, until};

/// How long members wait for each other, and for how many entries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    heartbeat: Duration,
    /// How long a leader is trusted; without one, an election begins after 1.5 to twice that.
    election: Duration,
    snapshot_every: u64,
    /// The entries that are kept for others beside a snapshot.
    keep_entries: u64,
}

/// For tests whose leader stays and whose followers need no snapshot, however slow the machine is.
const STEADY: Pace = Pace {
    heartbeat: Duration::from_millis(100),
    election: Duration::from_secs(3),
    snapshot_every: 1_000,
    keep_entries: 10_000,
};

/// For tests that lose a leader, but send no snapshots.
pub(crate) const QUICK_LOG: Pace =
    Pace { heartbeat: QUICK.heartbeat, election: QUICK.election, ..STEADY };

/// For tests that lose a leader. The log has so few entries that members are sent snapshots.
pub(crate) const QUICK: Pace = Pace {
    heartbeat: Duration::from_millis(50),
    election: Duration::from_millis(400),
    snapshot_every: 50,
    keep_entries: 1,
};

/// How long a request waits for a leader, however slow the machine is.
const PATIENT: Duration = Duration::from_secs(5);

/// A member, its server, and the thread of both.
struct MemberServer {
    at: SocketAddr,
    member: Member,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// The members.
pub(crate) struct Members {
    pub(crate) hub: Hub,
    /// The address of a follower.
    pub(crate) at: SocketAddr,
    pace: Pace,
    servers: BTreeMap<u64, MemberServer>,
    disks: BTreeMap<u64, Disk>,
}

impl Members {
    pub(crate) fn in_memory() -> Self {
        Self::start(Storage::Memory, Options::default())
    }

    /// Members with these options. Each has its log on a disk of its own, in place of the storage.
    pub(crate) fn start(_storage: Storage, options: Options) -> Self {
        Self::with(STEADY, &|_| options.clone())
    }

    /// Members of this pace and with their own options.
    pub(crate) fn with(pace: Pace, options: &dyn Fn(u64) -> Options) -> Self {
        let (hub, disks, servers) = (Hub::new(), BTreeMap::new(), BTreeMap::new());
        let at = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut members = Self { hub, at, pace, servers, disks };
        // The last one makes all of them a cluster.
        for id in [3, 2, 1] {
            members.join(id, options(id));
        }
        let leader = members.leader();
        // A server with TLS does not speak to this client.
        let is_plain = options(1).tls.is_none();
        for id in (1..=3).filter(|_| is_plain) {
            let client = || members.client_of(id);
            until("it is ready", || client().get("/readyz").status == 200);
        }
        let follower = members.others(leader)[0];
        members.at = members.servers[&follower].at;
        members
    }

    /// Starts a member on the disk that it had before.
    pub(crate) fn join(&mut self, id: u64, options: Options) {
        self.try_join(id, options, ClusterOptions::VERSION).expect("its disk is whole");
    }

    /// The same, with a program whose newest version of the operations is this one.
    pub(crate) fn try_join(&mut self, id: u64, options: Options, version: u32) -> io::Result<()> {
        let Pace { heartbeat, election, snapshot_every, keep_entries } = self.pace;
        let raft = turnstile_raft::Options {
            heartbeat,
            election_least: election * 3 / 2,
            election_most: 2 * election,
            snapshot_every,
            keep_entries,
            ..turnstile_raft::Options::new(id)
        };
        let mut cluster = ClusterOptions::new("test", raft);
        (cluster.request_timeout, cluster.version) = (PATIENT, version);
        let store = Box::new(self.disks.entry(id).or_default().open());
        let network = self.hub.join(id);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback has ports");
        listener.set_nonblocking(true).expect("a socket takes it");
        let at = listener.local_addr().expect("it is bound");
        let (stop, stopped) = oneshot::channel::<()>();
        let (started, member) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let server = match Server::join(cluster, store, network, options).await {
                    Ok(server) => server,
                    Err(error) => return started.send(Err(error)).expect("it is awaited"),
                };
                let member = server.member().expect("it is one").clone();
                if id == 1 {
                    let list = (1..=3).map(|id| (id, format!("member-{id}"))).collect();
                    // A member of a cluster ignores it.
                    let member = member.clone();
                    tokio::spawn(async move { member.initialize(&list).await });
                }
                started.send(Ok(member)).expect("it is awaited");
                let listener = tokio::net::TcpListener::from_std(listener).expect("it is bound");
                let stop = async {
                    // A dropped sender stops the server as well.
                    let _stopped = stopped.await;
                };
                server.serve(listener, stop).await.expect("the server ends well");
            });
        });
        let member = member.recv().expect("the member starts")?;
        let server = MemberServer { at, member, stop: Some(stop), thread: Some(thread) };
        self.servers.insert(id, server);
        Ok(())
    }

    /// The member of the log.
    pub(crate) fn member(&self, id: u64) -> &Member {
        &self.servers[&id].member
    }

    /// The member that leads, which all running members that are not cut off follow.
    pub(crate) fn leader(&self) -> u64 {
        self.leader_among(&self.servers.keys().copied().collect::<Vec<_>>())
    }

    /// The same among some of the members.
    pub(crate) fn leader_among(&self, ids: &[u64]) -> u64 {
        let mut leader = None;
        until("one leads and all follow", || {
            let all = |is: &dyn Fn(&Status) -> bool| {
                ids.iter().all(|id| is(&self.servers[id].member.status()))
            };
            leader = ids.iter().copied().find(|id| {
                let status = self.servers[id].member.status();
                status.role == Role::Leader && status.applied_term == Some(status.term)
            });
            all(&|status| leader.is_some() && status.leader == leader)
        });
        leader.expect("it was waited for")
    }

    /// The members but for one.
    pub(crate) fn others(&self, than: u64) -> Vec<u64> {
        self.servers.keys().copied().filter(|id| *id != than).collect()
    }

    /// The addresses of those that run.
    pub(crate) fn addresses(&self) -> Vec<SocketAddr> {
        self.servers.values().map(|server| server.at).collect()
    }

    /// A client of a follower.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.at)
    }

    /// A client of a member.
    pub(crate) fn client_of(&self, id: u64) -> Client {
        Client::new(self.servers[&id].at)
    }

    /// Fills the disk of a member: it takes no writes any more.
    pub(crate) fn fill(&self, id: u64) {
        self.disks[&id].set_full(true);
    }

    /// Gives a member that is stopped an empty disk.
    pub(crate) fn lose_disk(&mut self, id: u64) {
        self.disks.remove(&id).expect("it had one");
    }

    /// Stops a member without a word to the others, as a crash does. Its disk remains.
    pub(crate) fn kill(&mut self, id: u64) {
        self.hub.isolate(id);
        self.end(id);
        self.hub.heal();
    }

    /// Stops the member whose clients are those of [`Members::client`].
    pub(crate) fn stop(mut self) {
        let asked = |(_, server): &(&u64, &MemberServer)| server.at == self.at;
        let id = self.servers.iter().find(asked).map(|(id, _)| *id);
        let id = id.expect("it runs");
        // The caller does not wait: a client of its thread goes on.
        std::thread::spawn(move || self.end(id));
    }

    /// Stops a member.
    pub(crate) fn end(&mut self, id: u64) {
        let mut server = self.servers.remove(&id).expect("it runs");
        server.end();
    }
}

impl MemberServer {
    fn end(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server ends well");
        }
    }
}

impl Drop for Members {
    fn drop(&mut self) {
        // That of most clients tells the others that they do not wait any more.
        if let Some(server) = self.servers.values_mut().find(|server| server.at == self.at) {
            server.end();
        }
        // The others at once: the last ones would wait for a majority.
        for server in self.servers.values_mut() {
            drop(server.stop.take());
        }
        for server in self.servers.values_mut() {
            server.end();
        }
    }
}
