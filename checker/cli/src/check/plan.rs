//! What the arguments of `check` ask for: a list of searches, tables before systems.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use turnstile_harness::read;
use turnstile_spec::{Faults, System};

use crate::library::{self, Library, Text};
use crate::lint;

/// One search, or one file that cannot be searched.
#[derive(Clone, Debug)]
pub(super) enum Job {
    /// A table in the environment of its resources.
    Table(Text),
    /// One world of a system.
    World {
        /// The system.
        system: Arc<System>,
        /// The world's place in it.
        world: usize,
        /// A table that runs in it in place of the one it has.
        table: Option<Text>,
    },
    /// What the worlds before come to together: so many, all that a system has by default.
    Whole {
        /// How many.
        worlds: usize,
    },
    /// A system whose file does not say what to search.
    Broken {
        /// The system's text.
        text: Text,
        /// What is wrong with it.
        faults: Faults,
    },
}

/// Searches to do.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// In order.
    pub(super) jobs: Vec<Job>,
    /// What was asked and is not there.
    pub(super) complaints: Vec<String>,
    /// Whether anything comes from the library, not from a file that was named.
    pub(super) is_of_library: bool,
    size: Size,
}

/// Which worlds of a system are asked for.
#[derive(Clone, Copy)]
enum Worlds<'w> {
    /// Those that the file searches where none is named, or those that it sets apart as large.
    Of(Size),
    /// One, by name.
    Named(&'w str),
}

/// Which worlds of a system are searched where none is named: `--set size=large`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Size {
    /// The usual ones.
    #[default]
    Small,
    /// Those with `default: false` in the system's file.
    Large,
}

impl Size {
    /// The last `size` of the settings, and the settings without it.
    pub(super) fn of(settings: &[(String, String)]) -> Result<(Self, Vec<Setting>), String> {
        let (sizes, others): (Vec<_>, Vec<_>) =
            settings.iter().cloned().partition(|(key, _)| key == "size");
        let size = match sizes.last().map(|(_, value)| value.as_str()) {
            None | Some("small") => Self::Small,
            Some("large") => Self::Large,
            Some(other) => return Err(format!("`--set size={other}`: small or large")),
        };
        Ok((size, others))
    }
}

/// A key and its value.
type Setting = (String, String);

/// Plans the searches for the names; without names, for everything known here.
pub(super) fn plan(library: &Library, names: &[String], size: Size) -> Plan {
    let mut plan = Plan { size, ..Plan::default() };
    if names.is_empty() {
        plan.is_of_library = true;
        plan.jobs.extend(library.tables.iter().cloned().map(Job::Table));
        for text in &library.systems {
            plan.system(text, Worlds::Of(size), None);
        }
    }
    for (nth, name) in names.iter().enumerate() {
        if names[..nth].contains(name) {
            continue;
        }
        if library.is_file(name) {
            plan.file(library, Path::new(name));
        } else {
            plan.name(library, name);
        }
    }
    plan
}

impl Plan {
    /// Complaints of keys that no system of the plan lets anybody set.
    pub(super) fn unknown_settings(&self, settings: &[Setting]) -> Vec<String> {
        let systems = self.jobs.iter().filter_map(|job| match job {
            Job::World { system, .. } => Some(system),
            Job::Table(_) | Job::Whole { .. } | Job::Broken { .. } => None,
        });
        let known: BTreeSet<&str> =
            systems.flat_map(|system| &system.set).map(|setting| &*setting.name).collect();
        let others = settings.iter().filter(|(key, _)| !known.contains(key.as_str()));
        let known = known.iter().copied().chain(["size"]).collect::<Vec<_>>().join(", ");
        let complaint = |(key, _): &Setting| format!("nothing has `--set {key}`; here: {known}");
        others.map(complaint).collect()
    }

    fn name(&mut self, library: &Library, word: &str) {
        self.is_of_library = true;
        let (name, worlds) = match word.split_once('/') {
            Some((name, world)) => (name, Worlds::Named(world)),
            None => (word, Worlds::Of(self.size)),
        };
        let before = (self.jobs.len(), self.complaints.len());
        if matches!(worlds, Worlds::Of(_)) {
            let tables = library.tables.iter().filter(|text| text.name == name);
            self.jobs.extend(tables.cloned().map(Job::Table));
        }
        for text in library.systems.iter().filter(|text| text.name == name) {
            self.system(text, worlds, None);
        }
        if (self.jobs.len(), self.complaints.len()) == before {
            self.complaints.push(match worlds {
                Worlds::Named(_) => library::unknown("system", name, &[&library.systems]),
                Worlds::Of(_) => {
                    let all = [&library.tables[..], &library.systems];
                    library::unknown("table, system or file", name, &all)
                }
            });
        }
    }

    fn file(&mut self, library: &Library, path: &Path) {
        let text = match library::read(path) {
            Ok(text) => text,
            Err(error) => return self.complaints.push(error),
        };
        if lint::is_system(&text) {
            return self.system(&text, Worlds::Of(self.size), None);
        }
        self.jobs.push(Job::Table(text.clone()));
        let Ok(literal) = read::literal(&text.source) else { return };
        let machine = &literal.vocabulary.machine;
        for of in &library.systems {
            let Ok(system) = read::system(&of.source) else { continue };
            if library.known.entry(&system.name).is_some_and(|of| of.runs(machine)) {
                self.system(of, Worlds::Of(self.size), Some(&text));
            }
        }
    }

    /// The worlds of a system.
    fn system(&mut self, text: &Text, worlds: Worlds<'_>, table: Option<&Text>) {
        let system = match read::system(&text.source) {
            Ok(system) => system,
            Err(faults) => {
                return self.jobs.push(Job::Broken { text: text.clone(), faults });
            }
        };
        let before = self.jobs.len();
        for (world, of) in system.worlds.iter().enumerate() {
            let is_meant = match worlds {
                Worlds::Of(size) => of.default == (size == Size::Small),
                Worlds::Named(name) => of.name == name,
            };
            if is_meant && of.default && self.size == Size::Large {
                let name = format!("{}/{}", system.name, of.name);
                return self.complaints.push(format!(
                    "`{name}` is none of the worlds that `--set size=large` means: leave that out"
                ));
            }
            if is_meant {
                let system = Arc::clone(&system);
                self.jobs.push(Job::World { system, world, table: table.cloned() });
            }
        }
        if self.jobs.len() == before {
            let what = match worlds {
                Worlds::Named(name) => format!("world `{name}`"),
                Worlds::Of(Size::Small) => "world that is searched unless it is named".to_owned(),
                Worlds::Of(Size::Large) => "world that `--set size=large` means".to_owned(),
            };
            let known: Vec<&str> = system.worlds.iter().map(|world| world.name.as_str()).collect();
            let (of, known) = (&system.name, known.join(", "));
            self.complaints.push(format!("`{of}` has no {what}; its worlds: {known}"));
        } else if matches!(worlds, Worlds::Of(Size::Small)) {
            self.jobs.push(Job::Whole { worlds: self.jobs.len() - before });
        }
    }
}
