//! What a call can ask for beside the machine: names that serialise, steps that are traced.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

turnstile_machine::machine!("../emit/tests/golden/light.yaml", derive(serde), tracing, step_into);

use light::{EventKind, RowId, State, Unexpected, step, step_into};

#[test]
fn names_serialise_as_the_document_spells_them() {
    let text = |value: &dyn Fn() -> serde_json::Result<String>| value().expect("it serialises");
    assert_eq!(text(&|| serde_json::to_string(&State::Off)), r#""off""#);
    assert_eq!(text(&|| serde_json::to_string(&EventKind::Switch)), r#""switch""#);
    assert_eq!(text(&|| serde_json::to_string(&light::Event::Switch)), r#""switch""#);
    let dim = light::Event::Dim { percent: 3 };
    assert_eq!(text(&|| serde_json::to_string(&dim)), r#"{"dim":{"percent":3}}"#);
    assert_eq!(text(&|| serde_json::to_string(&RowId::R2)), r#""2""#);
    let refusal = Unexpected { state: State::On, event: dim, impossible: false };
    let json = text(&|| serde_json::to_string(&refusal));
    let back: Unexpected = serde_json::from_str(&json).expect("it comes back");
    assert_eq!(back, refusal);
}

#[test]
fn names_come_back() {
    for &state in State::ALL {
        let json = serde_json::to_string(&state).expect("it serialises");
        assert_eq!(serde_json::from_str::<State>(&json).expect("it comes back"), state);
    }
    for &row in RowId::ALL {
        let json = serde_json::to_string(&row).expect("it serialises");
        assert_eq!(serde_json::from_str::<RowId>(&json).expect("it comes back"), row);
    }
    assert!(serde_json::from_str::<State>(r#""dusk""#).is_err());
    let unknown = serde_json::from_str::<RowId>(r#""99""#).expect_err("there is no such row");
    assert!(unknown.to_string().contains("the id of a row"), "{unknown}");
}

#[test]
fn each_step_is_traced() {
    let lines = Lines::default();
    tracing::subscriber::with_default(lines.clone(), || {
        let on = step(State::Off, light::Event::Switch, &|_| true).expect("there is a row");
        let dim = light::Event::Dim { percent: 40 };
        let same = step_into(on.to, dim, &|_| true, |_| ()).expect("it is ignored");
        let beyond = light::Event::Dim { percent: 101 };
        step(same.to, beyond, &|_| true).expect_err("no light has so many percent");
    });
    let lines = lines.0.lock().expect("nobody panicked");
    assert_eq!(
        *lines,
        [
            "TRACE machine=light state=off event=switch number=0 row=1 to=on",
            "TRACE machine=light state=on event=dim number=40 row=ignored to=on",
            "DEBUG message=no row machine=light state=on event=dim number=101 impossible=false",
        ]
    );
}

/// Keeps each event as a line.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl Subscriber for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().expect("nobody panicked").push(line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {}={value:?}", field.name()).expect("a string takes any text");
    }
}
