//! Members that are stopped and start again with a later program, one after the other, under load.

use rustix::process::{Pid, Signal, kill_process};
use turnstile_claim::server::{ClusterOptions, Options};

use super::load::{BETWEEN, check_released, under_load};
use super::members::{Members, QUICK_LOG};
use super::program::Site;
use crate::http::until;

const NOW: u32 = ClusterOptions::VERSION;
const NEXT: u32 = NOW + 1;

/// The version of the operations that each member reports.
fn versions(members: &Members) -> [u32; 3] {
    [1, 2, 3].map(|id| members.member(id).version())
}

fn ready(members: &Members, id: u64) {
    until("it is ready", || members.client_of(id).get("/readyz").status == 200);
}

#[test]
fn a_new_version_is_in_force_once_all_members_have_it() {
    let mut members = Members::with(QUICK_LOG, &|_| Options::default());
    let released = under_load(members.addresses(), |load| {
        for id in 1..=3 {
            load.busy(BETWEEN);
            assert_eq!(versions(&members), [NOW; 3], "before member {id}");
            members.end(id);
            load.ask(members.addresses());
            load.busy(BETWEEN);
            assert!(members.addresses().len() == 2, "a member may be of any version");
            members.try_join(id, Options::default(), NEXT).expect("it reads what older ones wrote");
            ready(&members, id);
            load.ask(members.addresses());
        }
        until("the new version is in force", || versions(&members) == [NEXT; 3]);
        load.busy(BETWEEN);
        // While no member is missing, no request is repeated.
        let (leader, before) = (members.leader(), load.unavailable());
        let term = members.member(leader).status().term;
        load.busy(BETWEEN);
        if members.member(leader).status().term == term {
            assert_eq!(load.unavailable(), before);
        }
    });
    for id in 1..=3 {
        let mut client = members.client_of(id);
        check_released(&mut client, &released);
        assert!(client.get("/metrics").text.contains(&format!("turnstile_log_version {NEXT}\n")));
    }

    // An older program on the same disk: it stops, and the others go on.
    let old = members.leader();
    members.end(old);
    members.leader();
    let refused = match members.try_join(old, Options::default(), NOW) {
        Err(error) => error.to_string(),
        Ok(()) => {
            let mut failure = None;
            until("it stops", || {
                failure = members.member(old).status().failure;
                failure.is_some()
            });
            members.client_of(old).get("/healthz").expect(503);
            members.end(old);
            failure.expect("it was waited for")
        }
    };
    assert!(refused.contains(&format!("the log has operations of version {NEXT}")), "{refused}");
    assert!(refused.contains("it needs a later program"), "{refused}");
    members.client_of(members.leader()).post(r#"{"resource":"s","ttl":60}"#).expect(201);
    members.try_join(old, Options::default(), NEXT + 1).expect("it reads what older ones wrote");
    ready(&members, old);
    check_released(&mut members.client_of(old), &released);
    assert_eq!(versions(&members), [NEXT; 3]);
}

#[test]
fn processes_are_restarted_one_after_the_other_under_load() {
    let mut site = Site::new("rolling");
    (1..=3).for_each(|id| site.start(id, &["--new"]));
    site.ready();
    let released = under_load(site.listening(), |load| {
        for id in 1..=3 {
            load.busy(BETWEEN);
            let mut member = site.members.remove(&id).expect("it runs");
            kill_process(Pid::from_child(&member.child), Signal::TERM).expect("it runs");
            let ended = member.child.wait().expect("it is our child");
            assert!(ended.success(), "member {id}: {ended}");
            load.ask(site.listening());
            load.busy(BETWEEN);
            site.start(id, &[]);
            site.ready();
            load.ask(site.listening());
        }
        load.busy(BETWEEN);
    });
    (1..=3).for_each(|id| check_released(&mut site.client(id), &released));
}
