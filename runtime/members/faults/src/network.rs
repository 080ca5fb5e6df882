//! Network namespaces, one a member, joined by a bridge. A cut holds for one direction.

use std::io;
use std::path::PathBuf;
use std::process::Command;

/// What the names of all namespaces begin with.
const PREFIX: &str = "turnstile-faults-";

/// Removes the packet filter of a host, if it is there.
const FORGET: &str = "table inet faults; delete table inet faults;";

/// The namespaces of one run; dropping it removes them.
pub(crate) struct Network {
    /// Distinguishes this process from others.
    name: String,
    hosts: Vec<u8>,
}

impl Network {
    /// The bridge, and no host yet.
    pub(crate) fn new() -> io::Result<Self> {
        remove_stale();
        let network = Self { name: format!("{PREFIX}{}", std::process::id()), hosts: Vec::new() };
        ip(&["netns", "add", &network.hub()])?;
        ip(&["-n", &network.hub(), "link", "add", "bridge", "type", "bridge"])?;
        ip(&["-n", &network.hub(), "link", "set", "bridge", "up"])?;
        Ok(network)
    }

    /// Adds a host: a namespace with an address of its own.
    pub(crate) fn add(&mut self, host: u8) -> io::Result<()> {
        let (space, hub, port) = (self.space(host), self.hub(), format!("port{host}"));
        ip(&["netns", "add", &space])?;
        self.hosts.push(host);
        let pair = ["type", "veth", "peer", "name", "eth0", "netns", &space];
        ip(&[&["-n", &hub, "link", "add", &port][..], &pair].concat())?;
        ip(&["-n", &hub, "link", "set", &port, "master", "bridge", "up"])?;
        ip(&["-n", &space, "addr", "add", &format!("{}/24", address(host)), "dev", "eth0"])?;
        ip(&["-n", &space, "link", "set", "lo", "up"])?;
        ip(&["-n", &space, "link", "set", "eth0", "up"])
    }

    /// A command that runs a program on a host. It is killed when its thread here ends.
    pub(crate) fn on(&self, host: u8) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.space(host), "setpriv", "--pdeathsig", "KILL", "--"]);
        command
    }

    /// Nothing that one host sends reaches the other any more.
    pub(crate) fn cut(&self, from: u8, to: u8) -> io::Result<()> {
        let route = format!("{}/32", address(to));
        ip(&["-n", &self.space(from), "route", "replace", "blackhole", &route])
    }

    /// So many of a hundred packets that a host sends to others are lost.
    pub(crate) fn lose(&self, from: u8, percent: u8) -> io::Result<()> {
        let rules = format!(
            "table inet faults {{ chain out {{ type filter hook output priority 0; oifname eth0 \
             numgen random mod 100 < {percent} drop; }}; }}"
        );
        self.nft(from, &format!("{FORGET}\n{rules}"))
    }

    /// Takes back all cuts and losses.
    pub(crate) fn heal(&self) -> io::Result<()> {
        self.hosts.iter().try_for_each(|host| {
            ip(&["-n", &self.space(*host), "route", "flush", "type", "blackhole"])?;
            self.nft(*host, FORGET)
        })
    }

    /// The bytes that a host has sent, with the headers of its packets.
    pub(crate) fn sent(&self, host: u8) -> io::Result<u64> {
        let counter = "/sys/class/net/eth0/statistics/tx_bytes";
        let output = self.on(host).args(["cat", counter]).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        text.trim().parse().map_err(|_| io::Error::other("the counter of a host cannot be read"))
    }

    /// The processes on a host.
    pub(crate) fn processes(&self, host: u8) -> io::Result<Vec<String>> {
        let output = Command::new("ip").args(["netns", "pids", &self.space(host)]).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.split_whitespace().map(str::to_owned).collect())
    }

    fn nft(&self, host: u8, rules: &str) -> io::Result<()> {
        crate::tool::run(self.on(host).args(["nft", rules]))
    }

    fn hub(&self) -> String {
        format!("{}-hub", self.name)
    }

    fn space(&self, host: u8) -> String {
        format!("{}-{host}", self.name)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        let spaces = self.hosts.iter().map(|host| self.space(*host)).chain([self.hub()]);
        for space in spaces {
            if let Err(error) = ip(&["netns", "delete", &space]) {
                eprintln!("faults: {space} is left: {error}");
            }
        }
    }
}

/// The address of a host.
pub(crate) fn address(host: u8) -> String {
    format!("10.77.0.{host}")
}

/// Removes the namespaces of processes that have been killed.
fn remove_stale() {
    let Ok(list) = std::fs::read_dir("/run/netns") else { return };
    for entry in list.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next());
        if process.is_some_and(|id| !PathBuf::from(format!("/proc/{id}")).exists()) {
            // Another run may be removing it, too.
            let _removed = ip(&["netns", "delete", &name]);
        }
    }
}

fn ip(words: &[&str]) -> io::Result<()> {
    crate::tool::run(Command::new("ip").args(words))
}
