//! Replays a trace: what the driver noted must be a run of the shipped cores, line by line.

use std::sync::{Arc, Mutex};

use turnstile_claim_core::scenario::PROTOCOL;
use turnstile_host::Trace;
use turnstile_scenario::trace::replay;

/// A trace that is kept in memory.
#[derive(Clone, Debug)]
pub(crate) struct Notes(Arc<Mutex<String>>);

impl Notes {
    /// An empty one, and the trace of a server that goes there.
    pub(crate) fn new() -> (Self, Trace) {
        let notes = Self(Arc::default());
        let noted = notes.clone();
        let trace = Trace::new("turnstiled", move |text| {
            noted.0.lock().expect("no holder panics").push_str(text);
        });
        (notes, trace)
    }

    pub(crate) fn text(&self) -> String {
        self.0.lock().expect("no holder panics").clone()
    }

    /// Replays it; how many steps there were.
    ///
    /// A row or an effect that is not what the core does fails the test, and so does an event
    /// without a row, or a timer that fires though it was disarmed.
    #[track_caller]
    pub(crate) fn replay(&self) -> usize {
        let text = self.text();
        let replay = replay(text.as_bytes(), &[PROTOCOL]).unwrap_or_else(|fault| panic!("{fault}"));
        assert!(replay.matches(), "{replay:#?}");
        assert_eq!(
            (replay.late_timers, replay.truncated_line),
            (0, None),
            "no timer is late, and every line whole"
        );
        let is_trouble =
            |line: &&str| line.contains("{\"unexpected\":") || line.contains("{\"action_failed\":");
        assert_eq!(text.lines().find(is_trouble), None, "every event has a row");
        replay.steps
    }
}

#[test]
fn a_trace_that_was_tampered_with_departs() {
    let (notes, trace) = Notes::new();
    let options = turnstile_claim::server::Options { trace: Some(trace), ..Default::default() };
    let storage = turnstile_claim::server::Storage::Memory;
    let server = crate::http::Running::start(storage, options);
    let mut client = server.client();
    let held = client.post(r#"{"resource":"r","ttl":60}"#).expect(201);
    client.post(r#"{"resource":"r","ttl":60}"#).expect(202);
    client.set(&held.path(), "released").expect(204);
    drop(server);
    assert!(notes.replay() >= 4);
    let text = notes.text();
    let mismatches = |from: &str, to: &str| {
        let place = text.find(from).unwrap_or_else(|| panic!("{from} is not in {text}"));
        let line = 1 + text[..place].matches('\n').count();
        let replay = replay(text.replacen(from, to, 1).as_bytes(), &[PROTOCOL]);
        let mismatches = replay.expect("it can be played").mismatches;
        assert!(mismatches.iter().any(|mismatch| mismatch.line == line), "{mismatches:#?}");
        mismatches
    };
    let token = |number: u64| format!(r#""status":201,"claim":1,"token":{number}"#);
    let [changed] = &mismatches(&token(1), &token(9))[..] else {
        panic!("one effect departs");
    };
    assert!(changed.expected.as_ref().is_some_and(|written| written.contains(&token(9))));
    assert!(changed.actual.as_ref().is_some_and(|now| now.contains(&token(1))), "{changed:?}");
    let arm = r#"{"arm":{"ttl":1}}"#;
    let [missing] = &mismatches(&format!("{arm},"), "")[..] else {
        panic!("one effect is missing");
    };
    assert_eq!((missing.expected.as_deref(), missing.actual.as_deref()), (None, Some(arm)));
    let (_, rows) = text.split_once(r#""rows":[{"row":"#).expect("a row is taken");
    let (row, _) = rows.split_once(']').expect("a list ends");
    let row = format!("{{\"row\":{row}");
    let [missing] = &mismatches(&row, "")[..] else { panic!("one row is missing") };
    assert_eq!((missing.expected.as_deref(), missing.actual.as_deref()), (None, Some(&*row)));
    let other = r#"{"row":{"machine":"claim-record","row":"0"}}"#;
    let [another] = &mismatches(&row, other)[..] else { panic!("one row is another") };
    assert_eq!(
        (another.expected.as_deref(), another.actual.as_deref()),
        (Some(other), Some(&*row))
    );
}
