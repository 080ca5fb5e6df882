//! Replays a trace: what the driver noted must be a run of the shipped cores, line by line.

use std::sync::{Arc, Mutex};

use turnstile_core::scenario::LANGUAGES;
use turnstile_driver::trace::{HEAD, Trace};
use turnstile_scenario::replay;

/// A trace that is kept in memory.
#[derive(Clone, Debug)]
pub(crate) struct Notes(Arc<Mutex<String>>);

impl Notes {
    /// An empty one, and the trace of a server that goes there.
    pub(crate) fn new() -> (Self, Trace) {
        let notes = Self(Arc::new(Mutex::new(HEAD.to_owned())));
        let noted = notes.clone();
        let trace = Trace::new("turnstiled", move |text| {
            noted.0.lock().expect("nobody panics with it").push_str(text);
        });
        (notes, trace)
    }

    pub(crate) fn text(&self) -> String {
        self.0.lock().expect("nobody panics with it").clone()
    }

    /// Replays it; how many steps there were.
    ///
    /// A row or an effect that is not what the core does fails the test, and so does an event
    /// without a row.
    #[track_caller]
    pub(crate) fn replay(&self) -> usize {
        let text = self.text();
        let replay = replay(&text, LANGUAGES).unwrap_or_else(|fault| panic!("{fault}"));
        assert!(replay.is_as_written(), "{replay:#?}");
        let trouble = text.lines().find(|line| line.starts_with("  !"));
        assert_eq!(trouble, None, "every event has a row");
        replay.steps
    }
}

#[test]
fn a_trace_that_was_tampered_with_departs() {
    let (notes, trace) = Notes::new();
    let options = turnstile_driver::server::Options { trace: Some(trace), ..Default::default() };
    let storage = turnstile_driver::server::Storage::Memory;
    let server = crate::http::Running::start(storage, options);
    let mut client = server.client();
    let held = client.post(r#"{"resource":"r","ttl":60}"#).expect(201);
    client.post(r#"{"resource":"r","ttl":60}"#).expect(202);
    client.set(&held.path(), "released").expect(204);
    drop(server);
    assert!(notes.replay() >= 4);
    let text = notes.text();
    let departures = |from: &str, to: &str| {
        assert!(text.contains(from), "{from} is not in {text}");
        replay(&text.replacen(from, to, 1), LANGUAGES).expect("it can be played").departures
    };
    let [token] = &departures("201 claim 1 token 1", "201 claim 1 token 9")[..] else {
        panic!("one line departs");
    };
    assert!(token.now.as_ref().is_some_and(|now| now.ends_with("token 1")), "{token:?}");
    assert!(!departures("  arms ttl of claim 1\n", "").is_empty(), "an effect is missing");
    let row = text.lines().find(|line| line.starts_with("  takes row ")).expect("a row");
    assert!(!departures(&format!("{row}\n"), "").is_empty(), "a row is missing");
    assert!(!departures(row, "  takes row 0 of claim-record").is_empty(), "another row");
}
