//! What the default worlds of a system come to together: each row is taken in one of them.
//!
//! A world takes only the rows that its faults lead to, so it says which rows it leaves; a row that
//! every world leaves is a row that nothing was checked of.

use std::collections::BTreeMap;

use turnstile_search::judged::Verdict;

use super::result::{Coverage, Kind, PropertyKind, PropertyReport, Reached, ResultReport, Row};

/// The property's name.
const EVERY_ROW: &str = "every row taken";

/// The result for a system as a whole, from those of its worlds. `None` where a world could not
/// be searched.
#[must_use]
pub fn whole(worlds: &[ResultReport]) -> Option<ResultReport> {
    let first = worlds.first()?;
    if worlds.iter().any(|world| world.properties.is_empty()) {
        return None;
    }
    let coverage = together(worlds.iter().map(|world| &world.coverage));
    let mut result = ResultReport::new(Kind::System, &first.name, None);
    result.as_written = first.as_written;
    result.engine.clone_from(&first.engine);
    result.threads = first.threads;
    result.complete = worlds.iter().all(|world| world.complete);
    result.notes.files.clone_from(&first.notes.files);
    result.notes.cut = (!result.complete).then(|| "a world was not searched to its end".to_owned());
    let verdict = match (coverage.not_taken.is_empty(), result.complete) {
        (true, _) => Verdict::Holds,
        (false, true) => Verdict::Fails,
        (false, false) => Verdict::Incomplete,
    };
    let mut property = PropertyReport::new(EVERY_ROW, PropertyKind::Sometimes, verdict);
    "Each row is taken in one of the worlds, or its table says why not."
        .clone_into(&mut property.sentence);
    let left = coverage.by_row.iter().filter(|(_, reached)| **reached == Reached::Left);
    let mut left =
        left.map(|(Row { machine, id }, _)| format!("{machine}: no world takes row {id}"));
    property.finding = left.next();
    property.others = left.collect();
    result.properties.push(property);
    result.coverage = coverage;
    Some(result)
}

/// What several searches of the same tables reached.
fn together<'a>(all: impl Iterator<Item = &'a Coverage>) -> Coverage {
    let mut rows: BTreeMap<Row, Reached> = BTreeMap::new();
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
            Reached::Taken => whole.rows_taken += 1,
            Reached::Excused => whole.excused.push(row.id.clone()),
            Reached::Left => whole.not_taken.push(row.id.clone()),
        }
    }
    whole.by_row = rows;
    whole
}

#[cfg(test)]
mod tests {
    use super::whole;
    use super::{
        Coverage, Kind, PropertyKind, PropertyReport, Reached, ResultReport, Row, Verdict,
    };

    /// A world that reaches rows `a` and `b` of one machine and `a` of another so far.
    fn world(reached: [Reached; 3], complete: bool) -> ResultReport {
        let mut result = ResultReport::new(Kind::System, "gate", Some("small"));
        result.complete = complete;
        result.properties.push(PropertyReport::new("p", PropertyKind::Always, Verdict::Holds));
        let rows = [("gate", "a"), ("gate", "b"), ("guard", "a")];
        let rows = rows.map(|(machine, id)| Row { machine: machine.to_owned(), id: id.to_owned() });
        result.coverage = Coverage::default();
        result.coverage.by_row.extend(rows.into_iter().zip(reached));
        result
    }

    #[track_caller]
    fn check(worlds: &[ResultReport], verdict: Verdict, not_taken: &[&str]) {
        let result = whole(worlds).expect("its worlds were searched");
        assert_eq!(result.properties[0].verdict, verdict);
        assert_eq!(result.coverage.not_taken, not_taken);
    }

    #[test]
    fn a_row_that_every_world_leaves_fails() {
        use Reached::{Excused, Left, Taken};
        let one = || world([Taken, Left, Left], true);
        check(&[one()], Verdict::Fails, &["b", "a"]);
        check(&[one(), world([Left, Left, Taken], true)], Verdict::Fails, &["b"]);
        check(&[one(), world([Left, Taken, Taken], true)], Verdict::Holds, &[]);
        check(&[one(), world([Left, Excused, Taken], true)], Verdict::Holds, &[]);
        check(&[one(), world([Left, Left, Taken], false)], Verdict::Incomplete, &["b"]);
        let mut faulty = one();
        faulty.properties.clear();
        assert!(whole(&[one(), faulty]).is_none());
    }
}
