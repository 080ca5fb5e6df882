//! What the arguments of `check` ask for: a list of searches, tables before systems.

use std::path::Path;

use crate::cli::library::{self, Library, Text};

/// One search, or one file that cannot be searched.
#[derive(Clone, Debug)]
pub(super) enum Job {
    /// A table in the environment of its resources.
    Table(Text),
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
}

/// Plans the searches for the names; without names, for everything known here.
pub(super) fn plan(library: &Library, names: &[String]) -> Plan {
    let mut plan = Plan::default();
    if names.is_empty() {
        plan.is_of_library = true;
        plan.jobs.extend(library.tables.iter().cloned().map(Job::Table));
    }
    for name in names {
        if is_file(library, name) {
            plan.file(Path::new(name));
        } else {
            plan.name(library, name);
        }
    }
    plan
}

/// Whether a word of the command line means a file: by its ending, or because it is one and no
/// name says the same.
fn is_file(library: &Library, word: &str) -> bool {
    let path = Path::new(word);
    let is_yaml = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
    let (name, _) = word.split_once('/').unwrap_or((word, ""));
    let all = library.tables.iter().chain(&library.systems);
    let is_known = all.into_iter().any(|text| text.name == name);
    is_yaml || (!is_known && path.exists())
}

impl Plan {
    fn name(&mut self, library: &Library, word: &str) {
        let (name, world) = match word.split_once('/') {
            Some((name, world)) => (name, Some(world.to_owned())),
            None => (word, None),
        };
        let before = self.jobs.len();
        if world.is_none() {
            let tables = library.tables.iter().filter(|text| text.name == name);
            self.jobs.extend(tables.cloned().map(Job::Table));
        }
        self.is_of_library = true;
        if self.jobs.len() == before {
            let all = library.tables.iter().chain(&library.systems);
            let mut known: Vec<&str> = all.map(|text| text.name.as_str()).collect();
            known.sort_unstable();
            known.dedup();
            let known = known.join(", ");
            let what = if world.is_some() { "system" } else { "table, system or file" };
            self.complaints.push(format!("no {what} is called {name}; known here: {known}"));
        }
    }

    fn file(&mut self, path: &Path) {
        let text = match library::read(path) {
            Ok(text) => text,
            Err(error) => return self.complaints.push(error),
        };
        self.jobs.push(Job::Table(text));
    }
}
