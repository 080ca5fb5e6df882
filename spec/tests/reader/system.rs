//! System files: a valid one is read, and an invalid one is reported with every diagnostic.

use turnstile_spec::system::{Count, PropertyKind};
use turnstile_spec::{Source, System, WrittenTable};

const CLAIM: &str = "
system: claim
roles:
  client: { machine: claim, count: clients, symmetric: true }
  server: { machine: claim-record }
links:  { client to server: { kind: request-response, slots: 2 } }
time:
  - client.lease timer before server.ttl, counted from the same request
  - { relation: messages before client.retry timer, because: a retry is slow }
worlds:
  small: { budgets: { lost answer: 1 } }
  large: { budgets: { lost answer: 2, pause: 1 }, set: { clients: 3 }, default: false }
set: { clients: 2 }
properties:
  - { name: mutual exclusion at the store, always: one sentence, cite: 6, premise: a client acts }
  - { name: a claim ends, leads to: an answer }
";

#[test]
fn a_system_is_read() {
    let system = match System::read(Source::new("claim.yaml", CLAIM)) {
        Ok(system) => system,
        Err(faults) => panic!("{faults}"),
    };
    assert_eq!(system.name, "claim");
    assert_eq!(system.role("client").expect("a role").count, Count::Setting("clients".into()));
    assert_eq!(system.role("server").expect("a role").count, Count::Number(1));
    assert_eq!(system.links[0].capacity, 2);
    assert_eq!(
        (system.time[0].earlier.as_ref().map(|timer| &*timer.name), &*system.time[0].later.role),
        (Some("lease timer"), "server")
    );
    assert_eq!((&system.time[1].earlier, &*system.time[1].later.name), (&None, "retry timer"));
    let large = system.world("large").expect("a world");
    let value = |world| system.setting(world, "clients").map(|setting| &*setting.value);
    assert_eq!((&*large.budgets[1].name, large.budgets[1].limit), ("pause", Some(1)));
    assert!(!large.default);
    assert_eq!(value(large), Some("3"));
    assert_eq!(value(system.world("small").expect("a world")), Some("2"));
    assert_eq!(system.properties[0].premise, "a client acts");
    assert_eq!(system.properties[1].kind, PropertyKind::LeadsTo);
}

#[test]
fn every_fault_of_a_system_comes_back() {
    let text = CLAIM
        .replace("client to server:", "client to sever:")
        .replace("count: clients", "count: client")
        .replace("slots: 2", "slots: 0")
        .replace(", leads to: an answer", "");
    let faults = System::read(Source::new("claim.yaml", text)).expect_err("four faults");
    let codes: Vec<&str> = faults.list.iter().map(|fault| fault.code).collect();
    assert_eq!(codes, ["T082", "T080", "T083", "T084"]);
}

#[test]
fn a_file_of_the_other_kind_is_told_from_a_wrong_one() {
    let table = "language: 1\nmachine: door\nstates: {}\n";
    let fault = System::read(Source::new("door.yaml", table)).expect_err("it is a table");
    let said: Vec<&str> = fault.list.iter().map(|fault| &*fault.message).collect();
    assert_eq!(said, ["expected a file with `system`, found one with `machine`"]);
    let fault = WrittenTable::read(Source::new("claim.yaml", CLAIM)).expect_err("it is a system");
    let said: Vec<&str> = fault.list.iter().map(|fault| &*fault.message).collect();
    assert_eq!(said, ["expected a file with `machine`, found one with `system`"]);
}
