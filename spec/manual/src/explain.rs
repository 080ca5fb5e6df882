//! One page for each code: what the diagnostic means, with an example. The examples are the test
//! fixtures, file and output, so that a page always shows what the reader reports.

use turnstile_spec::diagnostic::code;

/// The page of a code: `T012`.
#[must_use]
pub fn explain(code: &str) -> Option<&'static str> {
    match code {
        code::NOT_COMPILED => return Some(NOT_COMPILED),
        code::INVALID_SETTING => return Some(BAD_SETTING),
        code::NOT_SURVIVING => return Some(NO_SURVIVOR),
        code::NO_ROUTE => return Some(NO_ROUTE),
        code::NOT_RUNNABLE => return Some(NOT_RUNNABLE),
        _ => {}
    }
    PAGES.iter().find(|(known, _)| *known == code).map(|(_, page)| *page)
}

/// No file shows it by itself: it depends on the program that reads the file.
const NOT_COMPILED: &str = "T090: name unknown to the compiled core

A file whose `machine` or `system` is bundled runs through the cores compiled
into this program. The file names a state, an event, an action or a resource,
or, in a system file, a role, a link, a timer, a budget or a property that those
cores do not have. In a checkout, edit the file under spec/ and rebuild;
elsewhere, give the machine another name, and it is checked by its table alone.
";

/// Which values a system's cores accept, its file does not say.
const BAD_SETTING: &str = "T091: invalid value of a setting

`set` of a system file, or of one of its worlds, gives a key a value that the
cores of the system cannot be built with: not a number, a number out of range,
or an unknown word. The message lists the valid values. With `--set KEY=VALUE`
the same mistake is a usage error.
";

/// Whether a mutant survives takes a search.
const NO_SURVIVOR: &str = "T092: `survivors` lists a mutant that does not survive

`survivors` lists mutants that no property kills, each with the reason:
equivalent ones, which none can kill, and with `equivalent: false` others. This
entry names a row or a change that `turnstile mutate` does not make, or a mutant
that some property kills. Copy `row` and `change` from the output of
`turnstile mutate`, or remove the entry.
";

/// It takes the tables beside a system file.
const NO_ROUTE: &str = "T093: message without a receiver, or with several

In a system of tables, an action with `sends: EVENT` sends a message along the
only link that leads to a role whose table has this event. There is no such
link, there are several, the role may have several nodes, or the receiver's
table takes no such payload. Add a link, declare the event in the receiver's
table, or name the receiver under `routes`:

    routes:
      open please: { from: car, to: every door }
      opened:      { to: sender }

A receiver is a role of one node, `every ROLE`, `every other` node of the
sender's role, or `sender`, the node whose message the sender handles.
";

/// Only who runs a file knows it.
const NOT_RUNNABLE: &str = "T094: table or world that cannot run

The file can be read, but the checker cannot run it: a table has no initial
state, or more initial states or outcomes of one event than the search can tell
apart; a table of a system cannot be read, or its role cannot take what the
links carry; a world has more nodes, budgets or initial states than a search
holds. The message says which, and the help what to change.
";

macro_rules! pages {
    ($($code:literal $slug:literal $title:literal $text:literal)*) => {
        const PAGES: &[(&str, &str)] = &[$((
            $code,
            concat!(
                $code, ": ", $title, "\n\n", $text, "\n\nExample:\n\n",
                include_str!(concat!("../faults/", $code, "-", $slug, ".yaml")),
                "\n",
                include_str!(concat!("../faults/", $code, "-", $slug, ".stderr")),
            ),
        )),*];
    };
}

pages! {
    "T001" "not-yaml" "invalid YAML"
"The file does not parse as YAML, contains more than one document, or is empty.
The frame shows where the YAML parser stopped; the cause is often a line
earlier: an unclosed bracket or quote, or wrong indentation."
    "T002" "limit" "limit exceeded"
"Every limit of the reader is a named constant: file size, nesting depth, names,
rows, cells, amendments, and rows and guards of one cell. The reader refuses a
larger file before it costs memory or time. Split a machine of this size into
several machines."
    "T003" "anchor" "anchor, alias, merge key or tag"
"A table reads like its document, from top to bottom. An alias refers to text
elsewhere, so aliases, anchors, merge keys and tags are not supported. Use named
sets of states (`sets`), or lists in `from` and `event`, instead."
    "T004" "duplicate-key" "duplicate key"
"YAML readers differ in which of two equal keys they keep, and each choice gives
another machine. The reader refuses the second key."
    "T005" "unknown-key" "unknown key"
"Each mapping has a fixed set of keys. The reader refuses other keys instead of
ignoring them: a misspelt `final` would silently give another machine."
    "T006" "missing-key" "missing key"
"The mapping lacks a required key. A row needs `from`, `to` and `event`; an event
needs `kind` or `consumes`; a resource needs a kind or the list of resources
that it stands for; an amendment needs both the row that it selects and the
values that it sets; a property with `only` needs `because`, since it is not
checked on the other version of the tables."
    "T007" "wrong-shape" "value of the wrong type"
"The key is known, but its value has the wrong type: text instead of a list, a
list instead of a mapping, or a word that is not one of those allowed. `do` is a
list even if it has one entry."
    "T008" "comma" "unquoted comma"
"Inside `{ }` and `[ ]` YAML ends a value at a comma, even within parentheses,
and takes the rest for another key or item. Quote values that contain a comma."
    "T009" "payload" "invalid payload"
"An event carries at most one field. Its values are a range of numbers within
0..65535, `boolean`, or a list of words. An amendment cannot change a payload,
because the table as written and the amended table share one Rust type."
    "T010" "undeclared-state" "undeclared state"
"A row, a cell or a set names a state that is not declared in `states`. If the
document itself uses the name without declaring it, keep the row: as written,
the machine stops there, holds nothing and has no rows; an amendment says what
is meant. `undeclared: true` gives such a name its Rust identifier."
    "T011" "undeclared-event" "undeclared event"
"A row or a cell names an event that is not declared in `events`. Text in
parentheses at its end is a pattern over the payload, not part of the name."
    "T012" "undeclared-action" "undeclared action"
"`do` names an action that is not declared in `actions`. The declaration says
which resources the action creates and deletes."
    "T013" "undeclared-resource" "undeclared resource"
"A state, an event, an action or a generic name refers to a resource that is not
declared in `resources`. The words `timer`, `request` and `note` refer to every
resource of that kind and need no declaration."
    "T014" "undeclared-guard" "undeclared guard"
"A condition uses a guard that is not declared in `guards`. A guard is a named
boolean, evaluated by the core or by a formula; each is declared once, with the
sentence that it stands for."
    "T015" "collision" "two names with one Rust identifier"
"Names become variants of Rust enums, in CamelCase: `retrying abort` is
`RetryingAbort`. Two names of one section may not become the same variant. Set
another identifier for one of them with `ident`."
    "T016" "name" "invalid name"
"A name needs an ASCII letter or digit to become a Rust identifier. It may not be
`Self`, nor a reserved word: `any` and `same` for states and sets, `timer`,
`request` and `note` for resources. A set and a state may not share a name."
    "T017" "undeclared-predicate" "undeclared name in a formula or a loop"
"A leaf of a formula is a predicate with its arguments, `covers(lock, byte)`,
another rule with its arguments, or `lock in ACTIVE`: an instance and a state or
a set. A quantifier ranges over a state, a set or a collection, a loop over a
collection. Declare booleans under `predicates` and lists under `collections`."
    "T018" "variable" "unbound or shadowed variable"
"A formula may use the parameters of its rule (`of`) and the variables of the
enclosing quantifiers. Each name is bound once."
    "T019" "arguments" "wrong number of arguments"
"A predicate, a collection or a rule takes as many arguments as its declaration
has parameters under `of`."
    "T020" "duplicate-row" "duplicate row"
"Two rows have the same source, event, condition, destination and actions. If the
document repeats itself, remove the second row by an amendment."
    "T021" "conflict" "conflicting rows"
"Some payload and some values of the guards match both rows, so the table is
nondeterministic. The check is exact: it considers every payload value and every
combination of guard values, of guards that compare variables or the payload
those that some values give (if that takes at most 50,000 comparisons). The
table as written is searched with either choice; compiled code needs exactly
one."
    "T022" "missing-cell" "unhandled event"
"Every state, event and payload value needs a row, or an entry with a reason
under `ignore` (the event changes nothing) or `impossible` (the event cannot
occur; the checker verifies it). Final states, and states that the table does
not declare, need none. A command may arrive in any state, so it needs a row or
`ignore`. A running timer expires, so its expiry needs a row. The help lists the
missing rows and entries, ready to copy."
    "T023" "cell-twice" "cell declared twice"
"A cell under `ignore` or `impossible` also has a row without a condition, or
rows whose conditions leave nothing out, or is listed twice.
`state: any` covers only the cells that nothing else declares, and never
conflicts."
    "T024" "outside" "pattern out of range"
"The pattern contains values outside the declared payload of the event. No event
would ever match them."
    "T025" "empty" "empty pattern"
"The values after `except` exclude every value before it, so the row is never
taken."
    "T026" "unreadable" "invalid pattern"
"A pattern is a list of values, ranges and classes, optionally followed by
`except` and the values to exclude: `404`, `4xx`, `400..409`, `5xx, 404`, `4xx
except 404`, `true`, a word of the payload. An event without a payload takes no
pattern."
    "T027" "formula" "invalid formula"
"`implies` and `iff` take two conditions. A quantifier names its variable and its
range, `every: lock in ACTIVE`, and has the key `is`. Rules may use other rules,
but not recursively. An invariant has no parameters."
    "T028" "loop" "invalid entry of `do`"
"An entry is an action, `{ if: GUARD, do: [...] }` or `{ for each: COLLECTION,
do: [...] }`. A loop contains only actions, and none that creates or deletes a
resource, because a state holds each resource at most once. The collection of a
loop has no parameters, because a row has no arguments to pass."
    "T029" "covered" "`any` covers cells that may lack a row"
"Under `ignore` or `impossible`, `state: any` covers every cell that nothing else
declares, and so can hide a missing row. A note says how many cells the entry
covers. It becomes a warning where it covers an event whose cause the state
holds, or a command or message that rows handle in a non-final state with the
same resources, in the same state for other values, in most states, or nowhere.
Add the row, or name the intended states instead of `any`. A warning does not
stop the reader: the table compiles and is checked."
    "T030" "unreachable" "unreachable state"
"No sequence of rows leads from the initial state to this state. Either a row is
missing or the state is not needed."
    "T031" "no-way-out" "non-final state without an exit"
"No row leads from this state to another one, and the state is not final: a
machine that enters it stays for ever. If that is meant, `final: true` says that
the machine ends there, and `may end: true` that it stays and still takes
events."
    "T032" "out-of-final" "row from a final state"
"A machine in a final state has ended, so the row is never taken."
    "T033" "no-beginning" "no initial state"
"A machine begins in a state that is marked `initial: true`. If several are, it
may begin in any of them: the checker tries each, and a service says which one."
    "T034" "impossible-command" "command declared impossible"
"A command comes from the user or the environment, which may cause it in any
state, at any time. So an entry under `impossible` for a command cannot be
verified, and `turnstile check` reports that the cell is reached. Add a row, or
an entry under `ignore` if the command changes nothing there. If another machine
sends the event, declare it `kind: message`: a system then verifies the entry."
    "T035" "unspecified" "cells that the document leaves open"
"An entry under `unspecified` says that the document does not say what an event
does in a state. The table is complete, and nothing handles the event: the
checker reports a trace on which it arrives, as for an event without a row. An
amendment that decides the cell removes the entry and adds a row."
    "T036" "completion-cycle" "cycle of rows without an event"
"A row without an event is taken as soon as its state is entered and its
condition holds, in the same step. A cycle of such rows could keep the machine
in one step for ever. Give one of them an event."
    "T037" "left-at-once" "state that is left at once"
"The conditions of the rows without an event cover every case, so the machine
leaves the state in the same step in which it enters it, and no event arrives
there. Remove the row or the entry, or give a row without an event a condition
under which the machine stays."
    "T038" "initial-left" "rows without an event leave an initial state"
"A machine begins in an initial state without a step, so nothing would carry out
the actions of a row without an event. Mark the states to which these rows lead
with `initial: true` instead."
    "T040" "leak" "resource leak"
"After the row, the machine holds more than its destination declares: what the
source holds, minus what the row consumes and deletes, plus what it creates. A
leaked timer expires in a state that does not expect it; the answer to a leaked
request arrives in a state that did not ask. Delete the timer, abandon the
request, or let the destination hold it."
    "T041" "not-held" "resource used but not held"
"The row consumes, deletes, restarts or abandons a resource that its source does
not hold. As written, the row is never taken, or its action has no effect."
    "T042" "created-twice" "resource created while held"
"The row creates a resource that its source already holds and that the row has
not deleted. A later row could not tell which of the two to delete."
    "T043" "general-word" "generic resource name matches none or several"
"A generic name, such as `retry timer` or `request`, stands for exactly one
resource: of those that the source holds where it is consumed, deleted,
restarted or abandoned, or of those that the destination holds where it is
created. Here it matches none, or several."
    "T044" "not-brought" "resource held but not created"
"The destination declares a resource that the source does not hold and the row
does not create. As written, the machine waits there for a timer that was never
started, or for an answer to a request that was never sent."
    "T045" "held-twice" "resource listed twice by a state"
"A state holds a resource always (`holds`) or sometimes (`may hold`), not both,
and at most once."
    "T046" "timer-not-taken" "unhandled timer"
"A running timer expires. A state that holds one needs a row for its expiry
event; an entry under `ignore` or `impossible` does not suffice, because the
timer is gone afterwards, or can expire. For a timer under `may hold`, an entry
that names the state may say why its expiry changes nothing. A timer that no
event consumes can never be seen to expire: declare its event."
    "T050" "unused" "unused declaration"
"No row, cell, state or other declaration uses it, neither in the table as
written nor in the amended table. Remove it, or add the row that should use it."
    "T051" "cited-and-excused" "line cited and listed as uncited"
"`uncited` gives reasons for lines of the document that the table does not
transcribe. A line that a row or a declaration cites is transcribed; remove one
of the two entries."
    "T060" "selects-nothing" "amendment matches nothing"
"The amendment matches no row, cell or declaration. It applies to the table as
written, after the amendments that it needs and that come before it in the file."
    "T061" "selects-several" "amendment matches several rows"
"An amendment changes one row. Where several rows cite the same line, add `from`,
`event` or `if`."
    "T062" "amended-twice" "conflicting amendments"
"Each amendment applies to the table as written, after the amendments that it
needs, directly or transitively. Two of them may change the same row, cell or
declaration only if one needs the other."
    "T063" "no-effect" "amendment without effect"
"The amendment changes nothing, or lists nothing under `shown-by`. Each amendment
must be necessary: without it, the checks in `shown-by` fail."
    "T064" "needs-unknown" "unknown or cyclic `needs`"
"`needs` names other amendments of this file that this one depends on, without
cycles."
    "T065" "id-twice" "duplicate amendment id"
"Reports, `needs` and the ids of changed rows refer to amendments by their ids,
so the ids must differ."
    "T066" "adds-known" "amendment adds an existing name"
"The table as written already declares this name. To change the declaration, use
`change`: the keys given there replace the old ones."
    "T067" "asked-of" "formula or loop without an evaluator"
"One evaluator computes a whole formula: the core that steps the machine, or the
checker, which sees the whole system. `asked of` says who can answer a
predicate, a collection or the states of `instances`: `core` (the default),
`whole` (the checker), or a list of both. A rule or an invariant is computed by
an evaluator that can answer everything in it, so it cannot combine a name of
the core alone with a name of the checker alone. Guards and their formulas are
computed by the core. A row can loop over a collection with `asked of: row`; a
collection with neither `of` nor `asked of` serves rows and the core."
    "T068" "variable" "invalid use of a variable"
"An action or a guard names a variable that is not declared under `variables`, or
a value that is not one of its values; or a row reads the payload of an event
that has none, or other values than the variable. A variable has a range of
numbers, `boolean`, or a list of words. Actions change variables by `sets`,
`adds` and `clears`; guards compare them with `is: votes >= 2`. A warning: the
text of a guard reads like a comparison, but a bare text is a description, and
at the table level the guard may then be true or false."
    "T069" "placeholder" "placeholder instead of a reason"
"An entry under `ignore` or `impossible` has the `…` of a suggested edit as its
reason. Say why the event changes nothing, or cannot occur, in these states."
    "T080" "unknown-role" "undeclared role"
"A link or a time relation names a role that is not declared in `roles`."
    "T081" "relation" "invalid link name or time relation"
"A link is named by its two roles, `client to server`; a time relation by two
timers, each with its role: `client.lease before server.ttl`. Text after a comma
says what both are counted from."
    "T082" "unknown-setting" "unknown setting"
"The count of a role, or `set` of a world, uses a key that is not in the system's
`set`. That section declares every setting with its default value."
    "T083" "no-capacity" "link without a capacity"
"Every link needs a bound, or the state space would be infinite: `slots` for
outstanding requests, `capacity` for messages in flight."
    "T084" "property-kind" "property without exactly one kind"
"A property has exactly one of `always`, `sometimes`, `leads to` and `can reach`,
with the sentence that it checks."
    "T085" "property-twice" "duplicate property name"
"Each property becomes a method of a Rust trait, so the names must also differ as
Rust identifiers."
    "T086" "unknown-property" "undeclared property"
"A world lists the properties that it checks; this one is not declared in
`properties`."
    "T087" "unknown-budget" "unknown budget"
"`where` restricts a property to worlds with the named budgets; `without` exempts
it after the named faults. A name that no world has a budget for would leave the
property unchecked, or checked more widely than intended."
    "T088" "unchecked" "nothing to check"
"The system has no role, no world or no property; or no default world checks a
property; or a world checks none. What is never checked would be reported as if
it held."
    "T089" "excuse" "`without` has no effect"
"`without` names faults after which a property makes no claim. Whether a state
satisfies a `sometimes` property does not depend on earlier faults; and for a
budget of `any`, a state does not record whether the fault happened."
}
