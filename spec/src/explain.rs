//! One page for each code: what the fault means, with an example. The examples are the fixtures of
//! the tests, text and fault, so that a page cannot say what the reader does not.

use crate::code;

/// Every code, in order.
pub const CODES: &[&str] = code::ALL;

/// The page of a code: `T012`.
#[must_use]
pub fn explain(code: &str) -> Option<&'static str> {
    match code {
        code::NOT_COMPILED => return Some(NOT_COMPILED),
        code::BAD_SETTING => return Some(BAD_SETTING),
        code::NO_SURVIVOR => return Some(NO_SURVIVOR),
        _ => {}
    }
    PAGES.iter().find(|(known, _)| *known == code).map(|(_, page)| *page)
}

/// What no file shows by itself: it takes a program to be compared with.
const NOT_COMPILED: &str = "T090: a name that the compiled core does not know

A file whose `machine` or `system` is bundled runs through the cores that were compiled into this
program. It names a state, an event, an action or a resource, or, in a system file, a role, a link,
a timer, a budget or a property that the cores were not compiled with. In a checkout, edit the file
under spec/ and build anew; elsewhere, check a machine under another name, by its table alone.
";

/// What a system's cores take, its file does not say.
const BAD_SETTING: &str = "T091: a value of a setting that the system cannot take

`set` of a system file, or of one of its worlds, gives a key a value that the cores behind the
system cannot be built with: no number, one out of their range, or another word than they know. The
fault says which values there are. With `--set KEY=VALUE` the same is bad usage.
";

/// Whether a mutant survives takes a search.
const NO_SURVIVOR: &str = "T092: a survivor that is none

`survivors` says of changes of the amended table why no property can notice them. This entry names a
row or a change of it that `turnstile mutate` does not make, or one that a property notices by now:
then what it says is no longer so. The words of `row` and `change` are those that `turnstile mutate`
prints.
";

macro_rules! pages {
    ($($code:literal $slug:literal $title:literal $text:literal)*) => {
        const PAGES: &[(&str, &str)] = &[$((
            $code,
            concat!(
                $code, ": ", $title, "\n\n", $text, "\n\nExample:\n\n",
                include_str!(concat!("../tests/faults/", $code, "-", $slug, ".yaml")),
                "\n",
                include_str!(concat!("../tests/faults/", $code, "-", $slug, ".stderr")),
            ),
        )),*];
    };
}

pages! {
    "T001" "not-yaml" "the file is not YAML"
"The reader could not make a tree of the file, or found more than one document in it, or nothing
at all. The frame shows where the YAML parser gave up; the cause often stands a line earlier: a
bracket or a quote that is not closed, or an indentation that differs."
    "T002" "limit" "more than a named limit allows"
"Every bound of the reader has a name: bytes of a file, depth of nesting, names, rows, cells,
amendments, rows and guards of one cell. A file beyond a bound is refused before it can cost
memory or time. A machine of this size is several machines."
    "T003" "anchor" "an anchor, alias, merge key or tag"
"A table reads like its document, from top to bottom. What an alias stands for is somewhere else,
so aliases, anchors, merge keys and tags are refused. Named sets (`sets`) and lists in `from`
and `event` do the same in the open."
    "T004" "duplicate-key" "a key is written twice"
"YAML readers differ in which of two equal keys they keep; in a transition table that is two
different machines. So the second one is refused."
    "T005" "unknown-key" "a key that the language does not know"
"Each mapping has a fixed list of keys. A key that is not in it is refused rather than passed
over: a mistyped `final` would make another machine."
    "T006" "missing-key" "a key that must be there"
"The mapping cannot be understood without it. A row needs `from`, `to` and `event`; an event
needs `kind` or `consumes`; a resource needs a kind or the list that it stands for; an amendment
says which row and what it becomes."
    "T007" "wrong-shape" "a value of another kind"
"The key is right, the value is not: text where a list must be, a list where a mapping must be, a
word that is none of those allowed. `do` is a list even if it has one entry."
    "T008" "comma" "a comma cuts a value in two"
"Inside `{ }` and `[ ]` a comma ends a value, also behind an opened parenthesis. YAML then takes
the rest for a key. Quote values that have a comma."
    "T009" "payload" "the values of a payload cannot be read"
"An event carries at most one field. Its values are a range of numbers from 0 to 65535,
`boolean`, or a list of words. They cannot be amended, because the literal and the amended table
share one Rust type."
    "T010" "undeclared-state" "a state that nothing declares"
"A row, a cell or a set names a state that `states` does not have. If the document itself uses
the name and never declares it, leave the row as it is: as written, the machine stops there,
with nothing held and no row; an amendment says what is meant. `undeclared: true` gives such a
name its Rust spelling."
    "T011" "undeclared-event" "an event that nothing declares"
"A row or a cell waits for an event that `events` does not have. What stands in the parentheses
at its end is a pattern over what it carries and no part of the name."
    "T012" "undeclared-action" "an action that nothing declares"
"`do` names an action that `actions` does not have. Actions are declared so that the reader knows
which resources they create and delete."
    "T013" "undeclared-resource" "a resource that nothing declares"
"A state holds, an event consumes, an action handles, or a general word stands for something that
`resources` does not have. The words `timer`, `request` and `note` mean every resource of that
kind and need no declaration."
    "T014" "undeclared-guard" "a guard that nothing declares"
"A condition asks something that `guards` does not have. Guards are the booleans that the core
answers; each is declared once, with the sentence that it stands for."
    "T015" "collision" "two names with one Rust spelling"
"Names become variants of Rust enums, in CamelCase: `retrying abort` is `RetryingAbort`. Two
names of one list may not come to the same variant. Give one of them another with `ident`."
    "T016" "name" "a name that cannot be used"
"A name must have a letter or a digit to be spelled in Rust, may not be `Self`, and may not be a
word that the language has given a meaning: `any` and `same` as states or sets, `timer`,
`request` and `note` as resources. A set may not be called like a state."
    "T017" "undeclared-predicate" "a name in a formula or a loop that nothing declares"
"A leaf of a formula is a predicate with its things, `covers(lock, byte)`, another rule with its
things, or `lock in ACTIVE`: an instance and a state or a set. A quantifier goes over a state, a set
or a collection, a loop over a collection. What is answered stands under `predicates`, what is
listed under `collections`."
    "T018" "variable" "a variable that stands for nothing, or for two things"
"A formula speaks of the things that its rule has under `of` and of the variables of the quantifiers
around it. Each name stands for one thing at a time."
    "T019" "arguments" "too few or too many things"
"A predicate, a collection and a rule are given as many things as stand under `of` where they are
declared."
    "T020" "duplicate-row" "a row written twice"
"Two rows are the same in source, event, condition, destination and actions. If the document
repeats itself, remove the second by an amendment."
    "T021" "conflict" "two rows take the same event"
"There is a payload and an answer of the guards for which both rows match. It is decided exactly,
over all values and all answers. As written, the search tries each of them; compiled code needs
one."
    "T022" "missing-cell" "nothing is said of a cell"
"Every state, event and payload must be a row, or stand under `ignore` (it changes nothing) or
`impossible` (it cannot come; the checker must prove it), with a reason. States that are final,
and states that the table does not declare, have no cells. The help has the entries ready to be
filled in."
    "T023" "cell-twice" "a cell is said twice"
"A cell under `ignore` or `impossible` has a row as well, or stands there twice. With `state:
any` a cell fills in only what nothing else says, and never collides."
    "T024" "outside" "a pattern outside of what an event carries"
"The pattern names values that the event is not declared to carry; no payload would ever match
them."
    "T025" "empty" "a pattern without a value"
"What stands behind `except` takes away every value that stands before it: the row can never be
taken."
    "T026" "unreadable" "a pattern that cannot be read"
"A pattern is a list of values, ranges and classes, with `except` before those that are taken
away: `404`, `4xx`, `400..409`, `5xx, 404`, `4xx except 404`, `true`, a word of the list. An
event that carries nothing has no pattern."
    "T027" "formula" "a formula that cannot be read"
"`implies` and `iff` take two conditions; a quantifier names its variable and what it goes over,
`every: lock in ACTIVE`, and has `is`; a rule may ask others, and none of those may come back to it;
an invariant speaks of no thing from outside."
    "T028" "loop" "an entry of `do` that cannot be"
"An entry is an action, `{ if: GUARD, do: [...] }` or `{ for each: COLLECTION, do: [...] }`. In a
loop stand actions only, and none that creates or deletes what a state holds, for a state holds it
once. What a loop goes over is of nothing else: a row has no thing to give it."
    "T029" "covered" "cells that `any` covers look forgotten"
"With `state: any` a cell under `ignore` or `impossible` fills in whatever nothing else says, a row
that was forgotten among it. The note says how many cells an entry covers. It is a warning where it
covers a command or message that a row takes in another state that is not final and holds the same,
that rows take in the same state with other values, in most states, or nowhere, or an event whose
cause the state holds. Add the row, or name the states that are meant: then the entry is about
these, and not about the rest. A warning stops nothing: the table compiles and is checked with it."
    "T030" "unreachable" "no run comes to a state"
"From the initial state no chain of rows leads here, whatever happens. Either a row is missing or
the state is of no use."
    "T031" "no-way-out" "nothing leaves a state"
"The state has no row to another one and is not final: a machine that comes here stays for ever."
    "T032" "out-of-final" "a row leaves a final state"
"A machine in a final state has ended; the row is never taken."
    "T033" "no-beginning" "not one state to begin in"
"A machine begins in exactly one state, marked `initial: true`."
    "T040" "leak" "a resource is left behind"
"What the source holds, less what the row takes, plus what it creates, is more than the
destination holds. A timer that is left behind fires in a state that does not expect it; the
answer of a request that is left behind comes to a state that did not ask. Delete the timer,
abandon the request, or let the destination hold it."
    "T041" "not-held" "a resource that is taken is not held"
"The row waits for a timer that its source does not hold, or deletes, restarts or abandons what
is not there. As written, the row is never taken, or its action has nothing to do."
    "T042" "created-twice" "a resource is created while it is held"
"The row creates what its source holds already and has not lost on the way. Which of the two a
later row would delete nobody could say."
    "T043" "general-word" "a general word means none or several"
"A general word, such as `retry timer` or `request`, means the one resource that the source holds
(where it is consumed, deleted, restarted, abandoned) or that the destination holds (where it is
created). Here it is none, or several."
    "T044" "not-brought" "the destination holds what the row does not bring"
"The destination is declared to hold something that the source did not hold and the row does not
create. As written, the machine waits there for a timer that was never armed or an answer to a
request that was never sent."
    "T045" "held-twice" "a state lists a resource twice"
"A state holds a thing always (`holds`) or sometimes (`may hold`), not both, and there is one of
it."
    "T046" "timer-not-taken" "no row takes the firing of a timer that a state holds"
"A timer that is armed fires. A state that holds one needs a row for the event of its firing; an
entry under `ignore` or `impossible` does not change that the timer is gone then, or can fire. Of a
timer that is held sometimes, an entry that names the state may say why its firing changes nothing.
A timer that no event consumes cannot be seen to fire at all: declare its event."
    "T050" "unused" "a declaration that nothing uses"
"No row, cell, state or other declaration of the literal or the amended table names it. It is a
relic, or the row that should use it is missing."
    "T051" "cited-and-excused" "a line is cited and excused"
"`uncited` gives reasons for the lines of the document that nothing transcribes. A line that a
row or a declaration cites is transcribed; one of the two is not true."
    "T060" "selects-nothing" "an amendment hits nothing"
"The selector names no row, cell or declaration of the literal table as the amendments leave it
that this one needs and that stand before it."
    "T061" "selects-several" "a selector hits several rows"
"An amendment changes one row. Where several rows cite the same line, `from`, `event` and `if`
say which."
    "T062" "amended-twice" "two amendments of one thing"
"Each amendment is put to the literal table as those leave it that it needs, directly or through
others. So two of them touch the same row, cell or declaration only where one needs the other."
    "T063" "no-effect" "an amendment without effect"
"The amendment changes nothing, or nothing is said to fail without it. Each amendment must be
load-bearing: without it, what stands in `shown-by` fails."
    "T064" "needs-unknown" "an amendment needs what is not there"
"`needs` names other amendments of this file that this one builds on, and never comes back to
itself."
    "T065" "id-twice" "two amendments of one name"
"Reports, `needs` and the ids of changed rows name amendments; the names must differ."
    "T066" "adds-known" "an amendment adds what is there"
"Something of this name is declared in the literal table. To change it, put it under `change`:
the keys given there replace the old ones."
    "T067" "asked-of" "a formula or a loop that asks what nobody can answer"
"A formula is asked of one: of the core that steps the machine, or of who sees the whole system.
What a predicate, a collection or the states of `instances` can be asked of stands under `asked of`,
as `core`, `whole` or a list of both; unless it is written, the core is asked. A rule or an
invariant is answered by whoever can answer all of it, so one that asks a core for this and the
whole for that has nobody. A guard is the core's, and so is its formula. Rows go through
collections that are `asked of: row`; with neither `of` nor `asked of`, a collection is for both."
    "T080" "unknown-role" "a role that a system does not declare"
"A link or a time relation names a role that `roles` does not have."
    "T081" "relation" "a link or a time relation that cannot be read"
"A link is named by its two roles, `client to server`; a time relation by two timers, each with
its role: `client.lease before server.ttl`. What follows a comma says what both are counted
from."
    "T082" "unknown-setting" "a key that is not in `set`"
"A role counts by a key, or a world sets one, that the system's `set` does not have. `set` lists
what may vary, each with its usual value."
    "T083" "no-capacity" "a link that nothing bounds"
"Every link has a named capacity, or the search would have no end: `slots` for requests that wait
for their answers, `capacity` for messages on their way."
    "T084" "property-kind" "a property without its kind, or with several"
"A property says exactly one of `always`, `sometimes`, `leads to` and `can reach`, and behind it
the sentence that it checks."
    "T085" "property-twice" "two properties of one name"
"Each property is a method of a Rust trait; its name must differ from the others also in
CamelCase."
    "T086" "unknown-property" "a property that the system does not declare"
"A world lists the properties that it checks; this one is not among the system's properties."
    "T087" "unknown-budget" "a budget that a property speaks of and no world has"
"`where` has a property checked in the worlds with those budgets only, `without` has it say nothing
after those faults. A name that no world has a budget for would leave the property unchecked, or
checked of more than is meant."
    "T088" "unchecked" "nothing to check"
"A system without a role, a world or a property, or a property that none of the worlds checks:
what is not searched would pass for what holds."
    "T089" "excuse" "a `without` that can excuse nothing"
"`without` names faults after which a property claims nothing. A `sometimes` is satisfied by a
state or by none, whatever happened before; and of a budget that is `any`, no state says whether
it was spent."
}
