//! Traces of a user's own core: mismatches, invalid lines, and the truncated line of a killed
//! process.

use turnstile_scenario::trace::{HEAD, declaration_line, replay_core, step_line};
use turnstile_scenario::{CoreNode, LineError, Replay};
use turnstile_step::{Core, Effect, Input, InputOf, Out, OutOf};

/// An alarm clock: it is set, and rings.
#[derive(Clone, Debug)]
struct Alarm;

impl Core for Alarm {
    type State = u32;
    type Peer = u8;
    type Message = u32;
    type Timer = u32;
    type Command = Option<u32>;
    type Notice = String;
    type Saved = ();

    fn start(&self) -> u32 {
        0
    }

    fn step(&self, state: &mut u32, input: InputOf<Self>, out: &mut OutOf<Self>) {
        match input {
            Input::Command(Some(at)) => {
                *state = at;
                out.effects.push(Effect::Arm(at));
                out.effects.push(Effect::Save(()));
            }
            Input::Command(None) => out.effects.push(Effect::Disarm(*state)),
            Input::Fired(at) => out.effects.push(Effect::Notify(format!("it is {at} o'clock"))),
            Input::Message { from, message } => {
                out.effects.push(Effect::Send { to: from, message: message.strict_add(*state) });
            }
            Input::Restart(_) => *state = 0,
        }
    }
}

/// The trace of an alarm clock `a` that takes these inputs.
fn trace(inputs: &[InputOf<Alarm>]) -> String {
    let (mut state, mut trace) = (Alarm.start(), HEAD.to_owned() + &declaration_line("a", "alarm"));
    for input in inputs {
        let mut out = Out::default();
        Alarm.step(&mut state, input.clone(), &mut out);
        trace += &step_line::<Alarm>("a", input, &out).expect("it is JSON");
    }
    trace
}

fn run() -> String {
    let hears = |message| Input::Message { from: 3, message };
    let inputs = [Input::Restart(None), Input::Command(Some(7)), hears(1), Input::Fired(7)];
    trace(&inputs)
}

fn replay(trace: impl AsRef<[u8]>) -> Result<Replay, LineError> {
    replay_core(trace.as_ref(), |_, is| (is == "alarm").then(|| CoreNode::new(Alarm)))
}

#[test]
fn a_trace_of_a_core_of_ones_own_replays() {
    let replayed = replay(run()).expect("it is a trace");
    assert!(replayed.matches(), "{replayed:?}");
    let Replay { nodes, steps, lines, .. } = replayed;
    assert_eq!((nodes, steps, lines), (1, 4, 4));
}

#[test]
fn white_space_and_the_order_of_fields_do_not_matter() {
    let spaced = run().replace(':', " : ");
    assert!(replay(&spaced).expect("it is a trace").matches(), "{spaced}");
    let turned = run().replace(r#""to":3,"message":8"#, r#""message":8,"to":3"#);
    assert_ne!(turned, run());
    assert!(replay(&turned).expect("it is a trace").matches());
}

#[track_caller]
fn mismatch(from: &str, to: &str, line: usize, written: Option<&str>, now: Option<&str>) {
    let changed = run().replacen(from, to, 1);
    assert_ne!(changed, run(), "{from}");
    let replayed = replay(&changed).expect("it is a trace");
    let [mismatch] = &replayed.mismatches[..] else { panic!("one departure: {replayed:#?}") };
    assert_eq!((mismatch.line, mismatch.expected.as_deref()), (line, written));
    assert_eq!(mismatch.actual.as_deref(), now);
}

#[test]
fn a_different_a_missing_and_a_surplus_effect_are_mismatches_at_their_line() {
    let (arm, save) = (r#"{"arm":7}"#, r#"{"save":null}"#);
    mismatch(arm, r#"{"arm":8}"#, 4, Some(r#"{"arm":8}"#), Some(arm));
    mismatch(r#"{"arm":7},"#, "", 4, None, Some(arm));
    mismatch(r#",{"save":null}"#, "", 4, None, Some(save));
    mismatch(save, r#"{"save":null},{"disarm":1}"#, 4, Some(r#"{"disarm":1}"#), None);
    let row = r#"{"row":{"machine":"alarm","row":"1"}}"#;
    mismatch(r#""rows":[]"#, &format!(r#""rows":[{row}]"#), 3, Some(row), None);
}

#[test]
fn a_node_that_is_declared_again_starts_again() {
    let twice = run() + run().strip_prefix(HEAD).expect("it begins so");
    let replayed = replay(&twice).expect("it is a trace");
    assert!(replayed.matches(), "{replayed:?}");
    assert_eq!((replayed.nodes, replayed.steps), (1, 8));
}

#[test]
fn a_timer_may_fire_late_but_not_unarmed() {
    let late = trace(&[Input::Command(Some(7)), Input::Command(None), Input::Fired(7)]);
    assert_eq!(replay(&late).expect("it is a trace").late_timers, 1);
    let unarmed = replay(trace(&[Input::Command(Some(7)), Input::Fired(8)]));
    let error = unarmed.expect_err("it was never armed");
    assert_eq!((error.line, &*error.reason), (4, "timer was never armed"));
    assert_eq!(error.help, "armed timers: 7");
    let restarted =
        replay(trace(&[Input::Command(Some(7)), Input::Restart(None), Input::Fired(7)]));
    assert_eq!(restarted.expect_err("a restart clears timers").line, 5);
}

#[test]
fn a_truncated_last_line_is_no_mismatch() {
    let text = run().replace("o'clock", "o’clock");
    let whole = run().len() - run().lines().last().expect("a line").len() - 1;
    for end in whole + 1..text.len() - 1 {
        let replayed = replay(&text.as_bytes()[..end]).expect("it is a trace");
        assert!(replayed.matches(), "{end}: {replayed:?}");
        assert_eq!((replayed.steps, replayed.truncated_line), (3, Some(6)), "{end}");
    }
    // With all but the end of the line it is whole.
    let replayed = replay(run().trim_end()).expect("it is a trace");
    assert_eq!((replayed.steps, replayed.truncated_line), (4, None));
}

#[track_caller]
fn rejected(trace: impl AsRef<[u8]>, line: usize, reason: &str) {
    let error = replay(trace).expect_err("it is rejected");
    assert_eq!(error.line, line, "{error}");
    assert!(error.reason.contains(reason), "{error}");
    assert!(!error.help.is_empty(), "{error}");
}

#[test]
fn a_file_that_is_no_trace_is_rejected() {
    for text in ["", "\n", "A claim\n", "{\"trac", "[1]\n", "{\"node\":\"a\",\"is\":\"alarm\"}\n"] {
        rejected(text, 1, "a trace begins with the version of its format");
    }
    rejected("{\"trace\":2}\n", 1, "format version 2 is not supported, only 1");
    rejected("{\"trace\":\"1\"}\n", 1, "format version \"1\" is not supported");
    rejected("{\"trace\":1,\"of\":2}\n", 1, "the format has no field `of`");
}

#[test]
fn an_invalid_line_is_rejected() {
    let after = |line: &str| format!("{HEAD}{}{line}\n", declaration_line("a", "alarm"));
    rejected(after("{\"node\":\"a\","), 3, "truncated line");
    rejected(after("{]"), 3, "at column 2");
    rejected(after("{\"node\":\"a\",\"was\":1}"), 3, "unknown field `was`");
    rejected(after("{\"node\":\"a\"}"), 3, "neither a declaration of a node nor a complete step");
    rejected(after("{\"node\":\"a\",\"input\":{\"fired\":7}}"), 3, "nor a complete step");
    rejected(after("{\"node\":\"a\",\"is\":\"teapot\"}"), 3, "unknown node kind");
    let step = |node: &str, input: &str, effects: &str| {
        let parts = format!("\"input\":{input},\"rows\":[],\"effects\":{effects}");
        after(&format!("{{\"node\":\"{node}\",{parts}}}"))
    };
    rejected(step("b", "{\"command\":7}", "[]"), 3, "undeclared node");
    rejected(step("a", "{\"dance\":7}", "[]"), 3, "invalid input: unknown variant `dance`");
    rejected(step("a", "{\"command\":-7}", "[]"), 3, "invalid input: invalid value");
    let more = "{\"message\":{\"from\":1,\"message\":2,\"by\":3}}";
    rejected(step("a", more, "[]"), 3, "the input has values that the core ignores");
    rejected(step("a", "{\"command\":7}", "{}"), 3, "expected a list of rows or effects");
    let full = [Input::Command(Some(7)), Input::Message { from: 1, message: 1 }];
    let full = trace(&full).replace("\"message\":1}", "\"message\":4294967295}");
    rejected(full, 4, "the core panics at this input");
    rejected([HEAD.as_bytes(), b"\xff\n"].concat(), 2, "byte 1 is not UTF-8");
}

#[test]
fn a_replay_that_stops_keeps_its_mismatches() {
    let text = run().replace("{\"arm\":7}", "{\"arm\":8}") + "{]\n";
    let replayed = replay(&text).expect("a mismatch precedes it");
    assert_eq!(replayed.mismatches.len(), 1);
    assert_eq!(replayed.stopped_at.map(|error| error.line), Some(7));
}
