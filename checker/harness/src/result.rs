//! The results of a check, in the shape of the JSON contract.
//!
//! A search fills one [`ResultReport`]; the fields that are not serialised are for the terminal
//! alone. Names and spellings here are read by other programs: they change with
//! [`Report::VERSION`] only.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use turnstile_search::judgement::Verdict;
use turnstile_world::trace::StepReport;

use super::fault::FaultReport;

/// Everything one run of the command found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// [`Report::VERSION`].
    pub version: u32,
    /// One for each table and each world of each system, in the order asked.
    pub results: Vec<ResultReport>,
}

impl Report {
    /// The version of the JSON shape.
    pub const VERSION: u32 = 1;

    /// Results as a report.
    #[must_use]
    pub fn new(results: Vec<ResultReport>) -> Self {
        Self { version: Self::VERSION, results }
    }
}

/// What a result is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ResultKind {
    /// One table in the environment that its resources give it.
    Table,
    /// Shipped cores in a world.
    System,
}

/// What one search found.
#[derive(Clone, Debug, Serialize)]
pub struct ResultReport {
    /// The table's or the system's name.
    pub name: String,
    /// Table or system.
    pub kind: ResultKind,
    /// The world, for a system.
    pub world: Option<String>,
    /// Whether the literal table ran, amendments left out.
    pub as_written: bool,
    /// Whether the search came to its end by itself.
    pub complete: bool,
    /// The engine that searched.
    pub engine: String,
    /// Threads that searched.
    pub threads: usize,
    /// Reductions that were applied, by name.
    pub reductions: Vec<String>,
    /// Unique states.
    pub states: u64,
    /// Transitions followed.
    pub transitions: u64,
    /// The longest of the shortest paths to a state, in steps.
    pub depth: u64,
    /// Wall time of this search. Searches may run in parallel: the sum may exceed the command's.
    pub seconds: f64,
    /// Bytes that the search itself had allocated at its peak.
    pub peak_memory_bytes: u64,
    /// What is wrong with the files.
    pub faults: Vec<FaultReport>,
    /// A verdict for each property, in the order of the file.
    pub properties: Vec<PropertyReport>,
    /// What was reached.
    pub coverage: Coverage,
    /// What the figures above rest on: for a person, but for the reason of a truncated search.
    #[serde(flatten)]
    pub notes: Notes,
}

impl ResultReport {
    /// A result of which nothing is known yet.
    #[must_use]
    pub fn new(kind: ResultKind, name: &str, world: Option<&str>) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            world: world.map(str::to_owned),
            as_written: false,
            complete: false,
            engine: String::new(),
            threads: 1,
            reductions: Vec::new(),
            states: 0,
            transitions: 0,
            depth: 0,
            seconds: 0.0,
            peak_memory_bytes: 0,
            faults: Vec::new(),
            properties: Vec::new(),
            coverage: Coverage::default(),
            notes: Notes::default(),
        }
    }

    /// `claim`, or `claim/loss` for a world of a system.
    #[must_use]
    pub fn title(&self) -> String {
        match &self.world {
            Some(world) => format!("{}/{world}", self.name),
            None => self.name.clone(),
        }
    }
}

/// What a person should know beside the figures. The JSON has why a search is incomplete.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Notes {
    /// The files that were checked, as they were named, that of the system or the table first.
    #[serde(skip)]
    pub files: Vec<String>,
    /// What ran, in a few words: `2 clients, 1 resource`.
    #[serde(skip)]
    pub about: Option<String>,
    /// Why a search is incomplete, in a few words: `--max-states 1000 reached`.
    pub cut: Option<String>,
    /// One sentence each: why a reduction is sound here, what makes the graph finite, the chance
    /// of a collision.
    #[serde(skip)]
    pub remarks: Vec<String>,
    /// The kinds of fault that the world allows and that never occurred, by budget name.
    #[serde(skip)]
    pub faults_never_injected: Vec<String>,
    /// What this level cannot check.
    #[serde(skip)]
    pub unchecked: Vec<Unchecked>,
    /// The budgets of the world, in the order of its file.
    #[serde(skip)]
    pub budgets: Vec<BudgetReport>,
    /// The properties of the other version of the tables, as written or amended: `only` in the
    /// system's file.
    #[serde(skip)]
    pub other_version: Vec<String>,
}

/// A budget of a world: how often something may happen on a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetReport {
    /// Its name.
    pub name: String,
    /// How often; `None`: any number of times.
    pub limit: Option<u8>,
    /// It rations calls of users; otherwise faults or timers.
    pub is_of_calls: bool,
}

/// What a search leaves to another level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unchecked {
    /// Why, in a clause.
    pub because: &'static str,
    /// What sort of thing, in the singular: `invariant`.
    pub what: &'static str,
    /// Each by name.
    pub names: Vec<String>,
}

/// What is said of a property.
#[derive(Clone, Debug, Serialize)]
pub struct PropertyReport {
    /// Its name.
    pub name: String,
    /// What sort of claim it is.
    pub kind: PropertyKind,
    /// What came out.
    #[serde(serialize_with = "spelt")]
    pub verdict: Verdict,
    /// The fairness that the verdict rests on.
    pub assumptions: Vec<String>,
    /// The kinds of fault that happened in the search, by the names of the budgets.
    pub faults_exercised: Vec<String>,
    /// The step, counted from 0, at which the loop of a lasso begins.
    pub loop_from: Option<usize>,
    /// The shortest run that shows a failure, or that meets a `sometimes`. Empty where there is
    /// none to show.
    pub counterexample: Vec<StepReport>,
    /// The sentence that the property checks.
    #[serde(skip)]
    pub sentence: String,
    /// What is wrong at the end of the run: `resource "renew timer" is armed but not held`.
    pub finding: Option<String>,
    /// What else is wrong there, and is for another property to say: a row that is missing.
    pub besides: Vec<String>,
    /// Further failures of the same property beside the one whose run is shown.
    #[serde(skip)]
    pub others: Vec<String>,
    /// The fairness that could have been assumed and was not needed.
    #[serde(skip)]
    pub not_needed: Vec<String>,
}

impl PropertyReport {
    /// A property with a verdict and nothing more.
    #[must_use]
    pub fn new(name: &str, kind: PropertyKind, verdict: Verdict) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            verdict,
            assumptions: Vec::new(),
            faults_exercised: Vec::new(),
            loop_from: None,
            counterexample: Vec::new(),
            sentence: String::new(),
            finding: None,
            besides: Vec::new(),
            others: Vec::new(),
            not_needed: Vec::new(),
        }
    }
}

/// What sort of claim a property is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// In every reachable state.
    Always,
    /// In some reachable state.
    Sometimes,
    /// From every reachable state, one where it is so can still be reached.
    CanReach,
    /// On every fair run, once.
    Eventually,
    /// On every fair run, after each time the premise is so.
    LeadsTo,
}

impl PropertyKind {
    /// Its spelling.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Sometimes => "sometimes",
            Self::CanReach => "can reach",
            Self::Eventually => "eventually",
            Self::LeadsTo => "leads to",
        }
    }
}

impl Serialize for PropertyKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// What a search reached of the tables that ran in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Rows of the tables.
    pub rows: usize,
    /// Rows that some run takes.
    pub rows_taken: usize,
    /// Rows that no run takes and that nothing excuses, by id.
    pub not_taken: Vec<String>,
    /// Rows that no run takes, excused with a reason.
    pub excused: Vec<String>,
    /// Cells declared impossible.
    pub impossible: usize,
    /// Those of them that a run reaches: `waiting × response (200)`.
    pub impossible_reached: Vec<String>,
    /// Each row of a system's tables.
    #[serde(skip)]
    pub by_row: BTreeMap<RowRef, RowCoverage>,
}

/// A row of one of a system's tables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowRef {
    /// Which machine's.
    pub machine: String,
    /// Its id.
    pub id: String,
}

/// What became of a row in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowCoverage {
    /// Some run takes it.
    Taken,
    /// No run takes it, and its table says why.
    Waived,
    /// No run takes it.
    NotTaken,
}

fn spelt<S: Serializer>(verdict: &Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(verdict.name())
}
