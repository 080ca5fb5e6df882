//! Replays a trace: what the driver noted must be a run of the shipped cores, step by step.

use std::collections::BTreeMap;

use turnstile_core::Core as _;
use turnstile_core::claim::keychain::{self, Keychain};
use turnstile_core::claim::record::{self, Limits, Records};
use turnstile_core::step::{OutOf, Taken};
use turnstile_driver::trace::Step;

/// The cores that a trace's nodes are run against.
pub(crate) struct Replay;

impl Replay {
    /// Replays steps in their order; how many there were.
    ///
    /// A step whose rows or effects differ from what the core does fails the test, and so does an
    /// event without a row.
    pub(crate) fn of<'a>(steps: impl Iterator<Item = (&'a str, &'a Step)>) -> u64 {
        let server = Records::new(Limits::DEFAULT);
        let mut server_state: record::State = server.start();
        let client = Keychain { waits: true, ..Keychain::new() };
        let mut clients: BTreeMap<&str, keychain::State> = BTreeMap::new();
        let mut count = 0;
        for (node, step) in steps {
            count += 1;
            match step {
                Step::Server { input, out } => {
                    let mut again = OutOf::<Records>::default();
                    server.step(&mut server_state, input.clone(), &mut again);
                    assert_eq!(&again, out, "step {count} of {node}: {input:?}");
                    check_rows(node, count, &again.rows);
                }
                Step::Client { input, out } => {
                    let state = clients.entry(node).or_insert_with(|| client.start());
                    let mut again = OutOf::<Keychain>::default();
                    client.step(state, input.clone(), &mut again);
                    assert_eq!(&again, out, "step {count} of {node}: {input:?}");
                    check_rows(node, count, &again.rows);
                }
            }
        }
        count
    }
}

fn check_rows(node: &str, count: u64, rows: &[Taken]) {
    for taken in rows {
        match taken {
            Taken::Row { .. } | Taken::Ignored { .. } => {}
            Taken::Unexpected { .. } | Taken::Undone { .. } => {
                panic!("step {count} of {node}: {taken:?}");
            }
        }
    }
}
