//! What the arguments of `check` ask for: a list of searches, tables before systems.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use turnstile_harness::read;
use turnstile_spec::{Diagnostics, System};

use crate::library::{self, Library, SourceFile};
use crate::lint;

/// One search, or one file that cannot be searched.
#[derive(Clone, Debug)]
pub(super) enum Job {
    /// A table in the environment of its resources.
    Table(SourceFile),
    /// One world of a system.
    World {
        /// The system.
        system: Arc<System>,
        /// The world's place in it.
        world: usize,
        /// A table that runs in it in place of the one it has.
        table: Option<SourceFile>,
    },
    /// The combined result of all default worlds of a system, which precede this job.
    AllWorlds {
        /// How many.
        worlds: usize,
    },
    /// A system whose file does not say what to search.
    Broken {
        /// The system's text.
        text: SourceFile,
        /// What is wrong with it.
        faults: Diagnostics,
    },
}

/// Searches to do.
#[derive(Clone, Debug, Default)]
pub(super) struct CheckPlan {
    /// In order.
    pub(super) jobs: Vec<Job>,
    /// What was asked and is not there.
    pub(super) usage_errors: Vec<String>,
    /// Whether anything comes from the library, not from a file that was named.
    pub(super) uses_library: bool,
    size: Size,
}

/// Which worlds of a system are asked for.
#[derive(Clone, Copy)]
enum WorldSelection<'w> {
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
            Some(other) => return Err(format!("`--set size={other}`: expected small or large")),
        };
        Ok((size, others))
    }
}

/// A key and its value.
type Setting = (String, String);

/// Plans the searches for the names; without names, for everything known here.
pub(super) fn plan(library: &Library, names: &[String], size: Size) -> CheckPlan {
    let mut plan = CheckPlan { size, ..CheckPlan::default() };
    if names.is_empty() {
        plan.uses_library = true;
        plan.jobs.extend(library.tables.iter().cloned().map(Job::Table));
        for text in &library.systems {
            plan.system(text, WorldSelection::Of(size), None);
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

impl CheckPlan {
    /// Complaints of keys that no system of the plan lets anybody set.
    pub(super) fn unknown_settings(&self, settings: &[Setting]) -> Vec<String> {
        let systems = self.jobs.iter().filter_map(|job| match job {
            Job::World { system, .. } => Some(system),
            Job::Table(_) | Job::AllWorlds { .. } | Job::Broken { .. } => None,
        });
        let known: BTreeSet<&str> =
            systems.flat_map(|system| &system.set).map(|setting| &*setting.name).collect();
        let others = settings.iter().filter(|(key, _)| !known.contains(key.as_str()));
        let known = known.iter().copied().chain(["size"]).collect::<Vec<_>>().join(", ");
        let usage_error = |(key, _): &Setting| {
            format!("no system checked here has the setting `{key}`; settings: {known}")
        };
        others.map(usage_error).collect()
    }

    fn name(&mut self, library: &Library, word: &str) {
        self.uses_library = true;
        let (name, worlds) = match word.split_once('/') {
            Some((name, world)) => (name, WorldSelection::Named(world)),
            None => (word, WorldSelection::Of(self.size)),
        };
        let before = (self.jobs.len(), self.usage_errors.len());
        if matches!(worlds, WorldSelection::Of(_)) {
            let tables = library.tables.iter().filter(|text| text.name == name);
            self.jobs.extend(tables.cloned().map(Job::Table));
        }
        for text in library.systems.iter().filter(|text| text.name == name) {
            self.system(text, worlds, None);
        }
        if (self.jobs.len(), self.usage_errors.len()) == before {
            self.usage_errors.push(match worlds {
                WorldSelection::Named(_) => library::unknown("system", name, &[&library.systems]),
                WorldSelection::Of(_) => {
                    let all = [&library.tables[..], &library.systems];
                    library::unknown("table, system or file", name, &all)
                }
            });
        }
    }

    fn file(&mut self, library: &Library, path: &Path) {
        let text = match library::read(path) {
            Ok(text) => text,
            Err(error) => return self.usage_errors.push(error),
        };
        if lint::is_system(&text) {
            return self.system(&text, WorldSelection::Of(self.size), None);
        }
        self.jobs.push(Job::Table(text.clone()));
        let Ok(literal) = read::literal(&text.source) else { return };
        let machine = &literal.vocabulary.machine;
        for of in &library.systems {
            let Ok(system) = read::system(&of.source) else { continue };
            if library.known.entry(&system.name).is_some_and(|of| of.runs(machine)) {
                self.system(of, WorldSelection::Of(self.size), Some(&text));
            }
        }
    }

    /// The worlds of a system.
    fn system(
        &mut self,
        text: &SourceFile,
        worlds: WorldSelection<'_>,
        table: Option<&SourceFile>,
    ) {
        let system = match read::system(&text.source) {
            Ok(system) => system,
            Err(faults) => {
                return self.jobs.push(Job::Broken { text: text.clone(), faults });
            }
        };
        let before = self.jobs.len();
        for (world, of) in system.worlds.iter().enumerate() {
            let is_meant = match worlds {
                WorldSelection::Of(size) => of.default == (size == Size::Small),
                WorldSelection::Named(name) => of.name == name,
            };
            if is_meant && of.default && self.size == Size::Large {
                let name = format!("{}/{}", system.name, of.name);
                return self.usage_errors.push(format!(
                    "`{name}` is not one of the large worlds: omit `--set size=large`"
                ));
            }
            if is_meant {
                let system = Arc::clone(&system);
                self.jobs.push(Job::World { system, world, table: table.cloned() });
            }
        }
        if self.jobs.len() == before {
            let what = match worlds {
                WorldSelection::Named(name) => format!("world `{name}`"),
                WorldSelection::Of(Size::Small) => "default world: name one".to_owned(),
                WorldSelection::Of(Size::Large) => "large world".to_owned(),
            };
            let known: Vec<&str> = system.worlds.iter().map(|world| world.name.as_str()).collect();
            let (of, known) = (&system.name, known.join(", "));
            self.usage_errors.push(format!("`{of}` has no {what}; its worlds: {known}"));
        } else if matches!(worlds, WorldSelection::Of(Size::Small)) {
            self.jobs.push(Job::AllWorlds { worlds: self.jobs.len() - before });
        }
    }
}
