//! What the programs of members are told, and what they say of what they cannot read.

use std::io;
use std::time::Duration;

use turnstile_host::store::REMEDY;
use turnstile_host::transport::tcp::Address;
use turnstile_raft::arguments::{heartbeat, log_filter, members, not_opened, peer};

#[test]
fn members_have_a_number_and_an_address() {
    assert_eq!(peer("1=h:7011"), Ok((1, Address::new("h", 7_011))));
    assert_eq!(peer("2=[::1]:7011"), Ok((2, Address::new("::1", 7_011))));
    for (text, why) in [
        ("h:7011", "N=HOST:PORT is expected"),
        ("x=h:7011", "N is no number of a member: they begin with 1"),
        ("-1=h:7011", "N is no number of a member: they begin with 1"),
        ("0=h:7011", "N is no number of a member: they begin with 1"),
        ("01=h:7011", "N is no number of a member: they begin with 1"),
        ("+1=h:7011", "N is no number of a member: they begin with 1"),
        ("1=h", "what follows N= is not HOST:PORT"),
        ("1=::1:7011", "what follows N= is not HOST:PORT"),
    ] {
        assert_eq!(peer(text), Err(why.to_owned()), "{text}");
    }
}

#[test]
fn no_member_and_no_address_is_there_twice() {
    let list = |texts: &[&str]| {
        let peers: Vec<_> = texts.iter().map(|text| peer(text).expect("a member")).collect();
        members(&peers).map(|members| members.len())
    };
    assert_eq!(list(&["1=h:1", "2=h:2"]), Ok(2));
    assert_eq!(list(&["1=h:1", "1=h:2"]), Err("member 1 is given twice".to_owned()));
    let twice = "members 1 and 2 have the address h:1";
    assert_eq!(list(&["1=h:1", "2=h:1"]), Err(twice.to_owned()));
}

#[test]
fn a_damaged_member_is_replaced_and_not_restored() {
    let damaged = io::Error::other(format!("1.log is missing: {REMEDY}"));
    let text = not_opened(3, &damaged);
    assert!(text.starts_with("1.log is missing: never start member 3 again"), "{text}");
    assert!(!text.contains(REMEDY), "{text}");
    assert_eq!(not_opened(3, &io::Error::other("it is in use")), "it is in use");
}

#[test]
fn the_engine_is_silent_unless_its_log_is_asked_for() {
    assert_eq!(log_filter("info"), "openraft=off,info");
    assert_eq!(log_filter("info,openraft=debug"), "openraft=off,info,openraft=debug");
    for off in ["off", "OFF"] {
        assert_eq!(log_filter(off), off);
    }
}

#[test]
fn heartbeats_are_neither_endless_nor_all_there_is() {
    assert_eq!(heartbeat("0.01"), Ok(Duration::from_millis(10)));
    assert_eq!(heartbeat("60"), Ok(Duration::from_secs(60)));
    for text in ["0", "0.009", "60.1"] {
        assert_eq!(heartbeat(text), Err("0.01 to 60 seconds are possible".to_owned()));
    }
    assert!(heartbeat("soon").is_err_and(|why| why.contains("not a number of seconds")));
}
