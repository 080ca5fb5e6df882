//! The results of a check, in the shape of the JSON contract.
//!
//! A search fills one [`ResultReport`]; the fields that are not serialised are for the terminal
//! alone. Names and spellings here are read by other programs: they change with
//! [`Report::VERSION`] only.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use turnstile_search::judgement::Verdict;
use turnstile_world::trace::StepReport;

use crate::results::fault::FaultReport;

/// The results of one run of the command.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// [`Report::VERSION`].
    pub version: u32,
    /// One for each table and each world of each system, in the order of the arguments.
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

/// The subject of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ResultKind {
    /// One table, in the environment derived from its resources.
    Table,
    /// A system of shipped cores, in a world.
    System,
}

/// The result of one search.
#[derive(Clone, Debug, Serialize)]
pub struct ResultReport {
    /// The table's or the system's name.
    pub name: String,
    /// Table or system.
    pub kind: ResultKind,
    /// The world, for a system.
    pub world: Option<String>,
    /// Whether the table as written ran, without its amendments.
    pub as_written: bool,
    /// Whether the search was exhaustive.
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
    /// The diagnostics of the files.
    pub faults: Vec<FaultReport>,
    /// A verdict for each property, in the order of the file.
    pub properties: Vec<PropertyReport>,
    /// The rows taken and the impossible cells reached.
    pub coverage: Coverage,
    /// The basis of the figures above; in JSON, only the reason of a truncated search.
    #[serde(flatten)]
    pub notes: Notes,
}

impl ResultReport {
    /// An empty result.
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

/// Notes on the figures for a person. The JSON has `cut` alone.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Notes {
    /// The files that were checked, as they were named; that of the system or the table comes
    /// first.
    #[serde(skip)]
    pub files: Vec<String>,
    /// The configuration: `2 clients, 1 resource`.
    #[serde(skip)]
    pub about: Option<String>,
    /// The reason why the search is incomplete: `--max-states 1000 reached`.
    pub cut: Option<String>,
    /// Why a complete search leaves some properties incomplete.
    #[serde(skip)]
    pub undecided: Vec<String>,
    /// One sentence each: why a reduction is sound here, the probability of a collision.
    #[serde(skip)]
    pub remarks: Vec<String>,
    /// The kinds of fault that the world allows and that never occurred, by budget name.
    #[serde(skip)]
    pub faults_never_injected: Vec<String>,
    /// What the table level cannot check.
    #[serde(skip)]
    pub unchecked: Vec<Unchecked>,
    /// Why a change of a bundled table makes no difference.
    #[serde(skip)]
    pub same_table: Option<String>,
    /// The settings of the world and their values, in the order of the system's file.
    #[serde(skip)]
    pub settings: Vec<(String, String)>,
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

/// What the table level leaves to a system model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unchecked {
    /// The reason, as a clause.
    pub because: &'static str,
    /// The kind, in the singular: `invariant`.
    pub what: &'static str,
    /// Their names.
    pub names: Vec<String>,
}

/// The verdict of a property.
#[derive(Clone, Debug, Serialize)]
pub struct PropertyReport {
    /// Its name.
    pub name: String,
    /// Its temporal operator.
    pub kind: PropertyKind,
    /// Its verdict.
    #[serde(serialize_with = "spelt")]
    pub verdict: Verdict,
    /// The fairness that the verdict rests on.
    pub assumptions: Vec<String>,
    /// The budgets spent in the search, by name.
    pub faults_exercised: Vec<String>,
    /// The step, counted from 0, at which the loop of a lasso begins.
    pub loop_from: Option<usize>,
    /// The shortest trace that violates the property, or reaches a `sometimes`. Empty if there is
    /// none.
    pub counterexample: Vec<StepReport>,
    /// The sentence that the property checks.
    #[serde(skip)]
    pub sentence: String,
    /// The violation at the end of the trace: `resource "renew timer" is armed but not held`.
    pub finding: Option<String>,
    /// Violations of other properties in the same state: an unhandled event.
    pub besides: Vec<String>,
    /// Further violations of the same property, without their traces.
    #[serde(skip)]
    pub others: Vec<String>,
    /// Fairness assumptions that the verdict does not need.
    #[serde(skip)]
    pub not_needed: Vec<String>,
}

impl PropertyReport {
    /// A property with nothing but a verdict.
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

/// The temporal operator of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// In every reachable state.
    Always,
    /// In some reachable state.
    Sometimes,
    /// From every reachable state, a state in which it holds is reachable.
    CanReach,
    /// On every fair path, eventually.
    Eventually,
    /// On every fair path, eventually after each state in which the antecedent holds.
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

/// The coverage of the tables in a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Rows of the tables.
    pub rows: usize,
    /// Rows that are taken.
    pub rows_taken: usize,
    /// Rows that are not taken and not waived, by id.
    pub not_taken: Vec<String>,
    /// Rows that are not taken and waived with a reason, by id.
    pub excused: Vec<String>,
    /// Cells declared impossible.
    pub impossible: usize,
    /// Those of them that are reachable: `waiting × response (200)`.
    pub impossible_reached: Vec<String>,
    /// Each row of a system's tables.
    #[serde(skip)]
    pub by_row: BTreeMap<RowRef, RowCoverage>,
}

/// A row of one of a system's tables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowRef {
    /// The machine.
    pub machine: String,
    /// Its id.
    pub id: String,
}

/// The coverage of a row in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowCoverage {
    /// It is taken.
    Taken,
    /// It is not taken; its table waives it with a reason.
    Waived,
    /// It is not taken.
    NotTaken,
}

fn spelt<S: Serializer>(verdict: &Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(verdict.name())
}
