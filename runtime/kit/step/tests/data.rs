//! Inputs and effects as JSON: each reads as what it was.

mod symbolic;

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use turnstile_step::{Effect, Input, RowOutcome};

type OfUnit = Input<u8, String, u16, (), ()>;
type OfOption = Input<u8, String, u16, (), Option<u64>>;
type Does = Effect<u8, String, u16, (), Option<u64>>;

#[track_caller]
fn is<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, json: &str) {
    assert_eq!(serde_json::to_string(value).expect("it serialises"), json);
    let read: T = serde_json::from_str(json).expect("it is read");
    assert_eq!(read, *value);
}

#[test]
fn a_restart_with_nothing_is_none_with_a_saved_nothing() {
    is(&OfUnit::Restart(None), r#"{"restart":"nothing"}"#);
    is(&OfUnit::Restart(Some(())), r#"{"restart":{"saved":null}}"#);
    is(&OfOption::Restart(None), r#"{"restart":"nothing"}"#);
    is(&OfOption::Restart(Some(None)), r#"{"restart":{"saved":null}}"#);
    is(&OfOption::Restart(Some(Some(u64::MAX))), r#"{"restart":{"saved":18446744073709551615}}"#);
}

#[test]
fn inputs_and_effects_are_read_as_they_are_written() {
    let message = || "hello".to_owned();
    is(
        &OfUnit::Message { from: 1, message: message() },
        r#"{"message":{"from":1,"message":"hello"}}"#,
    );
    is(&OfUnit::Fired(7), r#"{"fired":7}"#);
    is(&OfUnit::Command(()), r#"{"command":null}"#);
    is(&Does::Send { to: 1, message: message() }, r#"{"send":{"to":1,"message":"hello"}}"#);
    is(&Does::Arm(7), r#"{"arm":7}"#);
    is(&Does::Disarm(7), r#"{"disarm":7}"#);
    is(&Does::Save(None), r#"{"save":null}"#);
    is(&Does::Notify(()), r#"{"notify":null}"#);
}

#[test]
fn a_row_says_its_machine() {
    let row = RowOutcome::Row { machine: "claim", row: "18a" };
    let json = serde_json::to_string(&row).expect("it serialises");
    assert_eq!(json, r#"{"row":{"machine":"claim","row":"18a"}}"#);
    let failed = RowOutcome::ActionFailed { machine: "claim", action: "send", reason: "full" };
    let json = serde_json::to_string(&failed).expect("it serialises");
    assert!(json.starts_with(r#"{"action_failed":{"machine":"claim","action":"send""#), "{json}");
}
