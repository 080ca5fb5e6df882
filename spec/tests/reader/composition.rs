//! Systems of tables: who receives what, which names formulas may use, and every mistake in them.

use turnstile_spec::system::composition::{
    Composition, Flight, NodeTerm, ProcessStatus, Receivers, SentValue, StateFormula, Value,
};
use turnstile_spec::table::{Relation, StateId, VariableId};
use turnstile_spec::{Source, System, WrittenTable};

const CAR: &str = "
language: 1
machine: car
states: { standing: { initial: true }, moving: {} }
events:
  call:    { kind: command }
  arrived: { kind: command }
  opened:  { kind: message, payload: { floor: 1..3 } }
actions: { open: { sends: open please } }
transitions:
  - { from: standing, to: moving, event: call }
  - { from: moving, to: standing, event: arrived, do: [open] }
ignore:
  - { state: moving, event: call, because: it is called }
  - { state: standing, event: arrived, because: it stands }
  - { state: [standing, moving], event: opened, because: it does not care }
";

const DOOR: &str = "
language: 1
machine: door
states: { shut: { initial: true }, open: {} }
events: { open please: { kind: message } }
actions: { tell: { sends: opened (2) } }
transitions:
  - { from: shut, to: open, event: open please, do: [tell] }
ignore:
  - { state: open, event: open please, because: it is open }
";

const LIFT: &str = "
system: lift
roles:
  car: { table: car.yaml }
  door: { table: door.yaml, count: 2 }
links:
  car to door: { kind: fifo, capacity: 2 }
  door to car: { kind: unordered, capacity: 2 }
routes:
  open please: { to: every door }
worlds:
  small: {}
properties:
  - { name: safe, never: { all: [car in moving, { some: one in door, is: one in open }] } }
  - { name: served, leads to: { from: car in moving, to: { any: [car in standing] } } }
";

fn composition(car: &str, door: &str, lift: &str) -> Result<Composition, Vec<String>> {
    let texts = |faults: turnstile_spec::Diagnostics| {
        faults.list.iter().map(|one| format!("{} {}", one.code, one.message)).collect()
    };
    let system = System::read(Source::new("lift.yaml", lift)).map_err(texts)?;
    let table = |text: &str| WrittenTable::read(Source::new("table.yaml", text)).map_err(texts);
    let tables = [table(car)?, table(door)?];
    let tables = tables.each_ref().map(|table| (&table.vocabulary, &table.table));
    Composition::new(&system, &tables).map_err(texts)
}

#[track_caller]
fn refused(car: &str, door: &str, lift: &str, expected: &str) {
    let faults = composition(car, door, lift).expect_err("it has a mistake");
    assert_eq!(faults, [expected]);
}

#[test]
fn messages_have_receivers_and_formulas_have_states() {
    let composition = composition(CAR, DOOR, LIFT).unwrap_or_else(|all| panic!("{all:?}"));
    let two = SentValue::Value("2".to_owned());
    let sends: Vec<_> = composition.sends.iter().flatten().collect();
    assert_eq!((sends[0].to, &*sends[0].event), (Receivers::Every(1), "open please"));
    assert_eq!((sends[1].to, &sends[1].payload), (Receivers::Every(0), &two));
    let moving = StateFormula::In(NodeTerm::Only(0), vec![StateId(1)]);
    let open = StateFormula::In(NodeTerm::Variable(0), vec![StateId(1)]);
    let both = StateFormula::All(vec![moving.clone(), StateFormula::Some(1, Box::new(open))]);
    assert_eq!(composition.claims[0].holds, StateFormula::Not(Box::new(both)));
    assert_eq!(composition.claims[1].antecedent, moving);
}

#[test]
fn a_message_without_a_receiver_is_refused() {
    let unlinked = LIFT.replace("  car to door: { kind: fifo, capacity: 2 }\n", "");
    let text =
        "T093 action `open` of `car` sends `open please`: no link leads from `car` to `door`";
    refused(CAR, DOOR, &unlinked, text);
    let several = LIFT.replace("  open please: { to: every door }\n", "").replace("routes:\n", "");
    let text = "T093 action `open` of `car` sends `open please`: `door` may be several nodes";
    refused(CAR, DOOR, &several, text);
    let misspelt = CAR.replace("sends: open please", "sends: opne please");
    let faults = composition(&misspelt, DOOR, LIFT).expect_err("it has a mistake");
    assert!(faults[0].ends_with("sends `opne please`: no table has this event"), "{faults:?}");
}

#[test]
fn a_payload_that_the_receiver_does_not_take_is_refused() {
    let tell = |payload: &str| DOOR.replace("opened (2)", &format!("opened{payload}"));
    let of = "T093 action `tell` of `door` sends `opened`:";
    refused(CAR, &tell(" (4)"), LIFT, &format!("{of} `4` is no value of `opened`'s payload"));
    refused(CAR, &tell(""), LIFT, &format!("{of} `opened` needs a value"));
    let opened = CAR.replace(", payload: { floor: 1..3 }", "");
    refused(&opened, DOOR, LIFT, &format!("{of} `opened` has no payload `2`"));
}

#[test]
fn a_formula_that_names_what_is_not_there_is_refused() {
    let safe = |formula: &str| LIFT.replace("car in moving, {", &format!("{formula}, {{"));
    refused(CAR, DOOR, &safe("car in flying"), "T010 `car` has no state `flying`");
    refused(CAR, DOOR, &safe("cart in moving"), "T080 no role and no variable is called `cart`");
    refused(CAR, DOOR, &safe("door in open"), "T018 `door` may be several nodes");
    refused(CAR, DOOR, &safe("car has timer"), "T013 `car` has no resource `timer`");
    refused(CAR, DOOR, &safe("moving"), "T027 cannot read the formula `moving`");
}

#[test]
fn a_role_runs_either_a_table_or_a_core() {
    let both = LIFT.replace("{ table: car.yaml }", "{ table: car.yaml, machine: car }");
    refused(CAR, DOOR, &both, "T006 role `car` needs either `machine` or `table`");
    let unused = LIFT.replace("  open please: { to", "  shut please: { to");
    let faults = composition(CAR, DOOR, &unused).expect_err("it has two mistakes");
    assert!(faults.contains(&"T093 no action sends `shut please`".to_owned()), "{faults:?}");
}

#[test]
fn requests_are_answered_over_the_same_link() {
    let calls = LIFT
        .replace("  door to car: { kind: unordered, capacity: 2 }\n", "")
        .replace("kind: fifo, capacity: 2", "kind: request-response, slots: 2");
    let composed = composition(CAR, DOOR, &calls).unwrap_or_else(|all| panic!("{all:?}"));
    assert_eq!(composed.sends[1][0].to, Receivers::Every(0));
    let failure = |text: &str| calls.replace("slots: 2", &format!("slots: 2, on failure: {text}"));
    assert!(composition(CAR, DOOR, &failure("opened (3)")).is_ok());
    refused(CAR, DOOR, &failure("lost"), "T011 `car` has no event `lost`");
    let text = "T081 `on failure` of `car to door` has not the payload of its event";
    refused(CAR, DOOR, &failure("opened (4)"), text);
    refused(CAR, DOOR, &failure("opened"), text);
    let command = "T081 `call` is a command: it cannot answer a request";
    refused(CAR, DOOR, &failure("call"), command);
    let messages =
        LIFT.replace("kind: fifo, capacity: 2", "kind: fifo, capacity: 2, on failure: opened (1)");
    let text = "T089 `car to door` has no answers that could fail";
    refused(CAR, DOOR, &messages, text);
}

#[test]
fn a_time_relation_names_a_timer_of_its_table() {
    let timed = |text: &str| LIFT.replace("worlds:", &format!("time: [{text}]\nworlds:"));
    let text = "T081 `door` has no timer `close`";
    refused(CAR, DOOR, &timed("messages before door.close"), text);
}

#[test]
fn a_formula_reads_processes_and_messages_in_flight() {
    let safe = |formula: &str| LIFT.replace("car in moving, {", &format!("{formula}, {{"));
    let holds = |formula: &str| {
        let composed = composition(CAR, DOOR, &safe(formula));
        composed.unwrap_or_else(|all| panic!("{all:?}")).claims[0].holds.clone()
    };
    let first = |formula| {
        let StateFormula::Not(of) = holds(formula) else { panic!("`never` is a negation") };
        let StateFormula::All(parts) = *of else { panic!("`all` is a conjunction") };
        parts[0].clone()
    };
    let car = NodeTerm::Only(0);
    assert_eq!(first("car is down"), StateFormula::Status(car, ProcessStatus::Down));
    let flight = Flight { event: "opened".into(), payload: None, from: None, to: None };
    assert_eq!(first("opened in flight"), StateFormula::InFlight(flight.clone()));
    let flight = Flight { payload: Some("2".into()), to: Some(car), ..flight };
    assert_eq!(first("opened (2) in flight to car"), StateFormula::InFlight(flight));
    assert!(holds("opened in flight").reads_links() && !holds("car is up").reads_links());
    refused(CAR, DOOR, &safe("call in flight"), "T011 no action sends `call`");
    let text = "T027 `4` is no value of `opened`'s payload";
    refused(CAR, DOOR, &safe("opened (4) in flight"), text);
    let text = "T027 cannot read the formula `opened in flight towards car`";
    refused(CAR, DOOR, &safe("opened in flight towards car"), text);
    refused(CAR, DOOR, &safe("opened in flight to door"), "T018 `door` may be several nodes");
    // A state may have that name.
    let flying = CAR.replace("moving", "in flight");
    let flies = LIFT.replace("car in moving", "car in in flight");
    assert!(composition(&flying, DOOR, &flies).is_ok());
}

#[test]
fn a_formula_compares_variables() {
    let car = format!("{CAR}variables: {{ calls: 0..3, way: [up, down] }}\n");
    let with = |formula: &str| LIFT.replace("car in moving, {", &format!("{formula}, {{"));
    let composed = composition(&car, DOOR, &with("car.calls >= 2"));
    let composed = composed.unwrap_or_else(|all| panic!("{all:?}"));
    let StateFormula::Not(both) = &composed.claims[0].holds else { panic!("it is a `never`") };
    let StateFormula::All(parts) = &**both else { panic!("it has two parts") };
    let calls = Value::Variable(NodeTerm::Only(0), VariableId(0));
    assert_eq!(parts[0], StateFormula::Is(calls, Relation::AtLeast, Value::Number(2)));
    refused(&car, DOOR, &with("car.calls = 4"), "T068 `4` is no value of the variable");
    refused(&car, DOOR, &with("car.call = 1"), "T068 `car` has no variable `call`");
    let text = "T068 `car.calls` and `car.way` cannot be compared";
    refused(&car, DOOR, &with("car.calls = car.way"), text);
}

#[test]
fn a_message_carries_a_variable_whose_values_its_receiver_takes() {
    let door = |values: &str| {
        let tell = DOOR.replace("opened (2)", "opened (floor)");
        format!("{tell}variables: {{ floor: {values} }}\n")
    };
    let composed = composition(CAR, &door("2..3"), LIFT).unwrap_or_else(|all| panic!("{all:?}"));
    assert_eq!(composed.sends[1][0].payload, SentValue::Variable(VariableId(0)));
    let text =
        "T093 action `tell` of `door` sends `opened`: `floor` is no value of `opened`'s payload";
    refused(CAR, &door("2..4"), LIFT, text);
}
