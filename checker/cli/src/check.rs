//! `turnstile check`: searches to the end, or says where it stopped.
//!
//! What is asked becomes a plan of searches. Each is reported as soon as it and those before it
//! are done, and the files for other programs are written when all are.

mod beside;
mod plan;
mod queue;
mod search;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use turnstile_harness::Systems;
use turnstile_harness::check::Search;
use turnstile_harness::options::Options;
use turnstile_harness::result::{Report, ResultReport};
use turnstile_harness::status::Status;
use turnstile_search::bounds::Reductions;

use crate::report::{junit, sarif, summary, text};

use crate::report::paint::Paint;

use super::bounds::Bounds;
use super::library::Library;
use super::output::{self, complain, put};
use super::terminal::{self, Line};

/// What the exit status says, for `--help`.
pub(super) const STATUSES: &str = "Exit status: 0 everything asked holds and was searched to the \
     end; 1 a property fails or a file has an error; 2 bad usage or unreadable input; \
     3 a search was cut. 2 goes before 1 before 3.";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A table or a system, one world of a system, or a file
    #[arg(value_name = "NAME|NAME/WORLD|FILE")]
    names: Vec<String>,
    /// Run the tables as their documents have them, amendments left out
    #[arg(long)]
    as_written: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write the results as JUnit XML, too
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the results as SARIF, too
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    #[command(flatten)]
    bounds: Bounds,
    /// Change what a system may have changed: clients=3, size=large
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    set: Vec<(String, String)>,
    /// The engine that searches systems
    #[arg(long, value_name = "ENGINE", default_value = "interned", value_parser = engine)]
    engine: Engine,
    /// Reductions where they are sound: none, or of dead, symmetry, loss [default: all]
    #[arg(long, value_name = "LIST", value_parser = reductions)]
    reduce: Option<Reductions>,
}

/// Plans, searches, reports.
pub(crate) fn run(arguments: &Arguments, systems: Systems) -> Status {
    let begun = Instant::now();
    if let (Engine::Stateright, Some(Reductions { dead, symmetry, loss })) =
        (arguments.engine, arguments.reduce)
        && (dead || symmetry || loss)
    {
        return complain("`--engine stateright` leaves nothing out: `--reduce none`, or leave it");
    }
    let library = match Library::load(systems) {
        Ok(library) => library,
        Err(error) => return complain(&error),
    };
    if let Some(clash) = clash(arguments, &library) {
        return complain(&clash);
    }
    let (size, set) = match plan::Size::of(&arguments.set) {
        Ok(settings) => settings,
        Err(error) => return complain(&error),
    };
    let plan = plan::plan(&library, &arguments.names, size);
    let mut status =
        plan.complaints.iter().map(|what| complain(what)).fold(Status::Holds, Status::and);
    let unknown = plan.unknown_settings(&set);
    unknown.iter().for_each(|what| status = status.and(complain(what)));
    if status != Status::Holds && (plan.jobs.is_empty() || !unknown.is_empty()) {
        return status;
    }
    terminal::stop_on_interrupt();
    let line = Line::new();
    let options = Options { set, ..options(arguments, begun, &line) };
    let paint = terminal::paint();
    if !arguments.json
        && let Some(remark) = library.remark().filter(|_| plan.is_of_library)
    {
        status = status.and(put(&format!("{}\n\n", paint.dim(&remark))));
    }
    let tells = (!arguments.json).then_some(paint);
    let is_written = arguments.junit.is_some() || arguments.sarif.is_some();
    let (results, ended) =
        search_all(&plan.jobs, (&library, arguments.engine), &options, (&line, tells, is_written));
    status = status.and(ended);
    if !arguments.json && !results.is_empty() {
        status = status.and(put(&summary::summary(&results, paint)));
    }
    status = results.iter().map(Status::of).fold(status, Status::and);
    status.and(deliver(arguments, results))
}

/// Why the files to write cannot be written: two of them are one, or one is read.
fn clash(arguments: &Arguments, library: &Library) -> Option<String> {
    let outputs = [("--junit", &arguments.junit), ("--sarif", &arguments.sarif)];
    let outputs = outputs.map(|(option, path)| (option, path.as_deref()));
    let tables = library.tables.iter().chain(&library.systems);
    let read: Vec<&Path> = arguments
        .names
        .iter()
        .filter(|name| library.is_file(name))
        .map(String::as_str)
        .chain(tables.map(|text| text.source.name.as_str()))
        .map(Path::new)
        .collect();
    if let [(_, Some(junit)), (_, Some(sarif))] = outputs
        && output::is_same_file(junit, sarif)
    {
        let name = junit.display();
        return Some(format!("`--junit` and `--sarif` both mean {name}: give each a file"));
    }
    outputs.iter().find_map(|(option, path)| {
        let path = path.filter(|path| read.iter().any(|read| output::is_same_file(path, read)))?;
        let name = path.display();
        Some(format!("`{option} {name}` would write over a table that is read: name another file"))
    })
}

/// Does the jobs and tells each result in the order of the plan; the status is of what went wrong
/// beside them. Files are written when all is done, whether or not anybody reads the terminal.
fn search_all(
    jobs: &[plan::Job],
    (library, engine): (&Library, Engine),
    options: &Options<'_>,
    (line, tells, is_written): (&Line, Option<Paint>, bool),
) -> (Vec<ResultReport>, Status) {
    let mut status = Status::Holds;
    let mut results: Vec<ResultReport> = Vec::new();
    let mut said = BTreeSet::new();
    let search = |job: &plan::Job, options: &Options<'_>| {
        search::search(job, library, engine.search(), options)
    };
    let is_alone = engine == Engine::Stateright;
    queue::run(jobs, (options, line, is_alone), search, |nth, done| {
        if output::is_unread() && !is_written {
            return ControlFlow::Break(());
        }
        // The one that was interrupted says so; those after it would only say it again.
        let Some(done) = done else {
            status = status.and(tells.map_or(Status::Holds, |paint| left_out(&jobs[nth..], paint)));
            return ControlFlow::Break(());
        };
        let done = if let plan::Job::Whole { worlds } = jobs[nth] {
            Ok(search::whole(&results, worlds, options))
        } else {
            done
        };
        match done {
            Ok(None) => {}
            // What is wrong with a system's files is wrong in each of its worlds: told once.
            Ok(Some(result)) if results.last().is_some_and(|last| is_again(last, &result)) => {}
            Ok(Some(result)) => {
                if let Some(paint) = tells {
                    let text = text::result(&result, paint);
                    status = status.and(line.without(|| put(&text)));
                }
                results.push(result);
            }
            // What no world of a system takes is told once, too.
            Err(usage) if said.contains(&usage) => {}
            Err(usage) => {
                status = status.and(line.without(|| complain(&usage)));
                said.insert(usage);
            }
        }
        ControlFlow::Continue(())
    });
    (results, status)
}

/// Says how many searches an interrupt leaves out.
fn left_out(jobs: &[plan::Job], paint: Paint) -> Status {
    let is_search = |job: &&plan::Job| !matches!(job, plan::Job::Whole { .. });
    match jobs.iter().filter(is_search).count() {
        0 => Status::Holds,
        1 => put(&format!("{}\n\n", paint.open("1 more search did not begin"))),
        many => put(&format!("{}\n\n", paint.open(&format!("{many} more searches did not begin")))),
    }
}

/// Whether two results are the same faults and nothing else.
fn is_again(last: &ResultReport, next: &ResultReport) -> bool {
    let is_faulty = !next.faults.is_empty() && next.properties.is_empty();
    is_faulty && (last.kind, &last.name, &last.faults) == (next.kind, &next.name, &next.faults)
}

/// Writes what other programs read.
fn deliver(arguments: &Arguments, results: Vec<ResultReport>) -> Status {
    let mut status = Status::Holds;
    if let Some(path) = &arguments.junit {
        status = status.and(output::save(path, &junit::write(&results)));
    }
    if let Some(path) = &arguments.sarif {
        status = status.and(output::save(path, &sarif::write(&results)));
    }
    if arguments.json {
        status = status.and(put(&output::json(&Report::new(results))));
    }
    status
}

fn options<'a>(arguments: &Arguments, begun: Instant, line: &'a Line) -> Options<'a> {
    let options = arguments.bounds.options(begun, line);
    let limits = options.limits;
    Options {
        limits: if arguments.as_written { limits.as_written() } else { limits },
        as_written: arguments.as_written,
        reduce: arguments.reduce.unwrap_or(Reductions::ALL),
        ..options
    }
}

/// `clients=3`.
fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("KEY=VALUE, as clients=3".to_owned()),
    }
}

/// What searches systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Engine {
    /// Our own: interned parts, memoised steps.
    Interned,
    /// Stateright's breadth-first search over the same World: the reference.
    Stateright,
}

impl Engine {
    fn search(self) -> Search {
        match self {
            Self::Interned => turnstile_harness::check::check,
            Self::Stateright => turnstile_reference::check,
        }
    }
}

fn engine(text: &str) -> Result<Engine, String> {
    match text {
        "interned" => Ok(Engine::Interned),
        "stateright" => Ok(Engine::Stateright),
        _ => Err("stateright or interned".to_owned()),
    }
}

fn reductions(text: &str) -> Result<Reductions, String> {
    let mut reductions = Reductions::NONE;
    if text == "none" {
        return Ok(reductions);
    }
    for word in text.split(',') {
        match word {
            "dead" => reductions.dead = true,
            "symmetry" => reductions.symmetry = true,
            "loss" => reductions.loss = true,
            _ => return Err("none, or of dead, symmetry and loss with commas".to_owned()),
        }
    }
    Ok(reductions)
}
