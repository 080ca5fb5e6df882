//! System files that are incompatible with the compiled cores: each is refused with the place and a
//! fix, and none makes a search panic or run another system.

use std::fs;

use crate::command::{Scratch, ends_with, text, turnstile};
use crate::refusal::{edited, is_refused};

/// The bundled claim system with a text in place of another.
fn claim(from: &str, to: &str) -> String {
    edited(turnstile_bundled::system("claim").expect("it is bundled").text, from, to)
}

#[test]
fn a_budget_that_the_cores_do_not_know() {
    let system = claim("budgets: { act: 3, client pause: 1", "budgets: { act: 3, client paus: 1");
    let message = "no kind of fault is called `client paus`";
    is_refused("budget", &system, "T090", message, "client paus: 1");
}

#[test]
fn a_property_without_a_predicate() {
    let system = claim("name: clean when quiescent\n", "name: clean when quiescent again\n");
    let message = "no predicate `clean when quiescent again` is compiled in: rebuild";
    is_refused("property", &system, "T090", message, "name: clean when quiescent again");
    let system = claim("premise: a client acts", "premise: a client jumps");
    let message = "no predicate `a client jumps` is compiled in: rebuild";
    is_refused("premise", &system, "T090", message, "name: mutual exclusion at the store");
}

#[test]
fn a_setting_that_the_system_cannot_take() {
    let message = "`clients` is `many`; it must be a number from 1 to 8";
    let system = claim("\nset: { clients: 2,", "\nset: { clients: many,");
    is_refused("setting", &system, "T091", message, "set: { clients: many,");
    let system = claim("    set: { clients: 3 }", "    set: { clients: many }");
    is_refused("world", &system, "T091", message, "    set: { clients: many }");
}

#[test]
fn other_roles_and_links_than_the_cores_have() {
    let roles = "the compiled cores are those of client, keychain, server, store, in this order: \
                 rebuild";
    let text = turnstile_bundled::system("claim").expect("it is bundled").text;
    let (server, client) = ("  server: { machine: claim-record", "  client: { machine: claim,");
    let at = |words: &str| text.find(words).expect("it has the role");
    let line = |words: &str| text[at(words)..].lines().next().expect("a line").to_owned() + "\n";
    let swapped = text.replacen(&line(server), "", 1);
    let swapped = swapped.replacen(client, &format!("{}{client}", line(server)), 1);
    is_refused("order", &swapped, "T090", roles, "server:");

    let two = claim("{ machine: claim-record, count: 1", "{ machine: claim-record, count: 2");
    let message = "the compiled cores know 1 of `server`: rebuild";
    is_refused("count", &two, "T090", message, "server:");

    let gone = text.replacen(&line("  client to store:"), "", 1);
    let message = "the compiled cores send along `client to store`, which is not here: rebuild";
    is_refused("gone", &gone, "T090", message, "client to server:");

    let kind = claim("{ kind: request-response, slots: 3", "{ kind: fifo, capacity: 3");
    let message = "`client to server` is of another kind in the compiled cores: rebuild";
    is_refused("kind", &kind, "T090", message, "client to server:");
}

#[test]
fn a_time_relation_of_no_timer() {
    let system = claim("client.lease timer before", "client.leese timer before");
    let message = "no timer of `client` is called `leese timer`: rebuild";
    is_refused("timer", &system, "T090", message, "client.leese timer");
}

#[test]
fn a_system_that_no_core_was_compiled_for() {
    let system = claim("system: claim\n", "system: clam\n");
    let message = "this binary has no cores for the system `clam`: rebuild";
    is_refused("unknown", &system, "T090", message, "system: clam");
}

#[test]
fn a_budget_that_is_no_number() {
    let system = claim("lost answer: 1,", "lost answer: 99999999999,");
    let message = "`lost answer` must be a number, or one of any";
    is_refused("number", &system, "T007", message, "lost answer: 99999999999");
}

/// A message beyond a link's capacity truncates the search, which reports it with a fix.
#[test]
fn a_link_that_overflows_leaves_the_search_open() {
    let folder = Scratch::new("overflow");
    let system = claim("slots: 3", "slots: 1");
    fs::write(folder.join("mine.yaml"), system).expect("the folder is ours");
    let output = turnstile(&folder, &["check", "mine.yaml", "--world", "small"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let said = "was dropped because the link is full";
    assert!(text(&output.stdout).contains(said), "{}", text(&output.stdout));
}

/// A bad value of `--set` is bad usage, reported once for all worlds.
#[test]
fn unknown_settings_are_bad_usage() {
    let folder = Scratch::new("settings");
    let check = |words: &[&str]| turnstile(&folder, &[&["check"], words].concat());
    let output = check(&["claim", "--set", "clients=99", "--max-states", "100"]);
    let said = "claim: `clients` is `99`; it must be a number from 1 to 8";
    ends_with(&output, 2, said);
    assert_eq!(text(&output.stderr).matches(said).count(), 1, "it is told once");

    let output = check(&["claim/small", "--set", "client=2"]);
    let known = "clients, finished, keychains, locks, queue, slow, throttled, size";
    ends_with(
        &output,
        2,
        &format!("no system checked here has the setting `client`; settings: {known}"),
    );
    assert!(output.stdout.is_empty(), "nothing is searched by other settings than asked");

    // A key is for the systems that have it.
    let words = ["claim/small", "view-handler/small", "--set", "clients=2", "--max-states", "50"];
    let output = check(&words);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
}

#[test]
fn a_system_without_large_worlds_says_so() {
    let folder = Scratch::new("large");
    let system = claim("    default: false\n", "").replace("    default: false\n", "");
    fs::write(folder.join("mine.yaml"), system).expect("the folder is ours");
    let output = turnstile(&folder, &["check", "mine.yaml", "--set", "size=large"]);
    ends_with(&output, 2, "`claim` has no large world; its worlds: stranger, stranger+two-locks, ");
}

/// A byte order mark and other line ends do not change a file's meaning.
#[test]
fn a_byte_order_mark_and_other_line_ends_have_no_effect() {
    let folder = Scratch::new("mark");
    let text = turnstile_bundled::system("claim").expect("it is bundled").text;
    let text = &text[text.find("\nsystem:").expect("it is a system") + 1..];
    let texts = [format!("\u{feff}{text}"), text.replace('\n', "\r\n")];
    for (name, text) in ["mark.yaml", "ends.yaml"].into_iter().zip(texts) {
        fs::write(folder.join(name), text).expect("the folder is ours");
        ends_with(&turnstile(&folder, &["lint", name]), 0, "");
    }
}

#[test]
fn budgets_that_cannot_be_spent() {
    let of = |system: &str, from: &str, to: &str| {
        edited(turnstile_bundled::system(system).expect("it is bundled").text, from, to)
    };
    let cases = [
        ("view-handler", "lost answer"),
        ("view-handler", "join"),
        ("group-lock", "server error"),
        ("group-lock", "membership crash"),
        ("group-lock", "suspect"),
        ("byte-range-lock", "server error"),
        ("byte-range-lock", "file server crash"),
        ("byte-range-lock", "time out"),
        ("byte-range-lock", "duplicate"),
        ("group-lock", "drift"),
        ("replicated-lock", "drift"),
        ("replicated-lock", "snapshot"),
    ];
    for (system, budget) in cases {
        let text = of(system, "budgets: { ", &format!("budgets: {{ {budget}: 1, "));
        let message = format!("`{budget}` cannot happen in the world `small`");
        is_refused(&format!("{system}-{budget}"), &text, "T090", &message, &format!("{budget}: 1"));
    }
}

/// A coord hands its queue over to itself, to which no link leads.
#[test]
fn a_message_without_a_link_is_a_violation() {
    let folder = Scratch::new("no-link");
    let table = turnstile_bundled::table("view-handler").expect("it is bundled").text;
    let (hands, not) = ("another coordinates] }, do: [hand", "{ not: another coordinates }");
    let table = edited(table, &format!("{not}] }} }} }}"), "another coordinates] } } }");
    let table = edited(&table, hands, &format!("{not}] }}, do: [hand"));
    fs::write(folder.join("mine.yaml"), table).expect("the folder is ours");
    let output = turnstile(&folder, &["check", "mine.yaml", "--max-states", "20000"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("no link of the world joins them"), "{said}");
}

/// The first overflowed the stack, the second never ended: a step follows from itself.
#[test]
fn a_step_without_end_is_a_violation() {
    let endless = [
        (
            "group-lock-coordinator",
            "event: ReconciliationProtocol, do: [",
            "event: ReconciliationProtocol, do: [run ReconciliationProtocol, ",
            &["--as-written"][..],
            "it would repeat forever",
        ),
        (
            "view-handler",
            "to: running,    event: view has been installed, do: [resume the ViewHandler, stop the \
             Resumer]",
            "to: same, event: view has been installed, do: [process the events]",
            &[],
            "more events follow than one step takes",
        ),
    ];
    for (name, from, to, how, words) in endless {
        let folder = Scratch::new(&format!("endless-{name}"));
        let table = edited(turnstile_bundled::table(name).expect("it is bundled").text, from, to);
        fs::write(folder.join("mine.yaml"), table).expect("the folder is ours");
        let check = ["check", "mine.yaml", "--max-states", "3000"];
        let output = turnstile(&folder, &[&check[..], how].concat());
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let said = text(&output.stdout);
        // Wherever the lines break.
        let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(line.contains(words), "{said}");
    }
}

#[test]
fn numbers_that_are_too_large_for_a_world() {
    let output = turnstile(
        &Scratch::new("groups"),
        &["check", "view-handler/small", "--set", "groups=18446744073709551615+2"],
    );
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("it must be sizes like"), "{}", text(&output.stderr));
}

/// A timer may wait for another one and for messages.
#[test]
fn a_timer_with_two_time_relations() {
    let folder = Scratch::new("relations");
    let file = turnstile_bundled::system("byte-range-lock").expect("it is bundled").text;
    let relation = "time:\n  - { relation: messages before file server.lapse, because: x }";
    fs::write(folder.join("mine.yaml"), edited(file, "time:", relation)).expect("it is ours");
    let output = turnstile(&folder, &["check", "mine.yaml", "--max-states", "3000"]);
    assert_ne!(output.status.code(), Some(101), "{}", text(&output.stderr));
}
