//! The combined result of a system's default worlds: each row must be taken in one of them.
//!
//! A world takes only the rows that its faults lead to. A row that no world takes was not checked.

use std::collections::BTreeMap;

use turnstile_search::judgement::Verdict;

use crate::results::result::{
    Coverage, PropertyKind, PropertyReport, ResultKind, ResultReport, RowCoverage, RowRef,
};

/// The property's name.
const EVERY_ROW: &str = "every row taken";

/// The result for a system as a whole, from those of its worlds. `None` where a world could not
/// be searched.
#[must_use]
pub fn all_worlds(worlds: &[ResultReport]) -> Option<ResultReport> {
    let first = worlds.first()?;
    if worlds.iter().any(|world| world.properties.is_empty()) {
        return None;
    }
    let coverage = together(worlds.iter().map(|world| &world.coverage));
    let mut result = ResultReport::new(ResultKind::System, &first.name, None);
    result.as_written = first.as_written;
    result.engine.clone_from(&first.engine);
    result.threads = first.threads;
    result.complete = worlds.iter().all(|world| world.complete);
    result.notes.files.clone_from(&first.notes.files);
    result.notes.cut = (!result.complete).then(|| "the search of a world was truncated".to_owned());
    let verdict = match (coverage.not_taken.is_empty(), result.complete) {
        (true, _) => Verdict::Holds,
        (false, true) => Verdict::Fails,
        (false, false) => Verdict::Incomplete,
    };
    let mut property = PropertyReport::new(EVERY_ROW, PropertyKind::Sometimes, verdict);
    "Each row is taken in at least one world, or its table waives it with a reason."
        .clone_into(&mut property.sentence);
    let left = coverage.by_row.iter().filter(|(_, reached)| **reached == RowCoverage::NotTaken);
    let mut left =
        left.map(|(RowRef { machine, id }, _)| format!("{machine}: row {id} is taken in no world"));
    property.finding = left.next();
    property.others = left.collect();
    result.properties.push(property);
    result.coverage = coverage;
    Some(result)
}

/// The combined coverage of several searches of the same tables.
fn together<'a>(all: impl Iterator<Item = &'a Coverage>) -> Coverage {
    let mut rows: BTreeMap<RowRef, RowCoverage> = BTreeMap::new();
    let mut whole = Coverage::default();
    for coverage in all {
        for (row, reached) in &coverage.by_row {
            let most = rows.entry(row.clone()).or_insert(*reached);
            *most = (*most).min(*reached);
        }
        whole.impossible = whole.impossible.max(coverage.impossible);
        whole.impossible_reached.extend(coverage.impossible_reached.iter().cloned());
    }
    whole.impossible_reached.sort();
    whole.impossible_reached.dedup();
    whole.rows = rows.len();
    for (row, reached) in &rows {
        match reached {
            RowCoverage::Taken => whole.rows_taken += 1,
            RowCoverage::Waived => whole.excused.push(row.id.clone()),
            RowCoverage::NotTaken => whole.not_taken.push(row.id.clone()),
        }
    }
    whole.by_row = rows;
    whole
}

#[cfg(test)]
mod tests {
    use super::all_worlds;
    use super::{
        Coverage, PropertyKind, PropertyReport, ResultKind, ResultReport, RowCoverage, RowRef,
        Verdict,
    };

    /// A world that reaches rows `a` and `b` of one machine and `a` of another so far.
    fn world(reached: [RowCoverage; 3], complete: bool) -> ResultReport {
        let mut result = ResultReport::new(ResultKind::System, "gate", Some("small"));
        result.complete = complete;
        result.properties.push(PropertyReport::new("p", PropertyKind::Always, Verdict::Holds));
        let rows = [("gate", "a"), ("gate", "b"), ("guard", "a")];
        let rows =
            rows.map(|(machine, id)| RowRef { machine: machine.to_owned(), id: id.to_owned() });
        result.coverage = Coverage::default();
        result.coverage.by_row.extend(rows.into_iter().zip(reached));
        result
    }

    #[track_caller]
    fn check(worlds: &[ResultReport], verdict: Verdict, not_taken: &[&str]) {
        let result = all_worlds(worlds).expect("its worlds were searched");
        assert_eq!(result.properties[0].verdict, verdict);
        assert_eq!(result.coverage.not_taken, not_taken);
    }

    #[test]
    fn a_row_that_every_world_leaves_fails() {
        use RowCoverage::{NotTaken, Taken, Waived};
        let one = || world([Taken, NotTaken, NotTaken], true);
        check(&[one()], Verdict::Fails, &["b", "a"]);
        check(&[one(), world([NotTaken, NotTaken, Taken], true)], Verdict::Fails, &["b"]);
        check(&[one(), world([NotTaken, Taken, Taken], true)], Verdict::Holds, &[]);
        check(&[one(), world([NotTaken, Waived, Taken], true)], Verdict::Holds, &[]);
        check(&[one(), world([NotTaken, NotTaken, Taken], false)], Verdict::Incomplete, &["b"]);
        let mut faulty = one();
        faulty.properties.clear();
        assert!(all_worlds(&[one(), faulty]).is_none());
    }
}
