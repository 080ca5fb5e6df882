//! The members of a service as processes, each on its own host with its own disk.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::disk::Disk;
use crate::network::Network;
use crate::place::{MemberPlace, Programs, Standing};
use crate::service::{MembershipChange, Service, Start};

/// The library that shifts a process's clock, below the folder of an architecture in `/usr/lib`.
const CLOCK: &str = "faketime/libfaketime.so.1";
/// The maximum time for what the members do by themselves.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// The last of the first members starts so much later than the others.
const LATE: Duration = Duration::from_millis(2500);
/// Between two questions to a member.
const PAUSE: Duration = Duration::from_millis(20);

/// A member: its place, its disk, and its process if it runs.
pub(crate) struct Member {
    pub(crate) place: MemberPlace,
    pub(crate) disk: Disk,
    process: Option<Child>,
}

/// The members, by their numbers.
pub(crate) struct Cluster {
    pub(crate) service: Service,
    pub(crate) programs: Programs,
    folder: PathBuf,
    /// Further options of each member.
    options: Vec<String>,
    pub(crate) members: BTreeMap<u8, Member>,
    begun: Instant,
    /// The greatest number that a member has had.
    last: u8,
    /// After the members, so that it is removed after their processes.
    pub(crate) network: Network,
}

impl Cluster {
    /// Starts a service, and waits until all members are ready.
    pub(crate) fn start(
        service: Service,
        programs: Programs,
        count: u8,
        folder: &Path,
        options: Vec<String>,
    ) -> io::Result<Self> {
        let (folder, network) = (folder.to_owned(), Network::new()?);
        let (members, begun) = (BTreeMap::new(), Instant::now());
        let last = 0;
        let mut cluster =
            Self { service, programs, folder, options, members, begun, last, network };
        (1..=count).try_for_each(|id| cluster.add_host(id))?;
        (1..count).try_for_each(|id| cluster.start_member(id, Start::New, 0))?;
        if service.begins_with_all() && count > 1 {
            sleep(LATE);
            let ready = cluster.ready();
            if !ready.is_empty() {
                let text = format!("members {ready:?} are ready, and member {count} never ran");
                return Err(io::Error::other(text));
            }
        }
        cluster.start_member(count, Start::New, 0)?;
        cluster.await_ready()?;
        Ok(cluster)
    }

    /// Adds a host with an empty disk.
    pub(crate) fn add_host(&mut self, id: u8) -> io::Result<()> {
        self.network.add(id)?;
        let disk = Disk::mount(&self.folder.join(format!("disk-{id}")))?;
        let socket = self.folder.join(format!("{id}.sock"));
        let trace = self.folder.join(format!("{id}.trace"));
        let place = MemberPlace { id, data: disk.data(), socket, trace };
        self.members.insert(id, Member { place, disk, process: None });
        self.last = self.last.max(id);
        Ok(())
    }

    /// The numbers of the members.
    pub(crate) fn ids(&self) -> Vec<u8> {
        self.members.keys().copied().collect()
    }

    /// A number that no member has had.
    pub(crate) const fn unused(&self) -> u8 {
        self.last + 1
    }

    /// Starts a member, whose wall clock is this many hours ahead.
    pub(crate) fn start_member(&mut self, id: u8, start: Start, hours: i8) -> io::Result<()> {
        let ids = self.ids();
        let words = {
            let place = &self.member(id)?.place;
            self.service.member(&self.programs, place, &ids, start)
        };
        let log = OpenOptions::new().create(true).append(true).open(self.log(id))?;
        let mut command = self.network.on(id);
        command
            .args(words)
            .args(&self.options)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        if hours != 0 {
            command.env("LD_PRELOAD", clock_library()?).env("FAKETIME", format!("{hours:+}h"));
            command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        }
        let process = command.spawn()?;
        self.member_mut(id)?.process = Some(process);
        Ok(())
    }

    pub(crate) fn member(&self, id: u8) -> io::Result<&Member> {
        self.members.get(&id).ok_or_else(|| io::Error::other(format!("there is no member {id}")))
    }

    fn member_mut(&mut self, id: u8) -> io::Result<&mut Member> {
        let missing = || io::Error::other(format!("there is no member {id}"));
        self.members.get_mut(&id).ok_or_else(missing)
    }

    /// The process of a member that runs.
    fn process(&self, id: u8) -> io::Result<&Child> {
        let missing = || io::Error::other(format!("member {id} runs not"));
        self.member(id)?.process.as_ref().ok_or_else(missing)
    }

    /// The file of what a member says.
    pub(crate) fn log(&self, id: u8) -> PathBuf {
        self.folder.join(format!("member-{id}.log"))
    }

    /// The processor time that a member has used.
    pub(crate) fn processor_time(&self, id: u8) -> io::Result<Duration> {
        let mut all = 0;
        for task in std::fs::read_dir(format!("/proc/{}/task", self.process(id)?.id()))? {
            let text = std::fs::read_to_string(task?.path().join("schedstat"))?;
            let first = text.split_whitespace().next().and_then(|first| first.parse().ok());
            all += first.unwrap_or(0_u64);
        }
        Ok(Duration::from_nanos(all))
    }

    /// Sends a signal to a member.
    pub(crate) fn signal(&self, id: u8, signal: Signal) -> io::Result<()> {
        Ok(kill_process(Pid::from_child(self.process(id)?), signal)?)
    }

    /// Kills a member.
    pub(crate) fn kill(&mut self, id: u8) -> io::Result<()> {
        if let Some(mut process) = self.member_mut(id)?.process.take() {
            process.kill()?;
            process.wait()?;
        }
        Ok(())
    }

    /// Ends a member as its user does, and waits for its end.
    pub(crate) fn stop(&mut self, id: u8) -> io::Result<()> {
        self.signal(id, Signal::TERM)?;
        let status = self.await_end(id)?;
        let text = || io::Error::other(format!("member {id} has ended: {status}"));
        status.success().then_some(()).ok_or_else(text)
    }

    /// Kills all members; no other process of this run is left.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        let ids = self.ids();
        ids.iter().try_for_each(|id| self.kill(*id))?;
        for id in ids {
            let left = self.network.processes(id)?;
            if !left.is_empty() {
                let left = left.join(", ");
                return Err(io::Error::other(format!("processes are left on host {id}: {left}")));
            }
        }
        Ok(())
    }

    /// Notes what strikes, beside the logs of the members.
    pub(crate) fn note(&self, text: &str) -> io::Result<()> {
        let path = self.folder.join("struck.log");
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        writeln!(file, "{:?} {text}", self.begun.elapsed())
    }

    /// Removes a member's host and disk.
    pub(crate) fn remove_host(&mut self, id: u8) -> io::Result<()> {
        self.kill(id)?;
        self.members.remove(&id);
        Ok(())
    }

    /// Waits for the end of a member that must not run.
    pub(crate) fn await_end(&mut self, id: u8) -> io::Result<ExitStatus> {
        let begun = Instant::now();
        loop {
            let process = self.member_mut(id)?.process.as_mut();
            let Some(process) = process else {
                return Err(io::Error::other(format!("member {id} runs not")));
            };
            if let Some(status) = process.try_wait()? {
                self.member_mut(id)?.process = None;
                return Ok(status);
            }
            late(begun, || format!("member {id} runs, and must not"))?;
        }
    }

    /// Waits until every running member is ready.
    pub(crate) fn await_ready(&self) -> io::Result<()> {
        let begun = Instant::now();
        let running = || self.members.values().filter(|member| member.process.is_some());
        let count = running().count();
        for Member { place, .. } in running() {
            let standing = || self.service.standing(&self.network, &self.programs, place);
            let is_ready = |standing: Standing| {
                standing.is_ready && standing.members.is_none_or(|members| members == count)
            };
            while !standing().is_some_and(is_ready) {
                late(begun, || format!("member {} is not ready: {:?}", place.id, standing()))?;
            }
        }
        Ok(())
    }

    /// The members that are ready.
    pub(crate) fn ready(&self) -> Vec<u8> {
        let is_ready = |member: &&Member| {
            let place = &member.place;
            let standing = self.service.standing(&self.network, &self.programs, place);
            standing.is_some_and(|standing| standing.is_ready)
        };
        self.members.values().filter(is_ready).map(|member| member.place.id).collect()
    }

    /// Waits until a member that runs says that it is not ready.
    pub(crate) fn await_unready(&self, id: u8) -> io::Result<()> {
        let (begun, place) = (Instant::now(), &self.member(id)?.place);
        let standing = || self.service.standing(&self.network, &self.programs, place);
        while standing().is_none_or(|standing| standing.is_ready) {
            late(begun, || format!("member {id} is ready, and must not be"))?;
        }
        Ok(())
    }

    /// The leader that a ready member knows, once there is one.
    pub(crate) fn leader(&self) -> io::Result<u8> {
        self.reign().map(|(leader, _)| leader)
    }

    /// The same, and its term.
    pub(crate) fn reign(&self) -> io::Result<(u8, u64)> {
        let begun = Instant::now();
        loop {
            for Member { place, .. } in self.members.values() {
                let standing = self.service.standing(&self.network, &self.programs, place);
                let ready = standing.filter(|standing| standing.is_ready);
                let reign = ready.and_then(|ready| Some((ready.leader?, ready.term)));
                if let Some(reign) = reign {
                    return Ok(reign);
                }
            }
            late(begun, || "no member knows a leader".into())?;
        }
    }

    /// Changes the members, by one of them. While there is no leader it says that the outcome is
    /// unknown, and to repeat a change is safe.
    pub(crate) fn change(&self, by: u8, change: MembershipChange) -> io::Result<()> {
        let begun = Instant::now();
        let words = self.service.change(&self.programs, &self.member(by)?.place, change);
        while let Err(error) = crate::tool::run(self.network.on(by).args(&words)) {
            late(begun, || error.to_string())?;
        }
        Ok(())
    }

    /// The words, up to its own, of a command under a lock, through a member.
    pub(crate) fn run_words(&self, by: u8, lock: &str, timeout: f64) -> io::Result<Vec<String>> {
        let place = &self.member(by)?.place;
        let on = self.network.on(by);
        let before = [on.get_program()].into_iter().chain(on.get_args());
        let before = before.map(|word| word.to_string_lossy().into_owned());
        Ok(before.chain(self.service.run(&self.programs, place, lock, timeout)).collect())
    }

    /// Has a member grant a lock. One that is lost, as on a busy machine, is taken again.
    pub(crate) fn grant(&self, by: u8) -> io::Result<()> {
        let begun = Instant::now();
        let words = self.run_words(by, "a", PATIENCE.as_secs_f64())?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg("true").stdin(Stdio::null());
        while let Err(error) = crate::tool::run(&mut command) {
            late(begun, || error.to_string())?;
        }
        Ok(())
    }

    /// The members that have ended by themselves, and those that have panicked.
    pub(crate) fn broken(&mut self) -> io::Result<Vec<String>> {
        let mut broken = Vec::new();
        for (id, member) in &mut self.members {
            let ended = member.process.as_mut().map(Child::try_wait).transpose()?.flatten();
            broken.extend(ended.map(|status| format!("member {id} has ended: {status}")));
        }
        for id in self.members.keys() {
            let text = io::read_to_string(File::open(self.log(*id))?)?;
            let panics = text.lines().filter(|line| line.contains("panicked at"));
            broken.extend(panics.map(|line| format!("member {id}: {line}")));
        }
        Ok(broken)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for member in self.members.values_mut() {
            if let Some(mut process) = member.process.take() {
                // It may have ended by itself.
                let _killed = process.kill();
                let _ended = process.wait();
            }
        }
    }
}

/// The library that shifts a process's clock.
pub(crate) fn clock_library() -> io::Result<PathBuf> {
    for entry in std::fs::read_dir("/usr/lib")? {
        let path = entry?.path().join(CLOCK);
        if path.exists() {
            return Ok(path);
        }
    }
    Err(io::Error::other("libfaketime is missing: install Debian's package faketime"))
}

/// Waits a little; an error once [`PATIENCE`] is over.
pub(crate) fn late(begun: Instant, what: impl FnOnce() -> String) -> io::Result<()> {
    if begun.elapsed() > PATIENCE {
        return Err(io::Error::other(format!("{} after {PATIENCE:?}", what())));
    }
    sleep(PAUSE);
    Ok(())
}
