//! `check --watch`: checks again whenever a file changes, and says what changed: verdicts, and the
//! rows that were touched.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use turnstile_harness::SourceFile;
use turnstile_harness::results::fault::FaultReport;
use turnstile_harness::results::result::ResultReport;
use turnstile_harness::results::status::Status;
use turnstile_spec::table::RowSource;

use crate::files::Files;
use crate::output::{self, usage_error, write_stdout};
use crate::terminal;

/// An editor writes a file in several steps: a change is complete when nothing has come for this
/// long.
const QUIET: Duration = Duration::from_millis(50);
/// The time between two looks for an interrupt.
const POLL: Duration = Duration::from_millis(200);
/// Clears a terminal, and puts the cursor into its first line.
const CLEAR: &str = "\x1b[2J\x1b[3J\x1b[H";

/// Checks what is named until it is interrupted; the status is that of the last check.
pub(super) fn watch(
    named: &[String],
    check: impl Fn(&Arc<Files>) -> (Status, Vec<ResultReport>),
) -> Status {
    let (told, changes) = channel();
    let watcher = notify::recommended_watcher(move |event| {
        // The receiver is gone once this function returns.
        let _ = told.send(event);
    });
    let mut watcher = match watcher {
        Ok(watcher) => watcher,
        Err(error) => return usage_error(&format!("cannot watch files: {error}")),
    };
    let mut watched = BTreeSet::new();
    // A change while the first check runs must not be missed.
    if let Err(status) = add(&mut watcher, &mut watched, &Seen::of(&[], named, &Files::default())) {
        return status;
    }
    let mut last: Option<Seen> = None;
    loop {
        if std::io::stdout().is_terminal() {
            write_stdout(CLEAR);
        }
        let files = Arc::default();
        let (status, results) = check(&files);
        let seen = Seen::of(&results, named, &files);
        if seen.files.is_empty() {
            // An editor may remove a file before it writes it again.
            if last.is_some() && !output::is_unread() && is_changed(&changes) {
                continue;
            }
            return status.and(usage_error("`--watch` needs a file that exists: name one"));
        }
        if let Some(last) = &last {
            write_stdout(&seen.changes(last));
        }
        if let Err(status) = add(&mut watcher, &mut watched, &seen) {
            return status;
        }
        let names: Vec<&str> = seen.files.keys().map(String::as_str).collect();
        write_stdout(&format!("watching {}\n", names.join(", ")));
        if output::is_unread() || !is_changed(&changes) {
            return status;
        }
        last = Some(seen);
    }
}

/// Watches the folders of files: an editor may replace a file by another.
fn add(
    watcher: &mut RecommendedWatcher,
    watched: &mut BTreeSet<PathBuf>,
    seen: &Seen,
) -> Result<(), Status> {
    for folder in seen.folders() {
        if watched.insert(folder.clone()) {
            watcher.watch(&folder, RecursiveMode::NonRecursive).map_err(|error| {
                usage_error(&format!("cannot watch {}: {error}", folder.display()))
            })?;
        }
    }
    Ok(())
}

/// Waits for a change of a table or system that is complete; false if the user interrupts.
fn is_changed(changes: &Receiver<notify::Result<Event>>) -> bool {
    let is_meant = |event: &Event| {
        let mut endings = event.paths.iter().filter_map(|path| path.extension());
        !matches!(event.kind, EventKind::Access(_))
            && endings.any(|ending| ending == "yaml" || ending == "yml")
    };
    loop {
        if terminal::is_stopped() {
            return false;
        }
        match changes.recv_timeout(POLL) {
            // Events may be lost, which the system reports as an error.
            Ok(event) if event.as_ref().is_ok_and(|event| !is_meant(event)) => {}
            Ok(_) => {
                while changes.recv_timeout(QUIET).is_ok() {}
                return true;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}

/// What a check has seen: its files, and its verdicts.
struct Seen {
    files: BTreeMap<String, Arc<SourceFile>>,
    /// By table or world: whether it has errors; and by property of it, its verdict.
    verdicts: BTreeMap<(String, Option<String>), &'static str>,
}

impl Seen {
    fn of(results: &[ResultReport], named: &[String], files: &Files) -> Self {
        let reported = results.iter().flat_map(|result| &result.notes.files);
        let faulty = results.iter().flat_map(|result| &result.faults).map(|fault| &fault.file);
        let mut all: BTreeSet<String> =
            named.iter().chain(reported).chain(faulty).cloned().collect();
        // An error keeps a system from naming its tables, and may be in one of them.
        let beside: Vec<String> = all.iter().flat_map(|name| files.tables_of(name)).collect();
        all.extend(beside);
        let read = |name: String| {
            let file = files.read(Path::new(&name)).ok()?;
            Some((name, file))
        };
        let mut verdicts = BTreeMap::new();
        for result in results {
            let of = match &result.world {
                Some(world) => format!("{}/{world}", result.name),
                None => result.name.clone(),
            };
            let has_errors = result.faults.iter().any(FaultReport::is_error);
            let state = if has_errors { "has errors" } else { "is checked" };
            verdicts.insert((of.clone(), None), state);
            for property in &result.properties {
                let name = Some(property.name.clone());
                verdicts.insert((of.clone(), name), property.verdict.name());
            }
        }
        Self { files: all.into_iter().filter_map(read).collect(), verdicts }
    }

    /// The folders of its files.
    fn folders(&self) -> BTreeSet<PathBuf> {
        let folder = |name: &String| match Path::new(name).parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            Some(_) | None => PathBuf::from("."),
        };
        self.files.keys().map(folder).collect()
    }

    /// What changed since the last check.
    fn changes(&self, last: &Self) -> String {
        let paint = terminal::paint();
        let mut text = format!("{}\n", paint.dim("since the last check"));
        let begun = text.len();
        for (name, new) in &self.files {
            match last.files.get(name) {
                Some(old) if old.source.text == new.source.text => {}
                Some(old) => {
                    let rows = touched(old, new);
                    let rows = if rows.is_empty() { String::new() } else { format!(": {rows}") };
                    let _ = writeln!(text, "  {name} changed{rows}");
                }
                None => {
                    let _ = writeln!(text, "  {name} is new");
                }
            }
        }
        // What has errors names no files.
        let gone = last.files.keys().filter(|name| !Path::new(name).exists());
        gone.for_each(|name| {
            let _ = writeln!(text, "  {name} is gone");
        });
        let names: BTreeSet<_> = last.verdicts.keys().chain(self.verdicts.keys()).collect();
        for name in names {
            let (of, property) = name;
            let verdict = |seen: &Self| seen.verdicts.get(name).copied();
            let is_whole = |seen: &Self| {
                seen.verdicts.get(&(of.clone(), None)).is_some_and(|state| *state == "is checked")
            };
            let (old, new) = (verdict(last), verdict(self));
            // What has errors has no verdicts.
            let is_told = property.is_none() || is_whole(last) && is_whole(self);
            if old != new && is_told {
                let property = property.as_ref().map_or(String::new(), |name| format!(": {name}"));
                let [old, new] = [old, new].map(|verdict| verdict.unwrap_or("not checked"));
                let _ = writeln!(text, "  {of}{property}: {old} → {new}");
            }
        }
        if text.len() == begun {
            text.push_str("  nothing changed\n");
        }
        text
    }
}

/// The rows that differ between two texts of a table: `row r3, row r5 (new), row r7 (gone)`. A row
/// that has only moved does not differ.
fn touched(old: &SourceFile, new: &SourceFile) -> String {
    let rows = |file: &SourceFile| -> Option<BTreeMap<String, String>> {
        let read = file.written().ok()?;
        let words = |row: &RowSource| {
            let RowSource { from, to, event, guard, actions, .. } = row;
            (row.id.clone(), format!("{from} → {to} on {event} if {guard} do {actions:?}"))
        };
        Some(read.vocabulary.rows.iter().map(words).collect())
    };
    let (Some(old), Some(new)) = (rows(old), rows(new)) else { return String::new() };
    let is_in = |rows: &BTreeMap<String, String>, row: &str| rows.values().any(|one| one == row);
    let gone: BTreeSet<&String> =
        old.iter().filter(|(_, row)| !is_in(&new, row)).map(|(id, _)| id).collect();
    let fresh: BTreeSet<&String> =
        new.iter().filter(|(_, row)| !is_in(&old, row)).map(|(id, _)| id).collect();
    let touched = gone.union(&fresh).map(|id| match (gone.contains(id), fresh.contains(id)) {
        (true, true) => format!("row {id}"),
        (false, _) => format!("row {id} (new)"),
        (true, false) => format!("row {id} (gone)"),
    });
    touched.collect::<Vec<_>>().join(", ")
}
