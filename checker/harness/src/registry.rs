//! Systems by name, with their types erased, for the command line.

use std::sync::Arc;

use turnstile_spec::system;
use turnstile_world::{Budget, World};

use crate::check::{CheckOutput, SearchFn, check};
use crate::compatibility;
use crate::options::{Options, Refusal};
use crate::plan::{Plan, is_of_version};
use crate::results::coverage::coverage;
use crate::results::fault::FaultReport;
use crate::results::places;
use crate::results::result::{BudgetReport, ResultReport};
use crate::system_spec;
use crate::tables::source_file::SourceFile;

pub use crate::system_spec::SystemSpec;
pub use crate::tables::embedded::Embedded;
pub use crate::tables::machine_table::MachineTable;

/// The systems that a program can run.
#[derive(Clone, Debug, Default)]
pub struct Systems(Vec<Arc<SystemEntry>>);

impl Systems {
    /// These systems.
    #[must_use]
    pub fn new(entries: impl IntoIterator<Item = SystemEntry>) -> Self {
        Self(entries.into_iter().map(Arc::new).collect())
    }

    /// The system of a name.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&Arc<SystemEntry>> {
        self.0.iter().find(|entry| entry.name == name)
    }

    /// The systems, in order.
    pub fn entries(&self) -> impl Iterator<Item = &Arc<SystemEntry>> {
        self.0.iter()
    }

    /// One more system, which takes precedence.
    pub fn add(&mut self, entry: Arc<SystemEntry>) {
        self.0.insert(0, entry);
    }
}

/// A system that this build can run: its cores are compiled in, its file is read at run time.
#[derive(Debug)]
pub struct SystemEntry {
    /// Its name, that of its file: `claim`.
    pub name: String,
    /// Its file.
    pub file: Arc<SourceFile>,
    /// The tables that its cores run. [`Options::tables`] replaces them.
    pub tables: Vec<MachineTable>,
    /// Whether its nodes run these tables without compiled cores.
    is_of_tables: bool,
    /// [`SystemSpec::CALLS`].
    calls: Vec<String>,
    /// Builds one world of it.
    world: BuildWorld,
}

/// Builds one world of a system.
pub(crate) type BuildWorld =
    fn(&SystemEntry, &system::System, &system::World, &Options<'_>) -> Result<World, Refusal>;

impl SystemEntry {
    /// The system of these cores. The function of its crate that calls this must not be generic, so
    /// that the cores are compiled there only.
    #[must_use]
    pub fn of<W: SystemSpec>() -> Self {
        let table = |table: &Embedded| MachineTable {
            machine: table.name.to_owned(),
            file: Arc::new(table.source_file()),
        };
        Self {
            name: W::FILE.name.to_owned(),
            file: Arc::new(W::FILE.source_file()),
            tables: W::TABLES.iter().map(table).collect(),
            is_of_tables: false,
            calls: W::CALLS.iter().copied().map(str::to_owned).collect(),
            world: world::<W>,
        }
    }

    /// A system of tables that were read at run time.
    pub(crate) fn of_tables(
        (name, file): (&str, &Arc<SourceFile>),
        tables: Vec<MachineTable>,
        calls: Vec<String>,
        world: BuildWorld,
    ) -> Self {
        let (name, file) = (name.to_owned(), Arc::clone(file));
        Self { name, file, tables, is_of_tables: true, calls, world }
    }

    /// Whether its nodes run tables without compiled cores.
    #[must_use]
    pub fn is_of_tables(&self) -> bool {
        self.is_of_tables
    }

    /// The machines that its cores run.
    pub fn machines(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| table.machine.as_str())
    }

    /// Whether its cores run a machine.
    #[must_use]
    pub fn runs(&self, machine: &str) -> bool {
        self.machines().any(|known| known == machine)
    }

    /// A world of the system's file.
    ///
    /// # Errors
    ///
    /// As [`SystemSpec::of`]; budgets and predicates that the system does not have.
    pub fn world(
        &self,
        file: &system::System,
        world: &system::World,
        options: &Options<'_>,
    ) -> Result<World, Refusal> {
        if let Ok(ours) = self.file.system() {
            let faults = compatibility::differences(file, ours, &self.tables);
            if !faults.is_empty() {
                return Err(Refusal::Faults(faults));
            }
        }
        (self.world)(self, file, world, options).map_err(|refusal| match refusal {
            // Without `--set` the refused value stands in the file.
            Refusal::Usage(what) if options.set.is_empty() => {
                let fault = FaultReport::bad_setting(&file.source, world.span, &what);
                Refusal::Faults(vec![fault])
            }
            refusal @ (Refusal::Usage(_) | Refusal::Faults(_)) => refusal,
        })
    }

    /// Searches one world of it.
    ///
    /// # Errors
    ///
    /// As [`SystemEntry::world`].
    pub fn run(
        &self,
        file: &system::System,
        named: &system::World,
        options: &Options<'_>,
    ) -> Result<ResultReport, Refusal> {
        self.run_by(check, file, named, options)
    }

    /// The same, by another engine.
    ///
    /// # Errors
    ///
    /// As [`SystemEntry::world`].
    pub fn run_by(
        &self,
        search: SearchFn,
        file: &system::System,
        named: &system::World,
        options: &Options<'_>,
    ) -> Result<ResultReport, Refusal> {
        let world = Arc::new(self.world(file, named, options)?);
        let CheckOutput { mut result, taken } = search(&world, (&file.name, &named.name), options);
        result.coverage = coverage(&self.tables, &options.tables, &taken);
        places::locate(&mut result.properties, &self.tables, &options.tables);
        result.notes.budgets = self.budgets(&world);
        let plan = Plan { file, world: named, options };
        let value = |key: &str| plan.value(key).unwrap_or_default().to_owned();
        let settings = file.set.iter().map(|one| (one.name.clone(), value(&one.name)));
        result.notes.settings = settings.collect();
        let is_other = |property: &&system::Property| {
            named.checks(property) && !is_of_version(property, options.as_written)
        };
        let others = file.properties.iter().filter(is_other);
        result.notes.other_version = others.map(|property| property.name.clone()).collect();
        Ok(result)
    }

    fn budgets(&self, world: &World) -> Vec<BudgetReport> {
        let report = |budget: &Budget| BudgetReport {
            name: budget.name.clone(),
            limit: budget.limit,
            is_of_calls: self.calls.contains(&budget.name),
        };
        world.budgets.iter().map(report).collect()
    }
}

fn world<W: SystemSpec>(
    _entry: &SystemEntry,
    file: &system::System,
    world: &system::World,
    options: &Options<'_>,
) -> Result<World, Refusal> {
    let plan = Plan { file, world, options };
    system_spec::world(&plan, W::of(&plan)?)
}
