//! `--reading ID`: the searches of a table in one of its readings, and which verdicts differ.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use turnstile_harness::SourceFile;
use turnstile_harness::fault::FaultReport;
use turnstile_harness::options::Refusal;
use turnstile_harness::result::{ResultKind, ResultReport};
use turnstile_harness::status::Status;
use turnstile_search::judgement::Verdict;
use turnstile_spec::versions::Reading;
use turnstile_world::trace::counted;

use crate::library::Library;
use crate::output::{usage_error, write_stdout};
use crate::replacement;
use crate::report::paint::{Paint, fold};

use super::plan::{CheckPlan, Job};

/// A table in one of its readings, which the plan searches.
pub(super) struct ReadingCheck {
    machine: String,
    reading: Reading,
}

/// The checks that fail in a reading, beside those that it names.
struct Differences<'r> {
    reading: &'r ReadingCheck,
    /// Each with the first place in which it fails, the steps there, and the number of places.
    failing: BTreeMap<String, (String, usize, usize)>,
    /// Named by the reading, searched everywhere to the end, and not failing.
    missing: Vec<&'r str>,
    /// What the searches are apart from failing properties: truncated, or with errors.
    status: Status,
}

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
            usage_error(&format!("the reading `{id}` does not fit its table:\n{refusal}"));
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
        for file in plan.jobs.iter().flat_map(|job| tables(job, library)) {
            let Ok(written) = file.written() else { continue };
            let is_new = found.iter().all(|(other, _)| other.source.name != file.source.name);
            let reading = written.readings.iter().find(|reading| reading.id == id);
            found.extend(reading.filter(|_| is_new).map(|one| (Arc::clone(&file), one.clone())));
            known.extend(written.readings.iter().map(|reading| reading.id.clone()));
        }
        let (file, reading) = match &found[..] {
            [(file, reading)] => (file, reading.clone()),
            [] => return Err(Refusal::Usage(unknown(id, known))),
            [(first, _), (second, _), ..] => {
                let (first, second) = (&first.source.name, &second.source.name);
                let what = format!("{first} and {second} have a reading `{id}`: name one of them");
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
        plan.search_in_reading(&table, |job| {
            tables(job, library).iter().any(|one| one.source.name == file.source.name)
        });
        Ok(Self { machine, reading })
    }

    /// The status of the results: whether those differ that the reading names. What differs is
    /// printed, in these colours.
    pub(super) fn tell(
        &self,
        results: &[ResultReport],
        plan: &CheckPlan,
        paint: Option<Paint>,
    ) -> Status {
        let differences = self.differences(results, plan);
        let told = paint.map(|paint| write_stdout(&differences.text(paint)));
        differences.status().and(told.unwrap_or_default())
    }

    /// Compares the results with what the reading says.
    fn differences(&self, results: &[ResultReport], plan: &CheckPlan) -> Differences<'_> {
        let mut failing: BTreeMap<String, (String, usize, usize)> = BTreeMap::new();
        let mut status = Status::Holds;
        // Which rows its worlds together take is no verdict on what a document means.
        let is_of_worlds =
            |result: &&ResultReport| result.kind == ResultKind::Table || result.world.is_some();
        for result in results.iter().filter(is_of_worlds) {
            let mut rest = result.clone();
            // Neither is a property whose premise never holds in it.
            rest.properties.retain(|property| property.verdict != Verdict::Vacuous);
            for property in rest.properties.extract_if(.., |one| one.verdict == Verdict::Fails) {
                let check = match result.kind {
                    ResultKind::Table => property.name.clone(),
                    ResultKind::System => format!("{}/{}", result.name, property.name),
                };
                let steps = property.counterexample.len();
                let found = failing.entry(check).or_insert((result.title(), steps, 0));
                found.2 += 1;
            }
            status = status.and(Status::of(&rest));
        }
        let is_searched = |check: &str| match check.split_once('/') {
            Some((system, _)) => plan.searches_all_of(system),
            None => plan.jobs.iter().any(|job| matches!(job, Job::Table(_))),
        };
        let named = self.reading.differs.iter().map(String::as_str);
        // Of a search that was truncated, or did not begin, nothing is known.
        let is_known = status == Status::Holds;
        let is_missing = |check: &&str| is_searched(check) && !failing.contains_key(*check);
        let missing = named.filter(|check| is_known && is_missing(check)).collect();
        Differences { reading: self, missing, failing, status }
    }
}

impl Differences<'_> {
    /// Whether those fail that the reading names, and no others.
    fn status(&self) -> Status {
        let is_named = self.failing.keys().all(|check| self.is_named(check));
        let own = if is_named && self.missing.is_empty() { Status::Holds } else { Status::Fails };
        own.and(self.status)
    }

    fn is_named(&self, check: &str) -> bool {
        self.reading.reading.differs.iter().any(|name| name == check)
    }

    /// The reading, what differs in it, and whether it says so.
    fn text(&self, paint: Paint) -> String {
        let ReadingCheck { machine, reading } = self.reading;
        let words = format!("{machine}, read so: {}", reading.is);
        let mut text = String::from("\n");
        for line in fold(&words, paint.width) {
            let _ = writeln!(text, "{line}");
        }
        for (check, (place, steps, places)) in &self.failing {
            let (mark, note) = match self.is_named(check) {
                true => (paint.good("✓"), ""),
                false => (paint.bad("✗"), "; `differs` does not name it"),
            };
            let more = match places - 1 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let steps = counted(*steps as u64, "step");
            let words = format!("fails in {place}{more}, {steps}{note}");
            let _ = writeln!(text, "  {mark} {check} {}", paint.dim(&words));
        }
        for check in &self.missing {
            let words = "does not fail, although `differs` names it";
            let _ = writeln!(text, "  {} {check} {}", paint.bad("✗"), paint.dim(words));
        }
        let is_same = self.failing.is_empty() && self.missing.is_empty();
        if is_same && self.status == Status::Holds {
            let _ = writeln!(text, "  {}", paint.dim("no verdict differs"));
        }
        text
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

fn unknown(id: &str, mut known: Vec<String>) -> String {
    known.sort_unstable();
    known.dedup();
    match known.is_empty() {
        true => format!("no table checked here has a reading `{id}`, nor any other"),
        false => {
            format!("no table checked here has a reading `{id}`; readings: {}", known.join(", "))
        }
    }
}
