//! Members that are listed, added and removed by requests to any of them.

use serde_json::{Value, json};
use turnstile_claim::server::Options;

use super::members::{Members, QUICK};
use crate::http::{Answer, Client, until};
use crate::tokens::{NAMED, tokens};

const MEMBERS: &str = "/v1/cluster/members/";

fn path(id: u64) -> String {
    format!("{MEMBERS}{id}/")
}

fn add(client: &mut Client, id: u64) -> Answer {
    let body = json!({ "address": format!("member-{id}:7011") }).to_string();
    client.request("PUT", &path(id), &body)
}

/// The members that vote, as a client is told.
fn voters(client: &mut Client) -> Vec<u64> {
    let list = client.get(MEMBERS).expect(200).json();
    let list = list.as_array().expect("a list").clone();
    let voters = list.iter().filter(|member| member["voter"] == true);
    voters.map(|member| member["id"].as_u64().expect("a number")).collect()
}

#[test]
fn an_operator_adds_and_removes_members_at_a_follower() {
    let named = tokens("membership", NAMED);
    let options = || Options { tokens: named.clone(), ..Options::default() };
    let mut members = Members::with(QUICK, &|_| options());
    let leader = members.leader();
    let [near, far] = members.others(leader)[..] else { panic!("there are two others") };
    members.client_of(near).get(MEMBERS).expect(401);
    let mut plain = members.client_of(near).with_token("ci-1");
    let list = plain.get(MEMBERS).expect(200).json();
    let expected = |id: u64| {
        json!({
            "id": id, "address": format!("member-{id}"), "voter": true, "leader": id == leader,
            "pending": null, "trouble": null,
        })
    };
    assert_eq!(list, Value::Array((1..=3).map(expected).collect()));
    let refused = add(&mut plain, 4).expect(403);
    assert_eq!(refused.field("message"), "Only an operator may change the members");
    plain.request("DELETE", &path(far), "").expect(403);
    members.join(4, options());
    let mut operator = members.client_of(near).with_token("root-1");
    add(&mut operator, 4).expect(204);
    // Who was not told repeats it.
    add(&mut operator, 4).expect(204);
    let mut new = members.client_of(4).with_token("root-1");
    until("it votes", || voters(&mut new) == [1, 2, 3, 4]);
    operator.request("DELETE", &path(far), "").expect(204);
    members.end(far);
    let gone = operator.request("DELETE", &path(far), "").expect(404);
    let text = gone.field("message").to_string();
    assert!(text.contains(&format!("There is no member {far}: the members are ")), "{text}");
    let mut rest = vec![leader, near, 4];
    rest.sort_unstable();
    until("it knows", || voters(&mut new) == rest);
    new.post(r#"{"resource":"r","ttl":60}"#).expect(201);
}

#[test]
fn the_list_says_which_member_has_lost_its_log() {
    let mut members = Members::with(QUICK, &|_| Options::default());
    let leader = members.leader();
    let lost = members.others(leader)[0];
    members.end(lost);
    members.lose_disk(lost);
    members.join(lost, Options::default());
    let mut client = members.client_of(leader);
    until("it says so", || {
        let list = client.get(MEMBERS).expect(200).json();
        let trouble = list.as_array().expect("a list").iter().map(|member| {
            let id = member["id"].as_u64().expect("a number");
            (id, member["trouble"].as_str().map(str::to_owned))
        });
        let said = format!("member {lost} has lost its log");
        trouble.clone().all(|(id, why)| id == lost || why.is_none())
            && trouble.filter_map(|(_, why)| why).any(|why| why.starts_with(&said))
    });
}

#[track_caller]
fn check_refused(client: &mut Client, body: &str, status: u16, because: &str) {
    let refused = client.request("PUT", &path(2), body).expect(status);
    assert!(refused.text.contains(because), "{body}: {refused:?}");
}

#[test]
fn what_is_no_change_of_the_members_is_refused() {
    let members = Members::with(QUICK, &|_| Options::default());
    let mut client = members.client();
    check_refused(&mut client, "{}", 400, "No address specified");
    check_refused(&mut client, "address", 400, "The body is not an object with an address");
    check_refused(&mut client, r#"["localhost:1"]"#, 400, "with an address: it is a list");
    check_refused(&mut client, r#"{"address":"nowhere"}"#, 400, "`nowhere` is not host:port");
    let moved = r#"{"address":"localhost:7011"}"#;
    check_refused(&mut client, moved, 409, "member 2 has the address member-2 already");
    check_refused(&mut client, &" ".repeat(70_000), 413, "The body is too large");
    let mut client = members.client();
    for (method, path, allowed) in [
        ("POST", MEMBERS, "GET,HEAD"),
        ("DELETE", MEMBERS, "GET,HEAD"),
        ("GET", &*path(2), "PUT,DELETE"),
        ("PATCH", &*path(2), "PUT,DELETE"),
    ] {
        let refused = client.request(method, path, "{}").expect(405);
        assert_eq!(refused.headers["allow"], allowed, "{method} {path}");
    }
    client.get("/v1/cluster/members").expect(301);
    client.request("DELETE", "/v1/cluster/members/2", "").expect(301);
    for unknown in ["/v1/cluster/", "/v1/cluster/members//", "/v1/cluster/members/1/2/"] {
        client.get(unknown).expect(404);
    }
    for unknown in ["x", "-1", "18446744073709551616", "9"] {
        client.request("DELETE", &format!("{MEMBERS}{unknown}/"), "").expect(404);
    }
    let mut page = members.client().with("origin", "https://elsewhere.example");
    page.request("DELETE", &path(2), "").expect(403);
    page.request("PUT", &path(2), moved).expect(403);
    assert_eq!(voters(&mut client), [1, 2, 3]);
}

#[test]
fn a_member_without_a_leader_says_so_and_a_single_server_has_no_members() {
    let members = Members::with(QUICK, &|_| Options::default());
    let leader = members.leader();
    let cut = members.others(leader)[0];
    members.hub.isolate(cut);
    let mut client = members.client_of(cut);
    let answer = client.request("DELETE", &path(leader), "").expect(503);
    assert_eq!(answer.headers["retry-after"], "1");
    assert_eq!(voters(&mut client), [1, 2, 3], "it says what it knew");
    let single = crate::http::Running::in_memory();
    let mut client = single.client();
    for method in ["PUT", "DELETE"] {
        let refused = client.request(method, &path(1), r#"{"address":"h:1"}"#).expect(404);
        assert!(refused.text.contains("This server is no member of a cluster"), "{refused:?}");
    }
    client.get(MEMBERS).expect(404);
}
