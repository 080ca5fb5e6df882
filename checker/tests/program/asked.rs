//! Tables whose formulas or rows use predicates that no evaluator can answer: each is refused with
//! the place, and none is searched with another formula.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::command::{Scratch, ends_with, turnstile};
use crate::refusal::{edited, is_refused};

/// Checks a table put in for the bundled one, and has the one fault.
#[track_caller]
fn is_not_answered(table: &str, edit: [&str; 2], code: &str, message: &str, at: &str) {
    let [from, to] = edit;
    let text = edited(turnstile_bundled::table(table).expect("it is bundled").text, from, to);
    static NTH: AtomicU32 = AtomicU32::new(0);
    let nth = NTH.fetch_add(1, Ordering::Relaxed);
    is_refused(&format!("ask-{nth}"), &text, code, message, at);
}

/// The cores of a machine without formulas evaluate none: one that is left out would be about
/// another table.
#[test]
fn an_invariant_of_a_machine_that_was_compiled_without() {
    is_not_answered(
        "claim",
        [
            "\ntransitions:\n",
            "\ninvariants:\n  waits not: { is: { none: one in waiting, is: one in waiting } }\n\
             \ntransitions:\n",
        ],
        "T090",
        "the core that was compiled in knows no invariant `waits not`: rebuild",
        "waits not:",
    );
}

#[test]
fn a_rule_with_a_predicate_that_its_core_cannot_answer() {
    let no_evaluator = "no single evaluator can answer this formula";
    is_not_answered(
        "group-lock-coordinator",
        [
            "is: { every: one in members, is: has responded(one) }",
            "is: { every: one in members, is: \
             { all: [has responded(one), runs lock-handler(one)] } }",
        ],
        "T067",
        no_evaluator,
        "runs lock-handler(one)] } } }",
    );
    // A guard uses the rule, which only the whole system can evaluate now.
    is_not_answered(
        "group-lock-coordinator",
        [
            "is: { every: one in members, is: has responded(one) }",
            "is: { every: one in any, is: runs lock-handler(one) }",
        ],
        "T067",
        no_evaluator,
        "ALL RESPONSES, cite",
    );
    // The table as written asks the core.
    is_not_answered(
        "view-handler",
        [
            "is: { any: [is in the view(member), was in the view(member)] }",
            "is: leads a merge(member)",
        ],
        "T067",
        "`IS SENT THE VIEW` needs one evaluator as written and another as amended",
        "IS SENT THE VIEW:",
    );
    is_not_answered(
        "view-handler",
        [
            "is: { every: one in any, is: { implies: [has a view installed(one), { not: { any: [",
            "is: { every: one in any, is: { implies: [has a view installed(one), { not: { any: \
             [leaves(one), ",
        ],
        "T067",
        no_evaluator,
        "leaves(one), ",
    );
}

#[test]
fn formulas_and_rows_of_the_wrong_evaluator() {
    is_not_answered(
        "byte-range-lock",
        [
            "{ some: lost in locks of(client), is: lost in LOST } }",
            "{ some: lost in the client's other locks, is: lost in LOST } }",
        ],
        "T067",
        "no single evaluator can answer this formula",
        "lost in the client's other locks",
    );
    is_not_answered(
        "group-lock-coordinator",
        ["{ for each: existing locks, do:", "{ for each: responded locks, do:"],
        "T067",
        "no row can loop over `responded locks`",
        "responded locks, do:",
    );
}

#[test]
fn a_guard_without_formula_or_with_a_wrong_predicate() {
    let sufficient = "serverLock is sufficient:   { is: SUFFICIENT(lock), cite";
    let edited = [
        (
            "serverLock is sufficient:   { cite",
            "T090",
            "the core that was compiled in knows no guard without a formula \
             `serverLock is sufficient`: rebuild",
            "serverLock is sufficient:",
        ),
        (
            "serverLock is sufficient:   { is: SUFFICIENT(lok), cite",
            "T018",
            "unbound variable `lok`",
            "SUFFICIENT(lok)",
        ),
        (
            "serverLock is sufficient:   { is: CONFLICT(lock), cite",
            "T019",
            "`CONFLICT` takes 2 arguments, but 1 is given",
            "CONFLICT(lock)",
        ),
    ];
    for (to, code, message, at) in edited {
        is_not_answered("byte-range-lock", [sufficient, to], code, message, at);
    }
    is_not_answered(
        "group-lock-coordinator",
        ["{ is: ALL RESPONSES, cite", "{ is: SERVED, cite"],
        "T067",
        "no single evaluator can answer this formula",
        "SERVED, cite",
    );
}

/// A core that answers a guard itself would not see a formula for it.
#[test]
fn a_formula_for_a_guard_that_the_core_answers() {
    is_not_answered(
        "view-handler",
        [
            "events in the queue:        { about",
            "events in the queue:        { is: { any: [] }, about",
        ],
        "T090",
        "the core that was compiled in knows no formula for the guard `events in the queue`: \
         rebuild",
        "events in the queue:",
    );
}

#[test]
fn a_rule_that_an_amendment_removes_is_not_evaluated() {
    let shown = "    shown-by: [byte-range-lock/I6]\n";
    is_not_answered(
        "byte-range-lock",
        [shown, &format!("{shown}    remove: {{ rules: [SUFFICIENT] }}\n")],
        "T017",
        "`SUFFICIENT` is not declared",
        "SUFFICIENT(",
    );
}

/// An amendment of a guard changes its formula.
#[test]
fn an_amendment_of_a_guard_that_the_core_answers() {
    let rows = "    change:\n      rows:\n        - row: { from: WAITUNLOCK,";
    let guards = "      guards: { was WAITLOCK: { is: lost while ACTIVE(lock) } }\n";
    is_not_answered(
        "byte-range-lock",
        [rows, &rows.replacen("      rows:", &format!("{guards}      rows:"), 1)],
        "T060",
        "the guard `was WAITLOCK` has no formula to amend",
        "was WAITLOCK: {",
    );
}

/// A property of a step cannot be evaluated in a state.
#[test]
fn an_invariant_with_a_predicate_of_steps() {
    is_not_answered(
        "lock-status",
        ["is: \"same(one, other)\" } } }", "is: is in the list(one) } } }"],
        "T067",
        "no single evaluator can answer this formula",
        "is in the list(one)",
    );
}

/// An invariant without predicates keeps the evaluator that it was compiled for.
#[test]
fn an_invariant_without_predicates_is_accepted() {
    let table = turnstile_bundled::table("view-handler").expect("it is bundled").text;
    let is =
        table.find("  mutual exclusion:").and_then(|at| Some(at + table[at..].find("    is: ")?));
    let is = is.expect("it has a formula");
    let end = is + table[is..].find('\n').expect("a line");
    let folder = Scratch::new("no-predicate");
    let text = format!("{}    is: {{ all: [] }}{}", &table[..is], &table[end..]);
    std::fs::write(folder.join("mine.yaml"), text).expect("the folder is ours");
    let output = turnstile(&folder, &["check", "mine.yaml", "--max-states", "1000"]);
    ends_with(&output, 3, "");
}
