//! The language reference as Markdown: every key of table and system files, and every diagnostic
//! code. Generated from the schema that the reader checks.

use std::collections::VecDeque;
use std::fmt::Write as _;

use turnstile_spec::diagnostic::code;
use turnstile_spec::language::{Key, Kind, Shape, TABLE};
use turnstile_spec::system::SYSTEM;

use crate::explain;

const PATTERNS: &str = "\
An event with a payload takes a pattern over it: `response (200)`, `response (4xx except 404)`,
`\"response (5xx, 404)\"`. Inside braces or brackets, quote a value that contains a comma.
`from: any` means every state that is not final, and `to: same` the state that the row leaves. A
list, or the name of a set, expands to one row for each member. A leaf of a formula is
`PREDICATE(ARGUMENTS)`, `RULE(ARGUMENTS)` or `VARIABLE in STATE`.

A payload is one field and its values: a range of numbers, `boolean`, or a list of words. With the
event

```yaml
events:
  reply: { kind: message, payload: { status: [ok, busy, gone] } }
```

a row has `event: reply` for every value, `event: reply (ok)` for one,
`event: \"reply (busy, gone)\"` for two, `event: reply (any except ok)` for all but one.

An event that changes nothing in a state is under `ignore`. One that cannot occur there is under
`impossible`, and the checker verifies it: the expiry of a timer that the state does not hold, or a
message that no machine sends then. A command may arrive in any state, at any time, so each state
has a row or an entry under `ignore` for it. What the document leaves open is under `unspecified`:
nothing handles the event there, and the checker reports a trace on which it arrives. A running
timer expires, so a state that holds one has a row for its expiry. The durations of timers are not
in the table: the service that runs the machine gives them, and the checker assumes none.

A row without `event` is taken as soon as its state is entered and its condition holds, in the same
step, once the actions of the row before are carried out; several in turn, as long as one applies.
Its condition is also evaluated after a row that stays in the state, and after a restart; not after
an event that is ignored. A guard without a formula may have another value for each of these rows.
So a state that such rows leave in every case is left at once: no event arrives there, and it needs
no rows or entries for any. Where none applies, the machine stays and takes events. A cycle of such
rows is an error, and so is one that leaves an initial state. Reports call what these rows take
`completion`. In Rust, `step` takes one row, `State::is_transient` says whether such a row may
follow, and `settle` takes it; the plain core and actors do so themselves.

Rows of one state and event must exclude each other, and handle every payload together. This is
decided over all values of the guards; where guards compare variables or the payload, over the
values that they can have together: `tries = 0`, `tries = 1` and `tries > 1` exclude each other and
leave nothing out. Where that would take more than 50,000 comparisons, each guard of these rows may
be true or false by itself.

A machine may have several states with `initial: true`: it begins in one of them. The checker tries
each, also after a restart that has not saved the state; a service says which one it begins in.

What else the document may mean is under `readings`. A reading changes the amended table as an
amendment would, without the amendments that have no place in it (`without`), and names the checks
that fail in it and hold in the table (`differs`). `turnstile check --reading ID` checks the table
in one reading, in all default worlds of its systems, and fails unless exactly these differ; which
rows the worlds take, and a premise that is not reached, is no such check. What the code of a core
decides, and neither a row nor a formula, is no reading.";

const SYSTEMS: &str = "\
A system whose roles have a `table` is checked from its files alone. Each node of a role runs the
table; nothing else decides what it does.

**Messages.** An action with `sends: EVENT`, `sends: EVENT (VALUE)`, `sends: EVENT (VARIABLE)` or
`sends: EVENT (payload)` sends a message; `payload` is the payload of the event that the row
handles. The message goes along the only link that leads to a role whose table has the event. Where
several roles, or several nodes of one, could be meant, `routes` says which. A link of kind `fifo`
or `unordered` goes one way. One of kind `request-response` takes requests there and answers back; a
request has a slot until it is answered, and `on failure` is what its sender gets where the request
or the answer is lost or refused. An answer without a request is an action that fails; but once a
request was doubled, or one of its ends crashed or started again, an answer may come too late, and
has no effect.

**What can happen.** An armed timer fires at any time, a command is given at any time, a message is
delivered at any time, and a request that no action sends is answered at any time. A guard without a
formula may be true or false, and is tried both ways. A time relation takes possibilities away:
`ROLE.TIMER before ROLE.TIMER` lets the second expire only while the first is not armed at any node
that is up, the node of the second included, and `messages before ROLE.TIMER` only while no message
is on its way to a node that is up. So neither waits for a node that is paused or has crashed. A
timer that is late has expired when it became due: relations between timers bind that, and `messages
before` does not, since messages may have arrived and wait at the node as the timer does. Each
relation is an assumption about durations; a circle of them is refused.

**Links.** Each pair of nodes has a link of its own, with its own `capacity`. A `fifo` link
delivers, loses and doubles only its first message; one that is doubled is delivered and stays. On a
full link, `when full: block` makes the sender wait, so that it cannot take the step; `drop` loses
the message; `fail`, the default, loses it too and violates `no full link`, and what would hold in a
world with such a loss is `incomplete`.

**Faults** happen as often as a world's `budgets` allow, and never without one: `lost message`,
`duplicate`, `lost request`, `lost answer` and `refused request` on links; `ROLE crash`, `ROLE
restart` (after a crash or at once), `ROLE pause` (it takes nothing until it goes on) and `ROLE late
timer` (a timer that is due fires after other steps, even if it is disarmed or armed again
meanwhile; one that is armed again expires once more, and a state without the timer handles it by a
row and `may hold`, or ignores it); `torn step`, a restart in the middle of a step, and `torn
crash`, a crash there; `drift`, an expiry for which no time relation holds. A budget of 0 is none. A
budget counts for all links, or for all nodes of a role, together.

A step saves once, before its messages and whatever the order of its actions, if it changes a part
that is saved. A step is torn after a save or a message that another message follows: what was
before happened, what follows did not, also if that would wait for room on a link. It takes from the
budget of the restart or crash as well. `saved` is what a restart leaves of a state, as it was after
the last step that was not torn before it was saved. What was not saved begins anew, in any of the
initial states. A crash loses what a node has not saved, and the messages to it, also those that
come before it restarts; those that it has sent stay on their way. A restart at once loses no
message. A request waits for its receiver; one that the receiver had taken is answered by `on
failure` when that crashes or restarts, also at once, and never where the link has none. In
formulas, a node that is down is in no state and has no resource; its variables are those that it
would restart with, whether it may restart or not.

A command with a budget is given that often by all nodes together whose table has it, and any number
of times without a budget; where it is ignored, it changes and takes nothing.

**Formulas.** A node is a role of one node, or a variable of a quantifier such as `some: one in
door`. A leaf is `NODE in STATE`, `NODE in STATE or STATE`, `NODE has RESOURCE`, `NODE.VARIABLE >=
VALUE` (also `=`, `!=`, `<`, `<=`, `>`, and another `NODE.VARIABLE`), `NODE = NODE`, `NODE is up`,
`NODE is down`, `NODE is paused`, or a message: `EVENT in flight`, `EVENT (VALUE) in flight from
NODE to NODE`, where `from` and `to` may be left out.

**Properties** are `always`, `never`, `sometimes`, `leads to` and `can reach`. Without a word in the
file, each system has these: every event that reaches a node is handled, no action fails, timers and
requests are there exactly as the states hold them, the system has no deadlock, no link is full, and
every row is taken in some world. A system is deadlocked if no event is enabled, and a message waits
or some machine is neither in a final state nor in one with `may end: true`. An event is enabled as
far as time relations and full links allow; faults and restarts need not come, and do not count. A
command counts where a row takes it, also when its budget is spent, which only bounds the search;
one with a budget of 0 never comes. `where` lists budgets that a world must have, all of them and
none of 0, for a property to be checked there; `without` lists faults after which it claims nothing.
A property whose antecedent never holds, or holds only after such a fault, is `vacuous`; so is an
`always` of an `implies`, or of `every` over one, whose first formula never holds.

A trace ends at an unhandled event or a failed action. That is reported once, and reaches every goal
of `leads to` and `can reach`, since what would have come after it is not known.

**Fairness.** A `leads to` `holds` if its goal comes on every path that stops only where no timer,
message or paused node can go on. It `holds under fairness` if the goal comes on those paths where
each timer that is enabled again and again fires, is armed again or disarmed (strongly fair), each
message that can be delivered again and again is (strongly fair; by pair of nodes, event and value;
the delivery of a copy that leaves the message on its way is a fault, and none of these), and each
paused node goes on (weakly fair). The verdict names those that it needs. A heartbeat that changes
nothing may run for ever. Commands, faults and restarts are never owed, and one that changes nothing
is no step of a path.";

/// The page, in Markdown, below a line that says where it comes from.
#[must_use]
pub fn page(header: &str) -> String {
    let title = "# Language reference: tables and systems";
    let mut text = format!("<!-- {header} -->\n\n{title}\n\n{PATTERNS}\n");
    let mut told = Vec::new();
    text.push_str("\n## Table files\n");
    put_file(&mut text, &TABLE, &mut told);
    let _ = writeln!(text, "\n## System files\n\n{SYSTEMS}");
    put_file(&mut text, &SYSTEM, &mut told);
    text.push_str("\n## Diagnostics\n\n| code | meaning |\n| --- | --- |\n");
    for code in code::ALL {
        let title = explain::explain(code).and_then(|page| page.lines().next());
        let title = title.and_then(|line| line.split_once(": ")).map_or("", |(_, title)| title);
        let _ = writeln!(text, "| {code} | {title} |");
    }
    text
}

/// The mappings of a file, the outermost first, without those of an earlier file.
fn put_file(text: &mut String, file: &'static Shape, told: &mut Vec<&'static str>) {
    let mut open = VecDeque::from([file]);
    while let Some(shape) = open.pop_front() {
        if told.contains(&shape.name) {
            continue;
        }
        told.push(shape.name);
        let _ = writeln!(text, "\n### {}\n\n| key | value | |\n| --- | --- | --- |", shape.name);
        for Key { name, kind, required, needs, about } in shape.keys {
            let must = if *required { "Required. ".to_owned() } else { String::new() };
            let must = needs.map_or(must, |needs| format!("Needs `{needs}`. "));
            let value = value(*kind).replace('|', "\\|");
            let _ = writeln!(text, "| `{name}` | {value} | {must}{} |", about.replace('|', "\\|"));
            shapes(*kind, &mut open);
        }
    }
}

/// The mappings that a value is made of.
fn shapes(kind: Kind, open: &mut VecDeque<&'static Shape>) {
    match kind {
        Kind::Map(shape) => open.push_back(shape),
        Kind::Names(kind) | Kind::List(kind) => shapes(*kind, open),
        Kind::Either(kinds) => kinds.iter().for_each(|kind| shapes(*kind, open)),
        Kind::Text | Kind::Flag | Kind::Choice(_) | Kind::Number | Kind::Lines => {}
    }
}

/// A value in words.
fn value(kind: Kind) -> String {
    match kind {
        Kind::Text => "text".to_owned(),
        Kind::Flag => "`true`, `false`".to_owned(),
        Kind::Number => "a number".to_owned(),
        Kind::Choice(words) => {
            words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        }
        Kind::Lines => "lines: `36`, `36-41`, or a list".to_owned(),
        Kind::Map(shape) => {
            format!("[{}](#{})", shape.name, shape.name.to_lowercase().replace(' ', "-"))
        }
        Kind::Names(kind) => format!("mapping from names to: {}", value(*kind)),
        Kind::List(kind) => format!("list of: {}", value(*kind)),
        Kind::Either(kinds) => {
            kinds.iter().map(|kind| value(*kind)).collect::<Vec<_>>().join("; or ")
        }
    }
}
