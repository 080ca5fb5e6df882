//! The rows of a file, each with its stable id: those of the table as written, then those that
//! amendments change or add.

use std::collections::BTreeMap;

use crate::raw;
use crate::table::{RowId, RowSource};
use crate::yaml::Word;

/// The id of each row as written: its cited lines, with a letter if several rows cite them.
pub(crate) fn ids(rows: &[raw::Row]) -> Vec<String> {
    let plain: Vec<String> = rows.iter().enumerate().map(|(nth, row)| plain(nth, row)).collect();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for id in &plain {
        *count.entry(id).or_default() += 1;
    }
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    plain
        .iter()
        .map(|id| {
            if count.get(id.as_str()) == Some(&1) {
                return id.clone();
            }
            let nth = seen.entry(id).or_default();
            *nth += 1;
            format!("{id}{}", letters(*nth))
        })
        .collect()
}

fn plain(nth: usize, row: &raw::Row) -> String {
    let texts: Vec<String> = row
        .cite
        .iter()
        .map(|lines| match (lines.start(), lines.end()) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        })
        .collect();
    if texts.is_empty() { format!("r{}", nth + 1) } else { texts.join(",") }
}

/// 1 is `a`, 26 is `z`, 27 is `aa`.
fn letters(nth: usize) -> String {
    let mut left = nth;
    let mut letters = Vec::new();
    while left > 0 {
        left -= 1;
        letters.push(char::from(b'a' + u8::try_from(left % 26).unwrap_or(0)));
        left /= 26;
    }
    letters.iter().rev().collect()
}

/// The source text of a row.
pub(crate) fn written(id: String, row: &raw::Row, amended_by: Option<&str>) -> RowSource {
    let join = |words: &[Word]| {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        texts.join(", ")
    };
    RowSource {
        id,
        from: join(&row.from),
        to: row.to.text.clone(),
        event: join(&row.event),
        guard: row.condition.as_ref().map(raw::Condition::words).unwrap_or_default(),
        actions: row.action_words(),
        cite: row.cite.clone(),
        waived: row.untaken.as_ref().map(|word| word.text.clone()),
        amended_by: amended_by.map(str::to_owned),
        span: row.span,
    }
}

/// Appends a row and returns its id.
pub(crate) fn push(rows: &mut Vec<RowSource>, row: RowSource) -> RowId {
    rows.push(row);
    RowId(u16::try_from(rows.len() - 1).unwrap_or(u16::MAX))
}
