//! The tokens file: who has a token, under which name, with which rights, and until when.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use turnstile_claim::server::{Options, Storage, Tokens};

use super::Running;

/// A file of its own that only its owner can read: tests of two fixtures run at the same time.
pub(crate) fn tokens_file(name: &str, text: &str) -> PathBuf {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let number = LAST.fetch_add(1, Ordering::Relaxed);
    let name = format!("{}-{number}-{name}", module_path!());
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    write_tokens(&file, text, 0o600);
    file
}

pub(crate) fn write_tokens(file: &Path, text: &str, mode: u32) {
    fs::write(file, text).expect("the directory is ours");
    fs::set_permissions(file, Permissions::from_mode(mode)).expect("the file is ours");
}

pub(crate) fn tokens(name: &str, text: &str) -> Tokens {
    Tokens::read(&tokens_file(name, text)).expect("a good file")
}

/// Tokens of three names, one of which has two, and one of which is an operator's.
pub(crate) const NAMED: &str = r#"
[[token]]
name = "ci"
secret = "ci-1"

[[token]]
name = "ci"
secret = "ci-2"

[[token]]
name = "deploy"
secret = "deploy-1"

[[token]]
name = "root"
secret = "root-1"
operator = true
"#;

/// The status that a GET with this token is answered with.
fn status(server: &Running, token: &str) -> u16 {
    server.client().with_token(token).get("/v1/claims/").status
}

#[test]
fn a_tokens_file_has_names_comments_rights_and_expiry() {
    let text = r#"
# Two tokens of one name: the first is on its way out.
[[token]]
name = "ci"
secret = "old # secret"   # a comment behind a value
expires = 2100-01-01

[[token]]
name = "ci"
secret = 'new\secret'
comment = "since the last rotation"

[[token]]
name = "root"
secret = "a \"quoted\" one"
operator = true
expires = 2100-01-01T00:00:00+02:00
"#;
    let tokens = tokens("whole.tokens", text);
    let server = Running::start(Storage::Memory, Options { tokens, ..Options::default() });
    for known in ["old # secret", "new\\secret", "a \"quoted\" one"] {
        assert_eq!(status(&server, known), 200, "{known}");
    }
    for strange in ["[[token]]", "name = \"ci\"", "ci", "old", "# secret"] {
        assert_eq!(status(&server, strange), 401, "{strange}");
    }
}

#[test]
fn a_tokens_file_is_any_toml() {
    let text = r#"
token = [{ name = "ci", secret = "in a line" }, { "name" = "ci", secret = "tab\u0009inside" }]
"#;
    let headed = "[[ token ]]\nname = 'ci'\nsecret = \"\"\"\\\n  over lines\"\"\"\n";
    for (text, secrets) in [(text, &["in a line", "tab\tinside"][..]), (headed, &["over lines"])] {
        let tokens = tokens("toml.tokens", text);
        let server = Running::start(Storage::Memory, Options { tokens, ..Options::default() });
        assert!(secrets.iter().all(|secret| status(&server, secret) == 200), "{secrets:?}");
        assert_eq!(status(&server, "token"), 401);
    }
}

#[test]
fn a_file_of_plain_lines_is_read_as_ever_and_may_have_comments() {
    let tokens = tokens("plain.tokens", "# two tokens\none\n\n  another one  \n");
    let server = Running::start(Storage::Memory, Options { tokens, ..Options::default() });
    assert_eq!(status(&server, "one"), 200);
    assert_eq!(status(&server, "another one"), 200);
    assert_eq!(status(&server, "# two tokens"), 401);
}

#[test]
fn a_file_that_others_can_read_is_refused() {
    for mode in [0o640, 0o604, 0o620, 0o602, 0o644, 0o660] {
        let file = tokens_file("shared.tokens", "secret\n");
        write_tokens(&file, "secret\n", mode);
        let error = Tokens::read(&file).expect_err("others can read or write it").to_string();
        assert!(error.contains("shared.tokens") && error.contains("chmod 600"), "{error}");
        assert!(error.contains(&format!("{mode:04o}")), "{error}");
    }
    for mode in [0o600, 0o400] {
        let file = tokens_file("own.tokens", "secret\n");
        write_tokens(&file, "secret\n", mode);
        Tokens::read(&file).expect("only its owner can read it");
        write_tokens(&file, "", 0o600);
    }
}

#[track_caller]
fn check_refused(text: &str, because: &str) {
    let file = tokens_file("bad.tokens", text);
    let error = Tokens::read(&file).expect_err("a bad file").to_string();
    assert!(error.contains(because), "{text:?}: {error}");
    assert!(!error.contains("hush"), "no secret is in an error: {error}");
}

#[test]
fn a_bad_line_is_named_and_no_secret_is() {
    check_refused("[[token]]\nsecret = \"hush\"\n", "line 1: the token has no name");
    check_refused("# c\n[[token]]\nname = \"ci\"\n", "line 2: the token has no secret");
    check_refused("[[token]]\nname = \"\"\nsecret = \"hush\"\n", "line 2: a name must have");
    check_refused("[[token]]\nname = \"ci\"\nsecret = \"\"\n", "line 3: the secret is empty");
    check_refused(
        "[[token]]\nname = \"ci\"\nsecret = hush\n",
        "line 3: string values must be quoted",
    );
    check_refused("[[token]]\nname = \"ci\"\nsecret = \"hush\n", "line 3: invalid basic string");
    check_refused("[[token]]\nname = \"ci\" hush\n", "line 2: unexpected key or value");
    check_refused("[[token]]\nname = 7\nsecret = \"hush\"\n", "line 2: expected a string");
    check_refused("[[token]]\nexpire = 2030-01-01\n", "line 2: unknown key: expected one of");
    let date = "line 2: expected a date such as 2030-12-31";
    check_refused("[[token]]\nexpires = \"2030-01-01\"\n", date);
    check_refused("[[token]]\nexpires = 2030-01-01T00:00:00\n", date);
    check_refused("[[token]]\nexpires = 2030-01-01T00:00:00.5Z\n", date);
    check_refused(
        "[[token]]\nexpires = 2030-02-30\n",
        "line 2: invalid date, expected day between",
    );
    check_refused("[[token]]\noperator = \"hush\"\n", "line 2: expected true or false");
    check_refused("[[token]]\nname = \"a\"\nname = \"hush\"\n", "line 3: duplicate key");
    check_refused("hush\n[[token]]\nname = \"a\"\n", "line 1: key with no value");
    check_refused("name = \"hush\"\n", "line 1: expected [[token]] before each token");
    check_refused("[token]\nname = \"hush\"\n", "line 1: expected [[token]] before each token");
    check_refused("token = [\"hush\"]\n", "line 1: expected a table");
    let twice = "[[token]]\nname = \"a\"\nsecret = \"hush\"\n";
    check_refused(&format!("{twice}{twice}"), "line 4: another token has the same secret");
    check_refused("# nothing else\n", "contains no token");
}

static DATE_US: AtomicU64 = AtomicU64::new(0);

#[test]
fn a_token_is_refused_from_its_expiry_on() {
    const DAY_US: u64 = 86_400_000_000;
    // 2001-02-03 is 11,356 days after the epoch.
    let at_us = 11_356 * DAY_US;
    DATE_US.store(at_us - 1, Ordering::Relaxed);
    let text = "[[token]]\nname = \"a\"\nsecret = \"brief\"\nexpires = 2001-02-03\n\
        [[token]]\nname = \"a\"\nsecret = \"longer\"\nexpires = 2001-02-03T01:00:00+00:30\n\
        [[token]]\nname = \"a\"\nsecret = \"endless\"\n";
    let tokens = tokens("expiry.tokens", text);
    let wall_us = || DATE_US.load(Ordering::Relaxed);
    let server = Running::start(Storage::Memory, Options { tokens, wall_us, ..Options::default() });
    let statuses = || ["brief", "longer", "endless"].map(|token| status(&server, token));
    assert_eq!(statuses(), [200, 200, 200]);
    DATE_US.store(at_us, Ordering::Relaxed);
    assert_eq!(statuses(), [401, 200, 200]);
    DATE_US.store(at_us + DAY_US / 48, Ordering::Relaxed);
    assert_eq!(statuses(), [401, 401, 200]);
    let mut late = server.client().with_token("brief");
    assert!(late.get("/v1/claims/").text.contains("expired"));
}
