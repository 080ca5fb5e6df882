//! `--reading ID`: the searches of a table in one of its readings, and which verdicts differ.

mod differences;

use std::sync::Arc;

use turnstile_harness::SourceFile;
use turnstile_harness::options::Refusal;
use turnstile_harness::results::fault::FaultReport;
use turnstile_harness::results::result::ResultReport;
use turnstile_harness::results::status::Status;
use turnstile_spec::nearest;
use turnstile_spec::versions::Reading;

use crate::library::Library;
use crate::output::{usage_error, write_stdout};
use crate::replacement;
use crate::report::paint::Paint;

use crate::verbs::check::plan::{CheckPlan, Job};
use crate::verbs::check::reading::differences::Differences;
pub(super) use crate::verbs::check::reading::differences::ReadingCheck;

/// The reading that was asked for, if any: the plan then has the searches of its table, in it. An
/// error is told.
pub(super) fn chosen(
    id: Option<&str>,
    plan: &mut CheckPlan,
    library: &Library,
) -> Result<Option<ReadingCheck>, Status> {
    let Some(id) = id.filter(|_| plan.usage_errors.is_empty()) else { return Ok(None) };
    ReadingCheck::of(id, plan, library).map(Some).map_err(|refusal| match refusal {
        Refusal::Usage(what) => usage_error(&what),
        Refusal::Faults(_) => {
            usage_error(&format!("the reading `{id}` cannot be checked:\n{refusal}"));
            Status::Fails
        }
    })
}

impl ReadingCheck {
    /// Finds the reading, and leaves in the plan the searches of its table: in that reading.
    ///
    /// # Errors
    ///
    /// No table of the plan has the reading, several have it, or it has errors.
    fn of(id: &str, plan: &mut CheckPlan, library: &Library) -> Result<Self, Refusal> {
        let (mut found, mut known) = (Vec::<(Arc<SourceFile>, Reading)>::new(), Vec::new());
        let mut broken = Vec::new();
        for file in plan.jobs.iter().flat_map(|job| tables(job, library)) {
            let written = match file.written() {
                Ok(written) => written,
                Err(faults) => {
                    broken.extend(FaultReport::errors(faults));
                    continue;
                }
            };
            let is_new = found.iter().all(|(other, _)| other.source.name != file.source.name);
            let reading = written.readings.iter().find(|reading| reading.id == id);
            found.extend(reading.filter(|_| is_new).map(|one| (Arc::clone(&file), one.clone())));
            known.extend(written.readings.iter().map(|reading| reading.id.clone()));
        }
        let (file, reading) = match &found[..] {
            [(file, reading)] => (file, reading.clone()),
            // It may be in a file that has errors.
            [] if !broken.is_empty() => {
                broken.dedup();
                return Err(Refusal::Faults(broken));
            }
            [] => return Err(Refusal::Usage(unknown(id, known))),
            [(first, _), (second, _), ..] => {
                let (first, second) = (&first.source.name, &second.source.name);
                let what =
                    format!("{first} and {second} have a reading `{id}`: give one another id");
                return Err(Refusal::Usage(what));
            }
        };
        let errors = |errors: &_| Refusal::Faults(FaultReport::errors(errors));
        let written = file.written().map_err(errors)?;
        let in_reading = written.in_reading(id).expect("it has this reading");
        let in_reading = in_reading.map_err(|faults| errors(&faults))?;
        let machine = written.vocabulary.machine.clone();
        let table = Arc::new(SourceFile::of_table(&*file.name, in_reading));
        table.amended().map_err(errors)?;
        let in_table = plan.jobs.clone();
        plan.search_in_reading(&table, |job| {
            tables(job, library).iter().any(|one| one.source.name == file.source.name)
        });
        let of_no_system = reading.differs.iter().filter_map(|named| {
            let (system, _) = named.split_once('/')?;
            let why = stranger(system, &file.source.name, plan, library)?;
            Some((named.clone(), why))
        });
        let of_no_system = of_no_system.collect();
        Ok(Self { machine, reading, in_table, of_no_system })
    }

    /// The status of the results: whether those differ that the reading names. What differs is
    /// printed, in these colours. `search`: searches the table that is not read so.
    pub(super) fn tell(
        &self,
        results: &[ResultReport],
        plan: &CheckPlan,
        search: &dyn Fn(&Job) -> Option<ResultReport>,
        paint: Paint,
    ) -> Status {
        let differences = Differences::of(self, results, plan, search);
        differences.status().and(write_stdout(&differences.text(paint)))
    }
}

/// The tables that a search runs.
fn tables(job: &Job, library: &Library) -> Vec<Arc<SourceFile>> {
    let (file, named) = match job {
        Job::Table(file) => return vec![Arc::clone(file)],
        Job::World { file, table, .. } => (file, table),
        Job::AllWorlds { .. } | Job::Broken(_) => return Vec::new(),
    };
    let Ok(Some(entry)) = library.entry(file) else { return Vec::new() };
    let files = entry.tables.iter().map(|own| {
        let (file, _) = replacement::file_of(own, &entry, named.as_ref(), library);
        Arc::clone(file)
    });
    files.collect()
}

/// Why a system does not run a table.
fn stranger(system: &str, table: &str, plan: &CheckPlan, library: &Library) -> Option<String> {
    let is_planned = plan.jobs.iter().any(|job| match job {
        Job::World { system: one, .. } => one.name == system,
        Job::Table(_) | Job::AllWorlds { .. } | Job::Broken(_) => false,
    });
    if is_planned {
        return None;
    }
    let Some(known) = library.systems.iter().find(|one| one.file.name == system) else {
        // The systems of a file that is named are not all known.
        return plan.uses_library.then(|| format!("there is no system `{system}`"));
    };
    let entry = library.entry(&known.file).ok().flatten()?;
    let runs = entry.tables.iter().any(|own| own.file.source.name == table);
    (!runs).then(|| format!("the system `{system}` does not run this table"))
}

fn unknown(id: &str, mut known: Vec<String>) -> String {
    known.sort_unstable();
    known.dedup();
    let names = known.iter().map(String::as_str);
    match (nearest(id, names), known.is_empty()) {
        (_, true) => format!("no table checked here has a reading `{id}`, nor any other"),
        (Some(near), _) => {
            format!("no table checked here has a reading `{id}`: did you mean `{near}`?")
        }
        (None, _) => {
            format!("no table checked here has a reading `{id}`; readings: {}", known.join(", "))
        }
    }
}
