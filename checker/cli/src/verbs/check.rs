//! `turnstile check`: model-checks tables and systems, exhaustively or up to a bound.
//!
//! The arguments become a plan of searches. Each is reported as soon as it and those before it
//! are done; the JUnit and SARIF files are written when all are.

mod engine;
mod plan;
mod queue;
mod reading;
mod search;
mod shared_progress;
mod simulation;
mod watch;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use turnstile_harness::Systems;
use turnstile_harness::options::Options;
use turnstile_harness::results::result::{Report, ResultReport};
use turnstile_harness::results::status::Status;
use turnstile_search::bounds::Reductions;

use crate::report::{junit, sarif, summary, text};

use crate::report::paint::Paint;
use crate::report::text::Detail;

use crate::verbs::check::engine::{Engine, engine, reductions, setting};
use crate::verbs::check::simulation::Simulation;

use crate::bounds::Bounds;
use crate::counterexample;
use crate::files::Files;
use crate::library::Library;
use crate::output::{self, usage_error, write_stdout};
use crate::terminal::{self, ProgressLine};

/// What says nothing of a reading, or cannot read a table so.
const WITHOUT_READING: [&str; 6] = ["as_written", "trace", "watch", "json", "junit", "sarif"];

/// The exit statuses, for `--help`.
pub(crate) const STATUSES: &str = "\
Exit status:
  0  every property holds, searched exhaustively
  1  a property fails or is vacuous, or a file has an error
  2  bad usage, or unreadable input
  3  a search was truncated
If several apply: 2, then 1, then 3.

`seconds` in JSON is the wall time of one search; searches may run in parallel. The last line of
the text has the wall time of the command.";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Tables, systems, single worlds or files [default: everything bundled]
    #[arg(value_name = "NAME|NAME/WORLD|FILE")]
    names: Vec<String>,
    /// Check only this world of each system; may be given several times
    #[arg(long = "world", value_name = "WORLD")]
    worlds: Vec<String>,
    /// Check the tables as their documents have them, without the amendments; a search stops after
    /// 1000000 states, or at `--max-states`
    #[arg(long)]
    as_written: bool,
    /// Check a table in this of its `readings`: what else its document may mean. The verdicts that
    /// differ must be those that the reading names
    #[arg(long, value_name = "ID", conflicts_with_all = WITHOUT_READING)]
    reading: Option<String>,
    /// Check again whenever a file changes, until interrupted, and say what changed
    #[arg(long, conflicts_with_all = ["json", "junit", "sarif", "trace"])]
    watch: bool,
    /// Print each property's sentence, its fairness assumptions and the figures, too
    #[arg(long, conflicts_with = "json")]
    verbose: bool,
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
    /// Override a setting of a system: clients=3, size=large
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    set: Vec<(String, String)>,
    /// Search engine for systems: interned or stateright
    #[arg(long, value_name = "ENGINE", default_value = "interned", value_parser = engine)]
    engine: Engine,
    #[command(flatten)]
    simulation: Simulation,
    /// Write each counterexample as JSON Lines, for `turnstile replay`
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Reductions to apply where sound: none, or a list of dead, symmetry, loss [default: all]
    #[arg(long, value_name = "LIST", value_parser = reductions)]
    reduce: Option<Reductions>,
}

/// Plans the searches, runs them and reports their results.
pub(crate) fn run(arguments: &Arguments, systems: &Systems) -> Status {
    terminal::stop_on_interrupt();
    if arguments.watch {
        watch::watch(&arguments.names, |files| once(arguments, systems, files))
    } else {
        once(arguments, systems, &Arc::default()).0
    }
}

/// One check, which reads these files: its status and its results.
fn once(
    arguments: &Arguments,
    systems: &Systems,
    files: &Arc<Files>,
) -> (Status, Vec<ResultReport>) {
    let refused = |what: &str| (usage_error(what), Vec::new());
    let begun = Instant::now();
    if let Some(clash) = clash_of_engine(arguments) {
        return refused(clash);
    }
    let library = match Library::load(systems, Arc::clone(files)) {
        Ok(library) => library,
        Err(error) => return refused(&error),
    };
    if let Some(clash) = clash(arguments, &library) {
        return refused(&clash);
    }
    let (size, set) = match plan::Size::of(&arguments.set) {
        Ok(settings) => settings,
        Err(error) => return refused(&error),
    };
    let mut plan = plan::plan(&library, &arguments.names, &arguments.worlds, size);
    let reading = match reading::chosen(arguments.reading.as_deref(), &mut plan, &library) {
        Ok(reading) => reading,
        Err(status) => return (status, Vec::new()),
    };
    let mut status =
        plan.usage_errors.iter().map(|what| usage_error(what)).fold(Status::Holds, Status::and);
    let unknown = plan.unknown_settings(&set);
    unknown.iter().for_each(|what| status = status.and(usage_error(what)));
    if status != Status::Holds && (plan.jobs.is_empty() || !unknown.is_empty()) {
        return (status, Vec::new());
    }
    let line = ProgressLine::new();
    let options = Options { set, ..options(arguments, begun, &line) };
    let paint = terminal::paint();
    if !arguments.json
        && let Some(origin_note) = library.origin_note().filter(|_| plan.uses_library)
    {
        status = status.and(write_stdout(&format!("{}\n\n", paint.dim(&origin_note))));
    }
    let detail = Detail::of(arguments.verbose);
    let tells = (!arguments.json).then_some((paint, detail));
    let files = [&arguments.junit, &arguments.sarif, &arguments.trace];
    let is_written = files.into_iter().any(Option::is_some);
    let (results, ended) =
        search_all(&plan.jobs, (&library, arguments.engine), &options, (&line, tells, is_written));
    status = status.and(ended);
    if !arguments.json && !results.is_empty() {
        let text = summary::not_run(&plan.not_run, paint)
            + &summary::summary(&results, begun.elapsed(), paint);
        status = status.and(write_stdout(&text));
    }
    let search = |job: &plan::Job| alone(job, (&library, arguments.engine), &options);
    status = status.and(match &reading {
        Some(reading) => reading.tell(&results, &plan, &search, paint),
        None => results.iter().map(Status::of).fold(Status::Holds, Status::and),
    });
    (status.and(deliver(arguments, &results, &library, &options)), results)
}

/// The result of one search, if it can be done.
fn alone(
    job: &plan::Job,
    (library, engine): (&Library, Engine),
    options: &Options<'_>,
) -> Option<ResultReport> {
    search::search(job, library, engine.search(), options).ok().flatten()
}

/// Why the engine cannot do what is asked of it.
fn clash_of_engine(arguments: &Arguments) -> Option<&'static str> {
    let reduces = arguments
        .reduce
        .is_some_and(|Reductions { dead, symmetry, loss }| dead || symmetry || loss);
    match arguments.engine {
        Engine::Stateright if reduces => {
            Some("`--engine stateright` has no reductions: use `--reduce none` or omit `--reduce`")
        }
        Engine::Stateright if arguments.simulation.walks().is_some() => {
            Some("`--simulate` walks with the engine interned: omit `--engine`")
        }
        Engine::Stateright | Engine::Interned => None,
    }
}

/// Why the output files cannot be written: two are the same, or one of them is an input.
fn clash(arguments: &Arguments, library: &Library) -> Option<String> {
    let outputs = [
        ("--junit", &arguments.junit),
        ("--sarif", &arguments.sarif),
        ("--trace", &arguments.trace),
    ];
    let outputs: Vec<(&str, &Path)> =
        outputs.iter().filter_map(|(option, path)| Some((*option, path.as_deref()?))).collect();
    if outputs.is_empty() {
        return None;
    }
    let tables = library.tables.iter().chain(&library.systems);
    let named = arguments.names.iter().filter(|name| library.is_file(name));
    let beside = named.clone().flat_map(|name| library.files.tables_of(name));
    let read: Vec<PathBuf> = named
        .cloned()
        .chain(beside)
        .chain(tables.map(|one| one.file.source.name.clone()))
        .map(PathBuf::from)
        .collect();
    for (nth, (option, path)) in outputs.iter().enumerate() {
        let name = path.display();
        let mut others = outputs[..nth].iter();
        if let Some((other, first)) = others.find(|(_, other)| output::is_same_file(other, path)) {
            let name = first.display();
            return Some(format!("`{other}` and `{option}` name the same file {name}: name two"));
        }
        if path.is_dir() {
            return Some(format!("`{option} {name}` is a folder: name a file"));
        }
        if read.iter().any(|read| output::is_same_file(path, read)) {
            return Some(format!(
                "`{option} {name}` would overwrite a table that is read: name another file"
            ));
        }
    }
    None
}

/// Runs the jobs and prints each result in the order of the plan; the status is that of errors
/// outside the results. Output files are written even if standard output is closed.
fn search_all(
    jobs: &[plan::Job],
    (library, engine): (&Library, Engine),
    options: &Options<'_>,
    (line, tells, is_written): (&ProgressLine, Option<(Paint, Detail)>, bool),
) -> (Vec<ResultReport>, Status) {
    let mut status = Status::Holds;
    let mut results: Vec<ResultReport> = Vec::new();
    let mut report_diagnostics = BTreeSet::new();
    let search = |job: &plan::Job, options: &Options<'_>| {
        search::search(job, library, engine.search(), options)
    };
    let is_alone = engine == Engine::Stateright;
    queue::run(jobs, (options, line, is_alone), search, |nth, done| {
        if output::is_unread() && !is_written {
            return ControlFlow::Break(());
        }
        // Only the search that was interrupted is reported as truncated.
        let Some(done) = done else {
            status = status
                .and(tells.map_or(Status::Holds, |(paint, _)| not_started(&jobs[nth..], paint)));
            return ControlFlow::Break(());
        };
        let done = if let plan::Job::AllWorlds { worlds } = jobs[nth] {
            Ok(search::whole(&results, worlds, options))
        } else {
            done
        };
        match done {
            Ok(None) => {}
            // Errors of a system's files are the same in each of its worlds: printed once.
            Ok(Some(result)) if results.last().is_some_and(|last| is_again(last, &result)) => {}
            Ok(Some(result)) => {
                if let Some((paint, detail)) = tells {
                    let text = text::result(&result, paint, detail);
                    status = status.and(line.without(|| write_stdout(&text)));
                }
                results.push(result);
            }
            // So are settings that no world of a system takes.
            Err(usage) if report_diagnostics.contains(&usage) => {}
            Err(usage) => {
                status = status.and(line.without(|| usage_error(&usage)));
                report_diagnostics.insert(usage);
            }
        }
        ControlFlow::Continue(())
    });
    (results, status)
}

/// Prints how many searches did not start before an interrupt.
fn not_started(jobs: &[plan::Job], paint: Paint) -> Status {
    let is_search = |job: &&plan::Job| !matches!(job, plan::Job::AllWorlds { .. });
    match jobs.iter().filter(is_search).count() {
        0 => Status::Holds,
        1 => write_stdout(&format!("{}\n\n", paint.open("1 more search not started"))),
        many => write_stdout(&format!(
            "{}\n\n",
            paint.open(&format!("{many} more searches not started"))
        )),
    }
}

/// Whether two results are the same errors and nothing else.
fn is_again(last: &ResultReport, next: &ResultReport) -> bool {
    let is_faulty = !next.faults.is_empty() && next.properties.is_empty();
    is_faulty && (last.kind, &last.name, &last.faults) == (next.kind, &next.name, &next.faults)
}

/// Writes the output files and the JSON.
fn deliver(
    arguments: &Arguments,
    results: &[ResultReport],
    library: &Library,
    options: &Options<'_>,
) -> Status {
    let mut status = Status::Holds;
    if let Some(path) = &arguments.trace {
        let text = counterexample::write(results, library, options);
        status = status.and(output::save(path, &text));
    }
    if let Some(path) = &arguments.junit {
        status = status.and(output::save(path, &junit::write(results)));
    }
    if let Some(path) = &arguments.sarif {
        status = status.and(output::save(path, &sarif::write(results)));
    }
    if arguments.json {
        status = status.and(write_stdout(&output::json(&Report::new(results.to_vec()))));
    }
    status
}

fn options<'a>(arguments: &Arguments, begun: Instant, line: &'a ProgressLine) -> Options<'a> {
    let options = arguments.bounds.options(begun, line);
    let limits = options.limits;
    Options {
        limits: if arguments.as_written { limits.as_written() } else { limits },
        as_written: arguments.as_written,
        reduce: arguments.reduce.unwrap_or(Reductions::ALL),
        simulate: arguments.simulation.walks(),
        ..options
    }
}
