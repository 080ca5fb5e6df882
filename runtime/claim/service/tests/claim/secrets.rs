//! Passwords and tokens: no message, log, trace or `Debug` shows one.

use std::process::{Command, Stdio};

use turnstile_claim::client::{LockClient, LockClientBuilder, ServerAddress};

use super::Running;
use crate::command::CLAIM;

const SECRET: &str = "hunter2";

/// URLs with a password, or with what was meant as one.
const URLS: [&str; 15] = [
    "http://user:hunter2@127.0.0.1:1",
    "https://user:hunter2@h/locks/",
    "http://hunter2@h",
    "http://user:hunter2@h/v1/claims/",
    "http://user:hun/hunter2@h:5000",
    "http://user:hunter2?x@h",
    "http://user:hunter2#x@h",
    "http://user:x y hunter2@h",
    "http://user:hunter2",
    "http://user:hunter2@h@h",
    "user:hunter2@h:5000",
    "ftp://user:hunter2@h",
    "http://h:5000/?token=hunter2",
    "http://h:5000/#hunter2",
    "http://user%3Ahunter2%40h/hunter2?a@h",
];

const ASKS: [&[&str]; 8] = [
    &["ls"],
    &["show", "1"],
    &["revoke", "1"],
    &["run", "r", "--timeout", "0.1", "--", "env"],
    &["wait", "r", "--timeout", "0.1"],
    &["keychain"],
    &["--help"],
    &["run", "--help"],
];

/// Runs `claim`, and fails if it shows the secret.
#[track_caller]
fn check_silent(command: &mut Command) {
    command.env("TURNSTILE_LOG", "trace").stdin(Stdio::null());
    let ran = command.output().expect("it starts");
    let shown = [&ran.stdout[..], &ran.stderr[..]].concat();
    let shown = String::from_utf8_lossy(&shown);
    assert!(!shown.contains(SECRET), "{command:?}: {shown}");
}

#[test]
fn the_program_shows_no_password_of_a_url() {
    for url in URLS {
        for ask in ASKS {
            check_silent(
                Command::new(CLAIM).env_remove("TURNSTILE_URL").args(["--url", url]).args(ask),
            );
            check_silent(Command::new(CLAIM).env("TURNSTILE_URL", url).args(ask));
            let one = "http://127.0.0.1:1";
            check_silent(Command::new(CLAIM).args(["--url", one, "--url", url]).args(ask));
        }
        let operator = env!("CARGO_BIN_EXE_turnstiled");
        check_silent(Command::new(operator).args(["member", "list", "--url", url]));
        check_silent(Command::new(operator).args(["member", "list"]).env("TURNSTILE_URL", url));
        // Usage errors, and URLs in other places.
        let server = Running::in_memory();
        let at = format!("http://{}", server.at);
        for words in [
            &[url, "ls"][..],
            &["--ulr", url, "ls"],
            &[&format!("--ulr={url}"), "ls"],
            &[&format!("--url={url}")],
            &["run", "r", url],
            &["ls", url],
            &["show", url],
            &["revoke", url],
            &["show", &format!("{url}/v1/claims/7/")],
            &["ls", "--limit", url],
            &["ls", "--status", url],
            &["run", "r", "--ttl", url, "--", "true"],
            &["run", "r", "--data", url, "--", "true"],
        ] {
            check_silent(Command::new(CLAIM).env("TURNSTILE_URL", &at).args(words));
        }
    }
}

#[test]
fn the_server_shows_no_password_of_a_url() {
    let server = env!("CARGO_BIN_EXE_turnstiled");
    for url in URLS.into_iter().chain(["http:/user:hunter2", "user:hunter2"]) {
        check_silent(Command::new(server).args(["--in-memory", "--public-url", url]));
    }
    for url in URLS {
        let (member, joined) = (format!("1={url}"), format!("--public-url={url}"));
        for words in [
            &["--in-memory", &joined][..],
            &["--in-memory", "--public-ulr", url],
            &["--in-memory", "--host", url],
            &["--in-memory", "--listen", url],
            &["--in-memory", "--ttl-min", url],
            &["--in-memory", "--peer", &member],
            &["--in-memory", "--peer", url],
            &[url],
            &["member", "add", &member],
            &["member", "add", url],
            &["member", "remove", url],
            &["snapshot", "save", "/nowhere/file", "--url", url],
        ] {
            check_silent(Command::new(server).args(words));
        }
    }
}

#[test]
fn a_claim_s_user_data_has_no_password_of_its_command() {
    let server = Running::in_memory();
    let at = format!("http://{}", server.at);
    let held = format!("{CLAIM} ls --json");
    let mut command = Command::new(CLAIM);
    command.env("TURNSTILE_URL", &at).args(["run", "r", "--", "sh", "-c", &held]);
    command.args(["sh", "postgres://user:hunter2@h/base", "--url=http://u:hunter2@h"]);
    let ran = command.output().expect("it starts");
    let listed = String::from_utf8(ran.stdout).expect("plain text");
    assert!(ran.status.success() && listed.contains("postgres://***@h/base"), "{listed}");
    assert!(!listed.contains(SECRET), "{listed}");
}

#[test]
fn a_server_s_redirection_shows_no_password() {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback has ports");
    let at = format!("http://{}", listener.local_addr().expect("it is bound"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a client connects");
            let _read = stream.read(&mut [0; 4_096]);
            let text = "HTTP/1.1 302 Found\r\nlocation: http://user:hunter2@h/\r\n\
                        connection: close\r\ncontent-length: 0\r\n\r\n";
            let _sent = stream.write_all(text.as_bytes());
        }
    });
    for ask in ASKS {
        check_silent(Command::new(CLAIM).env("TURNSTILE_URL", &at).args(ask));
    }
}

#[test]
fn no_type_shows_a_password_or_a_token() {
    for url in URLS {
        let mut builder = LockClientBuilder::new(url);
        builder.token = Some(SECRET.into());
        assert!(!format!("{builder:?}").contains(SECRET), "{builder:?}");
        let error = builder.build().expect_err("it is no address");
        assert!(!format!("{error:?} {error}").contains(SECRET), "{error:?} {error}");
        let error = ServerAddress::read(url, "v1").expect_err("it is no address");
        assert!(!format!("{error:?} {error}").contains(SECRET), "{error:?}");
    }
    let mut builder = LockClientBuilder::new("http://127.0.0.1:1");
    builder.token = Some(SECRET.into());
    let client: LockClient = builder.build().expect("a good address");
    let shown = format!("{client:?} {:?}", client.claim("r"));
    assert!(!shown.contains(SECRET), "{shown}");
}

#[test]
fn a_command_inherits_the_token_unless_it_is_withheld() {
    let server = Running::in_memory();
    let at = format!("http://{}", server.at);
    let script = "echo \"${TURNSTILE_TOKEN-none} $CLAIM_HELD ${CLAIM_URL%%/v1*}\"";
    let run = |options: &[&str]| {
        let mut command = Command::new(CLAIM);
        command.env("TURNSTILE_URL", &at).env("TURNSTILE_TOKEN", "t1");
        command.args(["run", "r"]).args(options).args(["--", "sh", "-c", script]);
        let ran = command.output().expect("it starts");
        assert!(ran.status.success(), "{ran:?}");
        String::from_utf8(ran.stdout).expect("plain text")
    };
    assert!(run(&[]).starts_with("t1 "), "nested runs need it");
    let withheld = run(&["--withhold-token"]);
    assert!(withheld.starts_with("none ") && withheld.ends_with(&format!(" {at}\n")), "{withheld}");
}

#[test]
fn the_help_says_what_a_command_inherits() {
    let ran = Command::new(CLAIM).args(["run", "--help"]).output().expect("it starts");
    let text = String::from_utf8(ran.stdout).expect("plain text");
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    for part in [
        "TURNSTILE_TOKEN",
        "--withhold-token",
        "Background processes",
        "429",
        "a longer --ttl",
        "is stopped or hangs",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}
