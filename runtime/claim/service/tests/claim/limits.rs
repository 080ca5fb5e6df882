//! What the old server took without a limit: each limit here is an option, and is written down.

use std::process::Command;

use serde_json::json;

use crate::http::Client;
use crate::real::Turnstiled;

/// Each option of `turnstiled` that is a limit, with its default.
fn limits() -> Vec<(String, String)> {
    let help = Command::new(env!("CARGO_BIN_EXE_turnstiled")).arg("--help").output();
    let help = String::from_utf8(help.expect("it starts").stdout).expect("plain text");
    let mut limits = Vec::new();
    for line in help.lines().map(str::trim) {
        let name = line.strip_prefix("--").and_then(|line| line.split(' ').next());
        if let Some(name) = name {
            limits.push((format!("--{name}"), String::new()));
        }
        if let Some((_, default)) = line.split_once("[default: ")
            && let Some((_, known)) = limits.last_mut()
        {
            *known = default.trim_end_matches(']').to_owned();
        }
    }
    limits.retain(|(name, _)| name.ends_with("-max") || name.ends_with("-min"));
    limits
}

#[test]
fn the_readme_has_each_limit_and_its_default() {
    let readme = include_str!("../../../../../README.md");
    let limits = limits();
    let known = ["--body-max", "--resource-max", "--user-data-max", "--ttl-max", "--ttl-min"];
    for name in known {
        assert!(limits.iter().any(|(limit, _)| limit == name), "{name}: {limits:?}");
    }
    for (name, default) in limits {
        let row =
            readme.lines().find(|line| line.starts_with(&format!("| `{name}` | {default} |")));
        assert!(row.is_some(), "the README has no row that begins with | `{name}` | {default} |");
    }
}

#[test]
fn each_limit_of_what_a_claim_says_can_be_raised() {
    let arguments = ["--body-max", "3000000", "--resource-max", "1000000"];
    let more = ["--user-data-max", "1000000", "--ttl-max", "1000000000", "--in-memory"];
    let server = Turnstiled::start(&[&arguments[..], &more[..]].concat());
    let mut client = Client::new(server.at);
    let (resource, data) = ("r".repeat(1_000_000), "d".repeat(999_998));
    let claim = json!({ "resource": resource, "ttl": 1_000_000_000, "user_data": data });
    let held = client.post(&claim.to_string()).expect(201);
    assert_eq!(held.field("resource"), resource);
    assert!(held.number("ttl") > 999_999_990.0);
    let more = json!({ "resource": "r", "ttl": 1, "user_data": "d".repeat(999_999) });
    assert!(client.post(&more.to_string()).expect(400).json().get("user_data").is_some());
}
