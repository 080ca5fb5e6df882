//! Traces of a core of one's own: what departs, what is refused, and what a killed process leaves.

use turnstile_scenario::trace::{HEAD, entry_line, replay_core, step_line};
use turnstile_scenario::{CoreNode, Fault, Replay};
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
    let (mut state, mut trace) = (Alarm.start(), HEAD.to_owned() + &entry_line("a", "alarm"));
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

fn replay(trace: impl AsRef<[u8]>) -> Result<Replay, Fault> {
    replay_core(trace.as_ref(), |_, is| (is == "alarm").then(|| CoreNode::new(Alarm)))
}

#[test]
fn a_trace_of_a_core_of_ones_own_replays() {
    let replayed = replay(run()).expect("it is a trace");
    assert!(replayed.is_as_written(), "{replayed:?}");
    let Replay { nodes, steps, lines, .. } = replayed;
    assert_eq!((nodes, steps, lines), (1, 4, 4));
}

#[test]
fn spaces_and_the_order_of_fields_are_nobodys_business() {
    let spaced = run().replace(':', " : ");
    assert!(replay(&spaced).expect("it is a trace").is_as_written(), "{spaced}");
    let turned = run().replace(r#""to":3,"message":8"#, r#""message":8,"to":3"#);
    assert_ne!(turned, run());
    assert!(replay(&turned).expect("it is a trace").is_as_written());
}

#[track_caller]
fn departs(from: &str, to: &str, line: usize, written: Option<&str>, now: Option<&str>) {
    let changed = run().replacen(from, to, 1);
    assert_ne!(changed, run(), "{from}");
    let replayed = replay(&changed).expect("it is a trace");
    let [departure] = &replayed.departures[..] else { panic!("one departure: {replayed:#?}") };
    assert_eq!((departure.line, departure.written.as_deref()), (line, written));
    assert_eq!(departure.now.as_deref(), now);
}

#[test]
fn what_is_another_is_missing_or_is_too_many_departs_at_its_line() {
    let (arm, save) = (r#"{"arm":7}"#, r#"{"save":null}"#);
    departs(arm, r#"{"arm":8}"#, 4, Some(r#"{"arm":8}"#), Some(arm));
    departs(r#"{"arm":7},"#, "", 4, None, Some(arm));
    departs(r#",{"save":null}"#, "", 4, None, Some(save));
    departs(save, r#"{"save":null},{"disarm":1}"#, 4, Some(r#"{"disarm":1}"#), None);
    let row = r#"{"row":{"machine":"alarm","row":"1"}}"#;
    departs(r#""rows":[]"#, &format!(r#""rows":[{row}]"#), 3, Some(row), None);
}

#[test]
fn a_node_that_enters_again_begins_anew() {
    let twice = run() + run().strip_prefix(HEAD).expect("it begins so");
    let replayed = replay(&twice).expect("it is a trace");
    assert!(replayed.is_as_written(), "{replayed:?}");
    assert_eq!((replayed.nodes, replayed.steps), (1, 8));
}

#[test]
fn a_timer_may_fire_late_but_not_unarmed() {
    let late = trace(&[Input::Command(Some(7)), Input::Command(None), Input::Fired(7)]);
    assert_eq!(replay(&late).expect("it is a trace").late, 1);
    let unarmed = replay(trace(&[Input::Command(Some(7)), Input::Fired(8)]));
    let fault = unarmed.expect_err("it was never armed");
    assert_eq!((fault.line, &*fault.because), (4, "no such timer is armed, or was"));
    assert_eq!(fault.help, "armed here: 7");
    let restarted =
        replay(trace(&[Input::Command(Some(7)), Input::Restart(None), Input::Fired(7)]));
    assert_eq!(restarted.expect_err("a restart clears timers").line, 5);
}

#[test]
fn a_torn_last_line_is_no_departure_wherever_it_is_torn() {
    let text = run().replace("o'clock", "o’clock");
    let whole = run().len() - run().lines().last().expect("a line").len() - 1;
    for end in whole + 1..text.len() - 1 {
        let replayed = replay(&text.as_bytes()[..end]).expect("it is a trace");
        assert!(replayed.is_as_written(), "{end}: {replayed:?}");
        assert_eq!((replayed.steps, replayed.torn), (3, Some(6)), "{end}");
    }
    // With all but the end of the line it is whole.
    let replayed = replay(run().trim_end()).expect("it is a trace");
    assert_eq!((replayed.steps, replayed.torn), (4, None));
}

#[track_caller]
fn refused(trace: impl AsRef<[u8]>, line: usize, because: &str) {
    let fault = replay(trace).expect_err("it is refused");
    assert_eq!(fault.line, line, "{fault}");
    assert!(fault.because.contains(because), "{fault}");
    assert!(!fault.help.is_empty(), "{fault}");
}

#[test]
fn what_is_no_trace_is_refused() {
    for text in ["", "\n", "A claim\n", "{\"trac", "[1]\n", "{\"node\":\"a\",\"is\":\"alarm\"}\n"] {
        refused(text, 1, "a trace begins with its format");
    }
    refused("{\"trace\":2}\n", 1, "this trace is of format 2, and 1 is read here");
    refused("{\"trace\":\"1\"}\n", 1, "this trace is of format \"1\"");
    refused("{\"trace\":1,\"of\":2}\n", 1, "the format has no field `of`");
}

#[test]
fn a_line_that_is_none_is_refused() {
    let after = |line: &str| format!("{HEAD}{}{line}\n", entry_line("a", "alarm"));
    refused(after("{\"node\":\"a\","), 3, "the line ends in the middle");
    refused(after("{]"), 3, "at column 2");
    refused(after("{\"node\":\"a\",\"was\":1}"), 3, "unknown field `was`");
    refused(after("{\"node\":\"a\"}"), 3, "neither a node that enters nor a whole step");
    refused(after("{\"node\":\"a\",\"input\":{\"fired\":7}}"), 3, "nor a whole step");
    refused(after("{\"node\":\"a\",\"is\":\"teapot\"}"), 3, "no such node is known here");
    let step = |node: &str, input: &str, effects: &str| {
        let parts = format!("\"input\":{input},\"rows\":[],\"effects\":{effects}");
        after(&format!("{{\"node\":\"{node}\",{parts}}}"))
    };
    refused(step("b", "{\"command\":7}", "[]"), 3, "no such node has entered");
    refused(step("a", "{\"dance\":7}", "[]"), 3, "the input is none: unknown variant `dance`");
    refused(step("a", "{\"command\":-7}", "[]"), 3, "the input is none: invalid value");
    let more = "{\"message\":{\"from\":1,\"message\":2,\"by\":3}}";
    refused(step("a", more, "[]"), 3, "the input says what the core does not read");
    refused(step("a", "{\"command\":7}", "{}"), 3, "rows and effects are lists");
    let full = [Input::Command(Some(7)), Input::Message { from: 1, message: 1 }];
    let full = trace(&full).replace("\"message\":1}", "\"message\":4294967295}");
    refused(full, 4, "the core panics at this input");
    refused([HEAD.as_bytes(), b"\xff\n"].concat(), 2, "byte 1 is not UTF-8");
}

#[test]
fn what_stops_after_a_departure_hides_none() {
    let text = run().replace("{\"arm\":7}", "{\"arm\":8}") + "{]\n";
    let replayed = replay(&text).expect("it has departed before");
    assert_eq!(replayed.departures.len(), 1);
    assert_eq!(replayed.stopped.map(|fault| fault.line), Some(7));
}
