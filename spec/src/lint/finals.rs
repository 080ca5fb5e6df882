//! Rows out of final states: a machine that has ended takes no row.

use crate::code;
use crate::fault::Fault;
use crate::lint::Subject;
use crate::sorted::Set;

pub(super) fn check(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let mut said = Set::default();
    for row in &subject.table.rows {
        let state = subject.table.states[row.from.index()].as_ref();
        if state.is_some_and(|state| state.is_final) && said.add((row.id, row.from)) {
            let name = subject.state(row.from);
            let mut fault = Fault::finding(
                code::OUT_OF_FINAL,
                format!("a row leaves `{name}`, which is final"),
            )
            .label(subject.row_at(row.id), format!("{} cannot be taken", subject.row(row.id)));
            if let Some(span) = subject.declared_at(row.from) {
                fault = fault.label(span, "`final: true`");
            }
            faults.push(fault.help(format!("remove the row, or `final` from `{name}`")));
        }
    }
}
