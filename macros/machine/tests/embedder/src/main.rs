//! A door of one's own: the table stands in this crate, and nothing of the macro's is in scope.
#![no_std]
#![deny(warnings, missing_docs, missing_debug_implementations, unsafe_code, unused)]
#![deny(unused_qualifications, unreachable_pub, elided_lifetimes_in_paths)]

extern crate std;

turnstile_machine::machine!("tables/door.yaml", typestate);

use std::string::{String, ToString};
use std::{format, print, vec::Vec};

use door_lock::typestate::{AskingAnswer, OpenPush, begin};
use door_lock::{Action, Event, Guard, InspectType, Machine, Op, Resource, RowId, State};
use turnstile_machine::Rules;

fn main() {
    print!("{}", dynamic(&Machine));
    print!("{}", typed());
}

/// Some steps by the rules that are given.
fn dynamic(rules: &impl Rules<Machine>) -> String {
    let mut lines = String::new();
    let mut state = rules.initial();
    let events = [
        Event::Knock,
        Event::Inspect { type_: InspectType::Look },
        Event::Answer { status: 100 },
        Event::Answer { status: 404 },
        Event::Push { hard: false },
        Event::SpringCloses,
        Event::SpringCloses,
    ];
    for event in events {
        lines += &match rules.step(state, event, &|guard| guard == Guard::Festival) {
            Ok(step) => {
                let row = step.row.map_or("ignored", RowId::name);
                let actions: Vec<&str> = step.actions.iter().map(|act| act.action.name()).collect();
                let line = format!("{state} -> {} ({row}) {actions:?}\n", step.to);
                state = step.to;
                line
            }
            Err(refusal) => format!("{refusal}\n"),
        };
    }
    lines
}

/// The same door with its states as types.
fn typed() -> String {
    let asking = begin().knock();
    assert_eq!(asking.step.row, Some(RowId::R10));
    let first = asking.step.actions.iter().next().expect("it does something");
    assert_eq!(first.ops, [Op::Create(Resource::Question)]);
    let open = match asking.answer(200, &|_| false) {
        AskingAnswer::Open(open) => open,
        AskingAnswer::Shut(shut) => return State::from(shut).to_string(),
        AskingAnswer::Unexpected(_, refusal) => return refusal.to_string(),
    };
    match open.push(true) {
        OpenPush::Open(open) => State::from(open).to_string(),
        OpenPush::Broken(broken) => {
            let actions: Vec<Action> = broken.step.actions.iter().map(|act| act.action).collect();
            format!("{}: {actions:?}\n", State::from(broken))
        }
    }
}
