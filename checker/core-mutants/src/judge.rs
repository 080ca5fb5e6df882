//! Runs the mutants: each in the worlds that reach it, until a property fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::Deserialize;

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A property failed in a world.
    Killed {
        /// `claim/small`.
        world: String,
        /// Its name; `a panic` if the program ended by one.
        by: String,
    },
    /// No property failed in the worlds that reach it.
    Survived,
    /// A search took longer than it may.
    Undecided {
        /// `claim/small`.
        world: String,
    },
    /// No world reaches it.
    Unreached,
}

/// A world, and what it shows without a mutant.
#[derive(Debug)]
struct World {
    name: String,
    reached: BTreeSet<usize>,
    /// The properties that hold.
    holds: BTreeSet<String>,
    /// The most states that a mutant may have: a search that goes on and on decides nothing.
    states_max: u64,
    kills: AtomicUsize,
}

/// The program with the mutants, and what its worlds are without one.
#[derive(Debug)]
pub struct Judge {
    program: PathBuf,
    worlds: Vec<World>,
}

impl Judge {
    /// Runs each world of some systems without a mutant.
    ///
    /// # Errors
    ///
    /// A world without a mutant does not hold, or the program cannot be run.
    pub fn new(program: PathBuf, folder: &Path, systems: &[String]) -> Result<Self, String> {
        let mut judge = Self { program, worlds: Vec::new() };
        for system in systems {
            // One state of each is enough to name the worlds that are searched by default.
            let names = judge.run(system, &[], 1)?.results.into_iter().filter_map(|one| one.world);
            let names: Vec<String> = names.map(|world| format!("{system}/{world}")).collect();
            for name in names {
                let noted = folder.join("reached");
                let _ = fs::remove_file(&noted);
                let set = [("TURNSTILE_MUTANTS_REACHED", noted.display().to_string())];
                let ran = judge.run(&name, &set, STATES_MAX)?;
                if !ran.status.success() {
                    return Err(format!("`{name}` does not hold without a mutant"));
                }
                let text = fs::read_to_string(&noted).unwrap_or_default();
                let reached = text.lines().filter_map(|line| line.parse().ok()).collect();
                let properties = ran.results.iter().flat_map(|one| &one.properties);
                let holds = properties.filter(|one| one.is_good()).map(|one| one.name.clone());
                let holds = holds.collect();
                let states: u64 = ran.results.iter().map(|one| one.states).sum();
                let states_max = states * GROWTH + 10_000;
                let kills = AtomicUsize::new(0);
                judge.worlds.push(World { name, reached, holds, states_max, kills });
            }
        }
        Ok(judge)
    }

    /// Judges mutants on all processors, in the order in which they are done.
    pub fn judge(
        &self,
        mutants: &[usize],
        done: impl Fn(usize, &Fate) + Sync,
    ) -> BTreeMap<usize, Fate> {
        let (next, fates) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    while let Some(number) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let fate = self.fate(*number);
                        done(*number, &fate);
                        fates.lock().expect("no worker panics").insert(*number, fate);
                    }
                });
            }
        });
        fates.into_inner().expect("no worker panics")
    }

    /// The worlds that killed most come first.
    fn fate(&self, number: usize) -> Fate {
        let mut worlds: Vec<&World> =
            self.worlds.iter().filter(|world| world.reached.contains(&number)).collect();
        if worlds.is_empty() {
            return Fate::Unreached;
        }
        worlds.sort_by_key(|world| std::cmp::Reverse(world.kills.load(Ordering::Relaxed)));
        let mut undecided = None;
        for world in worlds {
            let set = [("TURNSTILE_MUTANT", number.to_string())];
            let by = match self.run(&world.name, &set, world.states_max) {
                Ok(ran) => ran.killed(&world.holds),
                Err(_) => Some("a panic".to_owned()),
            };
            match by {
                Some(by) if by == TIME => undecided = Some(world.name.clone()),
                Some(by) => {
                    world.kills.fetch_add(1, Ordering::Relaxed);
                    return Fate::Killed { world: world.name.clone(), by };
                }
                None => {}
            }
        }
        undecided.map_or(Fate::Survived, |world| Fate::Undecided { world })
    }

    fn run(&self, what: &str, set: &[(&str, String)], states: u64) -> Result<Ran, String> {
        let output = Command::new(&self.program)
            .args([
                "check",
                what,
                "--json",
                "--threads",
                "1",
                "--timeout",
                "300",
                "--max-states",
                &states.to_string(),
            ])
            .envs(set.iter().map(|(key, value)| (key, value)))
            .stderr(Stdio::null())
            .output()
            .map_err(|error| format!("{}: {error}", self.program.display()))?;
        let read: Report = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("`check {what}`: {error}"))?;
        Ok(Ran { status: output.status, results: read.results })
    }
}

/// How many times the states of a world without a mutant a mutant may have.
const GROWTH: u64 = 3;

/// The most states of a world without a mutant.
const STATES_MAX: u64 = 100_000_000;

/// What stands for a search that was truncated.
const TIME: &str = "time";

struct Ran {
    status: ExitStatus,
    results: Vec<WorldResult>,
}

impl Ran {
    /// The property that no longer holds, or [`TIME`].
    fn killed(&self, held: &BTreeSet<String>) -> Option<String> {
        let properties = || self.results.iter().flat_map(|one| &one.properties);
        let fails = |one: &&Property| {
            held.contains(&one.name) && ["fails", "vacuous"].contains(&one.verdict.as_str())
        };
        if let Some(property) = properties().find(fails) {
            return Some(property.name.clone());
        }
        self.results.iter().any(|one| !one.complete).then(|| TIME.to_owned())
    }
}

#[derive(Deserialize)]
struct Report {
    results: Vec<WorldResult>,
}

#[derive(Deserialize)]
struct WorldResult {
    world: Option<String>,
    complete: bool,
    states: u64,
    properties: Vec<Property>,
}

#[derive(Deserialize)]
struct Property {
    name: String,
    verdict: String,
}

impl Property {
    fn is_good(&self) -> bool {
        // Coverage kills nothing: a mutant dies by what is asserted.
        self.name != "every row taken"
            && !["fails", "vacuous", "incomplete"].contains(&self.verdict.as_str())
    }
}
