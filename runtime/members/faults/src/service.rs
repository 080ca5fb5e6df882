//! The services under test: how a member is started, asked, and used.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::fault::Fault;
use crate::group;
use crate::network::{Network, address};
use crate::place::{MemberPlace, PEER_PORT, Programs, Standing};

/// The address on which a claim server listens for its clients, those of its own host.
pub(crate) const HTTP_ADDRESS: &str = "127.0.0.1:5000";
/// The heartbeat interval of members that are struck, in seconds.
pub(crate) const HEARTBEAT: f64 = 0.1;
/// The period of their failure detectors, in seconds.
const PERIOD: f64 = 0.2;

/// A service under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Service {
    /// The replicated lock service.
    Raftlock,
    /// Claims on a replicated log.
    Turnstiled,
    /// The locks of a group that needs no majority.
    Grouplock,
}

/// How a member starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// With the others, with an empty log.
    New,
    /// With an empty log, to be added to a group.
    Join,
    /// With its log.
    Again,
}

impl Service {
    /// The environment variable of a command with its fencing token.
    pub(crate) const fn token_variable(self) -> &'static str {
        match self {
            Self::Raftlock => "RAFTLOCK_FENCING_TOKEN",
            Self::Turnstiled => "CLAIM_FENCING_TOKEN",
            Self::Grouplock => "GROUPLOCK_FENCING_TOKEN",
        }
    }

    /// Whether two parts of it that do not reach each other both grant a lock.
    pub(crate) const fn grants_in_parts(self) -> bool {
        matches!(self, Self::Grouplock)
    }

    /// Whether a fault means something to it. A group writes to its disks only when its members
    /// change.
    pub(crate) fn suffers(self, fault: Fault) -> bool {
        let of_log = matches!(fault, Fault::FullDisk | Fault::FlippedLog | Fault::LostDisk)
            || fault.ends_group();
        !(of_log && self == Self::Grouplock)
    }

    /// Whether it begins only once all of its first members have run.
    pub(crate) const fn begins_with_all(self) -> bool {
        matches!(self, Self::Raftlock | Self::Turnstiled)
    }

    /// Whether its members write traces that can be replayed together.
    pub(crate) const fn has_traces(self) -> bool {
        matches!(self, Self::Grouplock)
    }

    /// Whether it is a claim server.
    pub(crate) const fn has_claims(self) -> bool {
        matches!(self, Self::Turnstiled)
    }

    /// The programs of the service.
    pub(crate) const fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Raftlock => &["raftlock"],
            Self::Turnstiled => &["turnstiled", "claim"],
            // The other one replays the traces of its members.
            Self::Grouplock => &["grouplock", "turnstile"],
        }
    }

    /// The options by which members find out soon that others are gone.
    pub(crate) fn quick(self) -> Vec<String> {
        vec![match self {
            Self::Raftlock | Self::Turnstiled => format!("--heartbeat={HEARTBEAT}"),
            Self::Grouplock => format!("--period={PERIOD}"),
        }]
    }

    /// Runs a member among others.
    pub(crate) fn member(
        self,
        programs: &Programs,
        place: &MemberPlace,
        others: &[u8],
        start: Start,
    ) -> Vec<String> {
        let own = address(place.id);
        let mut words = match self {
            Self::Raftlock => vec![programs.path("raftlock"), "member".into()],
            Self::Turnstiled => vec![programs.path("turnstiled"), "--cluster=faults".into()],
            Self::Grouplock => return group::member(programs, place, others),
        };
        words.extend([format!("--id={}", place.id), format!("--data={}", place.data.display())]);
        match self {
            Self::Raftlock => {
                words.push(format!("--listen={own}:{PEER_PORT}"));
                words.push(format!("--socket={}", place.socket.display()));
            }
            Self::Turnstiled => {
                words.push(format!("--peer-listen={own}:{PEER_PORT}"));
                words.push(format!("--listen={HTTP_ADDRESS}"));
            }
            Self::Grouplock => {}
        }
        words.extend(others.iter().map(|id| format!("--peer={id}={}:{PEER_PORT}", address(*id))));
        match start {
            Start::New => words.push("--new".into()),
            Start::Join => words.push("--join".into()),
            Start::Again => {}
        }
        words
    }

    /// Runs a command, whose words follow, under a lock, through the member of the same host.
    pub(crate) fn run(
        self,
        programs: &Programs,
        place: &MemberPlace,
        lock: &str,
        timeout: f64,
    ) -> Vec<String> {
        let (timeout, grace) = (format!("--timeout={timeout}"), "--grace=1".into());
        let mut words = match self {
            Self::Raftlock | Self::Grouplock => {
                let socket = format!("--socket={}", place.socket.display());
                vec![programs.path(self.programs()[0]), "run".into(), socket]
            }
            Self::Turnstiled => {
                let url = format!("--url=http://{HTTP_ADDRESS}");
                vec![programs.path("claim"), url, "run".into(), "--ttl=3".into()]
            }
        };
        words.extend([timeout, grace, lock.into(), "--".into()]);
        words
    }

    /// Changes the members, by one of them.
    pub(crate) fn change(
        self,
        programs: &Programs,
        place: &MemberPlace,
        change: MembershipChange,
    ) -> Vec<String> {
        let (word, id) = match change {
            MembershipChange::Add(id) => ("add", format!("{id}={}:{PEER_PORT}", address(id))),
            MembershipChange::Remove(id) => ("remove", id.to_string()),
        };
        let mut words = match self {
            Self::Raftlock => vec![programs.path("raftlock"), "members".into()],
            Self::Turnstiled => vec![programs.path("turnstiled"), "member".into()],
            // Its members come and go by themselves.
            Self::Grouplock => return vec!["true".into()],
        };
        words.push(word.into());
        words.push(match self {
            Self::Turnstiled => format!("--url=http://{HTTP_ADDRESS}"),
            Self::Raftlock | Self::Grouplock => format!("--socket={}", place.socket.display()),
        });
        words.push(id);
        words
    }

    /// What a member says of itself at its socket.
    fn status(self, programs: &Programs, place: &MemberPlace) -> Option<Value> {
        let mut command = Command::new(programs.path(self.programs()[0]));
        command.args(["status", "--json", "--socket"]).arg(&place.socket);
        let output = command.output().ok().filter(|output| output.status.success())?;
        serde_json::from_slice(&output.stdout).ok()
    }

    /// Asks a member how it is; nothing if it does not answer.
    pub(crate) fn standing(
        self,
        network: &Network,
        programs: &Programs,
        place: &MemberPlace,
    ) -> Option<Standing> {
        match self {
            Self::Raftlock => {
                let status = self.status(programs, place)?;
                let leader = status["leader"].as_u64().and_then(|id| u8::try_from(id).ok());
                let (is_ready, term) = (status["ready"] == true, status["term"].as_u64());
                Some(Standing { is_ready, leader, term: term.unwrap_or(0), members: None })
            }
            Self::Grouplock => group::standing(&self.status(programs, place)?),
            Self::Turnstiled => {
                let ready = get(network, place, "/readyz")?.0 == "200";
                let metrics = get(network, place, "/metrics")?.1;
                let value = |name: &str| {
                    let line = metrics.lines().find_map(|line| line.strip_prefix(name));
                    line.and_then(|value| value.trim().parse::<u64>().ok()).unwrap_or(0)
                };
                let leader = u8::try_from(value("turnstile_log_leader "));
                let leader = leader.ok().filter(|id| *id != 0);
                let term = value("turnstile_log_term ");
                Some(Standing { is_ready: ready, leader, term, members: None })
            }
        }
    }
}

/// A change of the members.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MembershipChange {
    /// One that runs becomes a member.
    Add(u8),
    /// One is a member no more.
    Remove(u8),
}

impl Programs {
    /// The programs that are not there.
    pub(crate) fn missing(&self, service: Service) -> Option<&'static str> {
        let mut names = service.programs().iter();
        names.find(|name| !Path::new(&self.path(name)).exists()).copied()
    }
}

/// The status and the body of a page of a claim server.
fn get(network: &Network, place: &MemberPlace, path: &str) -> Option<(String, String)> {
    let mut command = network.on(place.id);
    command.args(["curl", "--silent", "--max-time", "2", "--write-out", "\n%{http_code}"]);
    command.arg(format!("http://{HTTP_ADDRESS}{path}"));
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (body, status) = text.rsplit_once('\n')?;
    Some((status.to_owned(), body.to_owned()))
}
