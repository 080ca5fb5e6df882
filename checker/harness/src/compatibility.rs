//! Compatibility of a system file with the compiled cores: roles, counts, links and timers must be
//! those of the file that was compiled in. Worlds and properties may differ.

use turnstile_spec::diagnostic::Span;
use turnstile_spec::system::{Count, System, Timer};
use turnstile_spec::table::ResourceKind;

use crate::results::fault::FaultReport;
use crate::tables::machine_table::MachineTable;

/// The differences of a file from the one that was compiled in, whose machines run these tables.
pub(crate) fn differences(
    file: &System,
    ours: &System,
    tables: &[MachineTable],
) -> Vec<FaultReport> {
    let mut comparison = Comparison { file, faults: Vec::new() };
    comparison.roles(ours);
    comparison.links(ours);
    comparison.timers(ours, tables);
    comparison.faults
}

struct Comparison<'f> {
    file: &'f System,
    faults: Vec<FaultReport>,
}

impl Comparison<'_> {
    fn differs(&mut self, span: Span, what: &str) {
        self.faults.push(FaultReport::not_compiled(&self.file.source, span, what));
    }

    /// Nodes are numbered role by role, and a core knows its number.
    fn roles(&mut self, ours: &System) {
        let names = |system: &System| -> Vec<String> {
            system.roles.iter().map(|role| role.name.clone()).collect()
        };
        if names(self.file) != names(ours) {
            let span = self.file.roles.first().map_or(Span::default(), |role| role.span);
            let names = names(ours).join(", ");
            self.differs(span, &format!("the compiled cores are those of {names}, in this order"));
            return;
        }
        for (role, ours) in self.file.roles.iter().zip(&ours.roles) {
            match (&role.count, &ours.count) {
                (Count::Number(number), Count::Number(other)) if number == other => {}
                (_, Count::Setting(_)) => {}
                (_, Count::Number(other)) => {
                    let what = format!("the compiled cores know {other} of `{}`", role.name);
                    self.differs(role.span, &what);
                }
            }
        }
    }

    fn links(&mut self, ours: &System) {
        for link in &ours.links {
            let twin = self.file.links.iter().find(|twin| twin.name == link.name);
            let what = match twin {
                None => format!("the compiled cores send along `{}`, which is not here", link.name),
                Some(twin) if twin.kind != link.kind => {
                    format!("`{}` is of another kind in the compiled cores", link.name)
                }
                Some(_) => continue,
            };
            let first = self.file.links.first().map(|link| link.span);
            let span = twin.map(|twin| twin.span).or(first).unwrap_or_default();
            self.differs(span, &what);
        }
    }

    /// A relation of a timer that no core has would bind nothing.
    fn timers(&mut self, ours: &System, tables: &[MachineTable]) {
        for before in &self.file.time {
            for timer in before.earlier.iter().chain([&before.later]) {
                let mut related = ours.time.iter();
                let is_ours = related
                    .any(|one| one.earlier.iter().chain([&one.later]).any(|known| known == timer));
                if !is_ours && !is_of_a_table(timer, tables) {
                    let Timer { role, name } = timer;
                    let what = format!("no timer of `{role}` is called `{name}`");
                    self.differs(before.span, &what);
                }
            }
        }
    }
}

fn is_of_a_table(timer: &Timer, tables: &[MachineTable]) -> bool {
    tables.iter().any(|table| {
        let is_it = |kind, name: &str| kind == ResourceKind::Timer && *name == timer.name;
        table.file.written().is_ok_and(|literal| {
            let mut resources = literal.vocabulary.resources.iter();
            resources.any(|resource| is_it(resource.kind, &resource.name.name))
        })
    })
}
