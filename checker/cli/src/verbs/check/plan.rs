//! The searches that the arguments of `check` select, tables before systems.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use turnstile_harness::SourceFile;
use turnstile_spec::System;
use turnstile_spec::system::World;

use crate::library::{self, Library, NamedFile};

/// One search, or one file that cannot be searched.
#[derive(Clone, Debug)]
pub(super) enum Job {
    /// A table in the environment of its resources.
    Table(Arc<SourceFile>),
    /// One world of a system.
    World {
        /// Its file.
        file: Arc<SourceFile>,
        /// The system.
        system: Arc<System>,
        /// The world's place in it.
        world: usize,
        /// A table that runs in it in place of the one it has.
        table: Option<Arc<SourceFile>>,
    },
    /// The combined result of all default worlds of a system, which precede this job.
    AllWorlds {
        /// How many.
        worlds: usize,
    },
    /// A system whose file has errors.
    Broken(Arc<SourceFile>),
}

/// Searches to do.
#[derive(Clone, Debug, Default)]
pub(super) struct CheckPlan {
    /// In order.
    pub(super) jobs: Vec<Job>,
    /// Errors in the arguments.
    pub(super) usage_errors: Vec<String>,
    /// Whether a table or system comes from the library, not from a file that was named.
    pub(super) uses_library: bool,
    /// The worlds with `default: false` that were left out, as `SYSTEM/WORLD`.
    pub(super) not_run: BTreeSet<String>,
    size: Size,
}

/// The worlds of a system to search.
#[derive(Clone, Copy)]
enum WorldSelection<'w> {
    /// Those that the file searches where none is named, or those that it sets apart as large.
    Of(Size),
    /// These, by name: at least one of them must be a world of the system.
    Named(&'w [String]),
}

impl WorldSelection<'_> {
    /// Whether a world is selected.
    fn has(self, world: &World) -> bool {
        match self {
            Self::Of(size) => world.default == (size == Size::Small),
            Self::Named(names) => names.contains(&world.name),
        }
    }
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

/// Plans the searches for the names; without names, for everything known here. `worlds`: those of
/// `--world`, if any; then only worlds of systems are searched.
pub(super) fn plan(
    library: &Library,
    names: &[String],
    worlds: &[String],
    size: Size,
) -> CheckPlan {
    let mut plan = CheckPlan { size, ..CheckPlan::default() };
    let selection =
        if worlds.is_empty() { WorldSelection::Of(size) } else { WorldSelection::Named(worlds) };
    if names.is_empty() {
        plan.everything(library, selection);
    }
    for (nth, name) in names.iter().enumerate() {
        if names[..nth].contains(name) {
            continue;
        }
        if library.is_file(name) {
            plan.file(library, Path::new(name), selection);
        } else {
            plan.name(library, name, selection);
        }
    }
    if plan.usage_errors.is_empty() {
        plan.usage_errors = plan.unknown_worlds(worlds);
    }
    for job in &plan.jobs {
        if let Job::World { system, world, .. } = job {
            plan.not_run.remove(&format!("{}/{}", system.name, system.worlds[*world].name));
        }
    }
    plan
}

impl CheckPlan {
    /// Complaints of keys that no system of the plan lets anybody set.
    pub(super) fn unknown_settings(&self, settings: &[Setting]) -> Vec<String> {
        let systems = self.jobs.iter().filter_map(|job| match job {
            Job::World { system, .. } => Some(system),
            Job::Table(_) | Job::AllWorlds { .. } | Job::Broken(_) => None,
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

    /// Everything known here, or the selected worlds of the systems that have one.
    fn everything(&mut self, library: &Library, worlds: WorldSelection<'_>) {
        self.uses_library = true;
        let is_named = matches!(worlds, WorldSelection::Named(_));
        if !is_named {
            self.jobs.extend(library.tables.iter().map(|one| Job::Table(Arc::clone(&one.file))));
        }
        for one in &library.systems {
            let is_without = |system: &System| !system.worlds.iter().any(|one| worlds.has(one));
            if !is_named || !one.file.system().is_ok_and(|system| is_without(system)) {
                self.system(&one.file, worlds, None);
            }
        }
    }

    /// Keeps the searches that run a table, which runs as it is here.
    pub(super) fn search_in_reading(
        &mut self,
        of: &Arc<SourceFile>,
        is_meant: impl Fn(&Job) -> bool,
    ) {
        let mut is_kept = false;
        self.jobs.retain_mut(|job| {
            // What combines worlds stands behind them.
            if !matches!(job, Job::AllWorlds { .. }) {
                is_kept = is_meant(job);
            }
            match job {
                Job::Table(file) => file.clone_from(of),
                Job::World { table, .. } => *table = Some(Arc::clone(of)),
                Job::AllWorlds { .. } | Job::Broken(_) => {}
            }
            is_kept
        });
    }

    /// Whether all default worlds of a system are searched.
    pub(super) fn searches_all_of(&self, name: &str) -> bool {
        self.jobs.windows(2).any(|jobs| match jobs {
            [Job::World { system, .. }, Job::AllWorlds { .. }] => system.name == name,
            _ => false,
        })
    }

    fn name(&mut self, library: &Library, word: &str, worlds: WorldSelection<'_>) {
        self.uses_library = true;
        let (name, world) = match word.split_once('/') {
            Some((name, world)) => (name, Some([world.to_owned()])),
            None => (word, None),
        };
        if matches!((&world, worlds), (Some(_), WorldSelection::Named(_))) {
            let what = format!("`{word}` names its world: omit the world or `--world`");
            return self.usage_errors.push(what);
        }
        let is_of_world = world.is_some();
        let worlds = world.as_ref().map_or(worlds, |world| WorldSelection::Named(world));
        let before = (self.jobs.len(), self.usage_errors.len());
        let is_named = matches!(worlds, WorldSelection::Named(_));
        if !is_named {
            let tables = library.tables.iter().filter(|one| one.file.name == name);
            self.jobs.extend(tables.map(|one| Job::Table(Arc::clone(&one.file))));
        }
        // `--world` of a table: that of each system whose cores run it.
        let runs = |file: &SourceFile| {
            is_named
                && !is_of_world
                && library.known.entry(&file.name).is_some_and(|of| of.runs(name))
        };
        let systems = library.systems.iter().map(|one| &one.file);
        for file in systems.filter(|file| file.name == name || runs(file)) {
            self.system(file, worlds, None);
        }
        if (self.jobs.len(), self.usage_errors.len()) == before {
            self.usage_errors.push(if is_of_world {
                library::unknown("system", name, &[&library.systems])
            } else {
                let all = [&library.tables[..], &library.systems];
                library::unknown("table, system or file", name, &all)
            });
        }
    }

    fn file(&mut self, library: &Library, path: &Path, worlds: WorldSelection<'_>) {
        let file = match library.files.read(path) {
            Ok(file) => file,
            Err(error) => return self.usage_errors.push(error),
        };
        if file.is_system() {
            return self.system(&file, worlds, None);
        }
        let literal = file.written();
        let is_named = matches!(worlds, WorldSelection::Named(_));
        // A table that cannot be read is reported at the table level.
        if !is_named || literal.is_err() {
            self.jobs.push(Job::Table(Arc::clone(&file)));
        }
        let Ok(literal) = literal else { return };
        let machine = &literal.vocabulary.machine;
        let mut is_run = false;
        for NamedFile { file: of, .. } in &library.systems {
            let Ok(system) = of.system() else { continue };
            if library.known.entry(&system.name).is_some_and(|of| of.runs(machine)) {
                self.system(of, worlds, Some(&file));
                is_run = true;
            }
        }
        if is_named && !is_run {
            let name = &file.source.name;
            let what = format!("no system runs the machine `{machine}` of {name}: omit `--world`");
            self.usage_errors.push(what);
        }
    }

    /// Usage errors of names after `--world` that no system of the plan has.
    fn unknown_worlds(&self, names: &[String]) -> Vec<String> {
        let mut systems: Vec<&Arc<System>> = Vec::new();
        let mut searched = BTreeSet::new();
        for job in &self.jobs {
            let Job::World { system, world, .. } = job else { continue };
            searched.insert(system.worlds[*world].name.as_str());
            if systems.last().is_none_or(|last| last.name != system.name) {
                systems.push(system);
            }
        }
        let known = systems.iter().map(|of| format!("; worlds of {}: {}", of.name, worlds_of(of)));
        let known = match (self.jobs.is_empty(), systems.is_empty()) {
            (true, _) => "; `turnstile list` has the worlds".to_owned(),
            // Only files with errors, which are reported.
            (false, true) => return Vec::new(),
            (false, false) => known.collect(),
        };
        let unknown = names.iter().filter(|name| !searched.contains(name.as_str()));
        unknown.map(|name| format!("no system has a world `{name}`{known}")).collect()
    }

    /// The worlds of a system.
    fn system(
        &mut self,
        file: &Arc<SourceFile>,
        worlds: WorldSelection<'_>,
        table: Option<&Arc<SourceFile>>,
    ) {
        let Ok(system) = file.system() else {
            return self.jobs.push(Job::Broken(Arc::clone(file)));
        };
        let before = self.jobs.len();
        if matches!(worlds, WorldSelection::Of(Size::Small)) {
            let large = system.worlds.iter().filter(|world| !world.default);
            self.not_run.extend(large.map(|world| format!("{}/{}", system.name, world.name)));
        }
        for (world, of) in system.worlds.iter().enumerate() {
            let is_meant = worlds.has(of);
            if is_meant && of.default && self.size == Size::Large {
                let name = format!("{}/{}", system.name, of.name);
                return self.usage_errors.push(format!(
                    "`{name}` is not one of the large worlds: omit `--set size=large`"
                ));
            }
            if is_meant {
                let (file, system) = (Arc::clone(file), Arc::clone(system));
                self.jobs.push(Job::World { file, system, world, table: table.cloned() });
            }
        }
        if self.jobs.len() == before {
            let what = match worlds {
                WorldSelection::Named(names) => format!("world `{}`", names.join("` or `")),
                WorldSelection::Of(Size::Small) => "default world: name one".to_owned(),
                WorldSelection::Of(Size::Large) => "large world".to_owned(),
            };
            let (of, known) = (&system.name, worlds_of(system));
            self.usage_errors.push(format!("`{of}` has no {what}; its worlds: {known}"));
        } else if matches!(worlds, WorldSelection::Of(Size::Small)) {
            self.jobs.push(Job::AllWorlds { worlds: self.jobs.len() - before });
        }
    }
}

/// The names of a system's worlds.
fn worlds_of(system: &System) -> String {
    let names: Vec<&str> = system.worlds.iter().map(|world| world.name.as_str()).collect();
    names.join(", ")
}
