//! Which verdicts differ in a reading, beside those that it names.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use turnstile_harness::results::result::{ResultKind, ResultReport};
use turnstile_harness::results::status::Status;
use turnstile_search::judgement::Verdict;
use turnstile_spec::nearest;
use turnstile_spec::versions::Reading;
use turnstile_world::trace::counted;

use crate::report::paint::{Paint, fold};

use crate::verbs::check::plan::{CheckPlan, Job};

/// A table in one of its readings, which the plan searches.
pub(crate) struct ReadingCheck {
    pub(super) machine: String,
    pub(super) reading: Reading,
    /// The same searches of the table that is not read so.
    pub(super) in_table: Vec<Job>,
    /// Those of the checks that it names whose system is none of the table, each with the reason.
    pub(super) of_no_system: BTreeMap<String, String>,
}

/// What is found of a check that fails in a reading, or that it names.
enum Finding {
    /// It fails, and holds in the table: where first, after how many steps, and in how many places.
    Differs(String, usize, usize),
    /// It fails, and not only in the reading.
    FailsInTable(String),
    /// It holds in all searches that it is of, each to its end.
    Holds,
    /// It does not fail in what was searched, which is not all.
    Open,
    /// There is no such check; why.
    Unknown(String),
}

/// The checks that fail in a reading, and those that it names.
pub(super) struct Differences<'r> {
    check: &'r ReadingCheck,
    found: BTreeMap<String, Finding>,
    /// What the searches are apart from failing properties: truncated, or with errors.
    status: Status,
    /// Whether every search that the reading asks for was done.
    is_whole: bool,
}

impl<'r> Differences<'r> {
    /// Compares the results with what the reading says, and with those of the table that `search`
    /// searches where something fails.
    pub(super) fn of(
        check: &'r ReadingCheck,
        results: &[ResultReport],
        plan: &CheckPlan,
        search: &dyn Fn(&Job) -> Option<ResultReport>,
    ) -> Self {
        // Which rows its worlds together take is no verdict on what a document means.
        let is_of_worlds =
            |result: &&ResultReport| result.kind == ResultKind::Table || result.world.is_some();
        let results: Vec<&ResultReport> = results.iter().filter(is_of_worlds).collect();
        let mut status = Status::Holds;
        let mut failing: BTreeMap<String, Vec<(&ResultReport, usize)>> = BTreeMap::new();
        for result in &results {
            let mut rest = (*result).clone();
            // Neither is a property whose premise never holds in it.
            rest.properties.retain(|property| property.verdict != Verdict::Vacuous);
            for property in rest.properties.extract_if(.., |one| one.verdict == Verdict::Fails) {
                let name = name_of(result, &property.name);
                failing.entry(name).or_default().push((result, property.counterexample.len()));
            }
            status = status.and(Status::of(&rest));
        }
        let mut in_table = InTable { jobs: &check.in_table, search, known: BTreeMap::new() };
        let mut found: BTreeMap<String, Finding> = BTreeMap::new();
        for (name, places) in failing {
            let differs = places.iter().find(|(result, _)| !in_table.fails(result, &name));
            let finding = match differs {
                Some((result, steps)) => Finding::Differs(result.title(), *steps, places.len()),
                None => Finding::FailsInTable(places[0].0.title()),
            };
            found.insert(name, finding);
        }
        for named in &check.reading.differs {
            if !found.contains_key(named) {
                let stranger = check.of_no_system.get(named).cloned().map(Finding::Unknown);
                let finding = stranger.unwrap_or_else(|| silent(named, &results, plan));
                found.insert(named.clone(), finding);
            }
        }
        let mut of_worlds = results.iter().filter(|result| result.world.is_some());
        let is_whole = of_worlds.all(|result| plan.searches_all_of(&result.name));
        Self { check, found, status, is_whole }
    }

    /// Whether those fail that the reading names, and no others.
    pub(super) fn status(&self) -> Status {
        let is_as_named = self.found.iter().all(|(check, finding)| match finding {
            Finding::Differs(..) => self.is_named(check),
            Finding::FailsInTable(_) => !self.is_named(check),
            Finding::Open => true,
            Finding::Holds | Finding::Unknown(_) => false,
        });
        if is_as_named { self.status } else { Status::Fails.and(self.status) }
    }

    fn is_named(&self, check: &str) -> bool {
        self.check.reading.differs.iter().any(|name| name == check)
    }

    /// The reading, what differs in it, and whether it says so.
    pub(super) fn text(&self, paint: Paint) -> String {
        let ReadingCheck { machine, reading, .. } = self.check;
        let words = format!("{machine}, read so: {}", reading.is);
        let mut text = String::from("\n");
        for line in fold(&words, paint.width) {
            let _ = writeln!(text, "{line}");
        }
        for (check, finding) in &self.found {
            let (mark, words) = self.words(check, finding, paint);
            let _ = writeln!(text, "  {mark} {check} {}", paint.dim(&words));
        }
        if self.found.is_empty() && self.status == Status::Holds {
            let words = match self.is_whole {
                true => "no verdict differs",
                false => "no verdict differs in what was searched, which is not every world",
            };
            let _ = writeln!(text, "  {}", paint.dim(words));
        }
        text
    }

    fn words(&self, check: &str, finding: &Finding, paint: Paint) -> (String, String) {
        let (good, bad) = (paint.good("✓"), paint.bad("✗"));
        match finding {
            Finding::Differs(place, steps, places) => {
                let (mark, note) = match self.is_named(check) {
                    true => (good, ""),
                    false => (bad, "; `differs` does not name it"),
                };
                let more = match places - 1 {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                let steps = counted(*steps as u64, "step");
                (mark, format!("fails in {place}{more}, {steps}{note}"))
            }
            Finding::FailsInTable(place) => {
                let mark = if self.is_named(check) { bad } else { paint.dim("·") };
                (mark, format!("fails in {place}, and does so in the table without the reading"))
            }
            Finding::Holds => (bad, "does not fail, although `differs` names it".to_owned()),
            Finding::Open => {
                let words = "does not fail in what was searched, which is not all that `differs` \
                             speaks of";
                (paint.open("?"), words.to_owned())
            }
            Finding::Unknown(why) => (bad, format!("is no check: {why}")),
        }
    }
}

/// `claim/at most one active claim`; of a table, the property alone.
fn name_of(result: &ResultReport, property: &str) -> String {
    match result.kind {
        ResultKind::Table => property.to_owned(),
        ResultKind::System => format!("{}/{property}", result.name),
    }
}

/// What is found of a check that a reading names, and that fails nowhere.
fn silent(named: &str, results: &[&ResultReport], plan: &CheckPlan) -> Finding {
    let (system, property) = match named.split_once('/') {
        Some((system, property)) => (Some(system), property),
        None => (None, named),
    };
    let of: Vec<&&ResultReport> = results
        .iter()
        .filter(|result| system == result.world.as_ref().map(|_| result.name.as_str()))
        .collect();
    if of.is_empty() {
        return Finding::Open;
    }
    let names = || of.iter().flat_map(|result| &result.properties).map(|one| one.name.as_str());
    let is_whole = system.is_none_or(|name| plan.searches_all_of(name));
    if !names().any(|name| name == property) {
        let is_broken = of.iter().any(|result| !result.faults.is_empty());
        return match nearest(property, names()) {
            _ if is_broken || !is_whole => Finding::Open,
            Some(near) => Finding::Unknown(format!("did you mean `{near}`?")),
            None => Finding::Unknown("nothing has this name".to_owned()),
        };
    }
    let verdicts = of.iter().flat_map(|result| &result.properties);
    let mut verdicts = verdicts.filter(|one| one.name == property);
    let is_cut = verdicts.any(|one| one.verdict == Verdict::Incomplete);
    if is_cut || !is_whole { Finding::Open } else { Finding::Holds }
}

/// The searches of the table that is not read so, each done once.
struct InTable<'s> {
    jobs: &'s [Job],
    search: &'s dyn Fn(&Job) -> Option<ResultReport>,
    known: BTreeMap<String, Option<ResultReport>>,
}

impl InTable<'_> {
    /// Whether a check fails there in the place of a result, too.
    fn fails(&mut self, result: &ResultReport, check: &str) -> bool {
        let title = result.title();
        let (jobs, search) = (self.jobs, self.search);
        let known = self.known.entry(title.clone()).or_insert_with(|| {
            let is_it = |job: &&Job| match job {
                Job::Table(file) => result.world.is_none() && file.name == result.name,
                Job::World { system, world, .. } => {
                    title == format!("{}/{}", system.name, system.worlds[*world].name)
                }
                Job::AllWorlds { .. } | Job::Broken(_) => false,
            };
            search(jobs.iter().find(is_it)?)
        });
        let Some(known) = known else { return false };
        let mut failing = known.properties.iter().filter(|one| one.verdict == Verdict::Fails);
        failing.any(|property| name_of(known, &property.name) == check)
    }
}
