//! The places of rows in their tables' files, for traces: `claim.yaml:210`.

use std::collections::BTreeMap;

use turnstile_spec::Source;
use turnstile_spec::table::Vocabulary;

use crate::options::Replacement;
use crate::results::result::PropertyReport;
use crate::tables::machine_table::MachineTable;
use crate::tables::rules::replacement;

/// Fills in the places of all rows in the traces of a system, whose tables are replaced or bundled.
pub(crate) fn locate(
    properties: &mut [PropertyReport],
    compiled: &[MachineTable],
    tables: &[Replacement],
) {
    if properties.iter().all(|property| property.counterexample.is_empty()) {
        return;
    }
    let mut places = BTreeMap::new();
    for table in compiled {
        if let Some(given) = replacement(tables, &table.machine) {
            add(&mut places, &given.vocabulary, &given.source);
        } else if let Ok(sound) = table.file.amended() {
            add(&mut places, &sound.vocabulary, &table.file.source);
        }
    }
    for step in properties.iter_mut().flat_map(|property| &mut property.counterexample) {
        for row in &mut step.rows {
            if let Some(place) = places.get(&(row.machine.clone(), row.id.clone())) {
                row.place.clone_from(place);
            }
        }
    }
}

/// The place of each row of a table, by its machine and its id.
fn add(places: &mut BTreeMap<(String, String), String>, words: &Vocabulary, source: &Source) {
    let file = source.name.rsplit('/').next().unwrap_or_default();
    for row in &words.rows {
        let (line, _) = source.position(row.span);
        places.insert((words.machine.clone(), row.id.clone()), format!("{file}:{line}"));
    }
}
