//! The formulas of the bundled tables ask only what those can answer who evaluate them: so also in
//! the compiled table, which nobody checks when it runs.

use turnstile_checker::SYSTEMS;
use turnstile_harness::answers::faults;
use turnstile_harness::options::Replacement;
use turnstile_spec::Literal;

#[test]
fn bundled_tables_ask_what_can_be_answered() {
    for entry in SYSTEMS.0 {
        for table in entry.tables {
            let evaluators = (entry.evaluators)(table.name);
            let source = table.source();
            let literal = Literal::read(source.clone()).expect("it is read");
            let sound = literal.amended().expect("it is sound");
            let amended = Replacement {
                vocabulary: sound.vocabulary,
                table: sound.table,
                source: source.clone(),
            };
            let (vocabulary, table) = (literal.vocabulary, literal.table);
            let written = Replacement { vocabulary, table, source };
            assert_eq!(faults(&amended, &evaluators), []);
            assert_eq!(faults(&written, &evaluators), []);
        }
    }
}
