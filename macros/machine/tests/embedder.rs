//! A user's crate outside this workspace that embeds a table: it builds and runs, and the compiler
//! reports an invalid table or call at its position.
//!
//! `BLESS=1 cargo test -p turnstile-machine --test embedder` regenerates the expected output.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;
use std::{fs, io, thread};

/// A build that takes longer hangs.
const BUILD_MAX: Duration = Duration::from_secs(600);

#[test]
fn a_crate_of_ones_own_builds_and_runs() {
    let place = copy("runs");
    let built = cargo(&place, &["run", "--quiet", "--offline", "--bin", "embedder"]);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    compare("expected.stdout", &String::from_utf8_lossy(&built.stdout));
    let built = cargo(&place, &["run", "--quiet", "--offline", "--bin", "readme"]);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

#[test]
fn what_is_wrong_is_shown_where_it_stands() {
    let place = copy("fails");
    for name in ["faulty", "unsound", "unanswered", "unasked", "miscalled"] {
        let how = ["check", "--quiet", "--offline", "--features", "systems", "--bin", name];
        let built = cargo(&place, &how);
        assert!(!built.status.success(), "{name} must not compile");
        let said = String::from_utf8_lossy(&built.stderr);
        let said = said.replace(&*place.to_string_lossy(), "$DIR");
        // Cargo's output on the dependencies comes first.
        let first = said.find("error").unwrap_or(0);
        compare(&format!("src/bin/{name}.stderr"), &said[first..]);
    }
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/embedder")
}

#[track_caller]
fn compare(file: &str, said: &str) {
    let file = fixture().join(file);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&file, said).expect("it can be written");
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(said, expected, "{}", file.display());
}

/// A copy of the crate outside the workspace's own folders, with the versions that it locks.
fn copy(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("embedder").join(name);
    for folder in ["", "src", "src/bin", "tables"] {
        let (from, to) = (fixture().join(folder), place.join(folder));
        fs::create_dir_all(&to).expect("a folder can be made");
        for entry in fs::read_dir(&from).expect("the crate is there") {
            let entry = entry.expect("it can be listed");
            if entry.path().is_file() {
                fs::copy(entry.path(), to.join(entry.file_name())).expect("it can be copied");
            }
        }
    }
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    for table in ["door.yaml", "gate.yaml"] {
        let golden = home.join("../emit/tests/golden").join(table);
        fs::copy(golden, place.join("tables").join(table)).expect("it can be copied");
    }
    let manifest = place.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).expect("it was copied");
    let text = text.replace("\"../..\"", &format!("{:?}", home.display().to_string()));
    fs::write(&manifest, text).expect("it can be written");
    let lock = home.join("../../Cargo.lock");
    fs::copy(lock, place.join("Cargo.lock")).expect("the workspace has a lock file");
    place
}

/// Runs cargo in a folder, but not for ever.
fn cargo(place: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(place).args(words);
    command.env("CARGO_TARGET_DIR", place.with_file_name("target"));
    // Nobody builds upon it, or debugs it.
    command.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_DEBUG", "none");
    for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TERM_COLOR"] {
        command.env_remove(variable);
    }
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("cargo can be started");
    let id = child.id();
    let (done, waited) = channel::<io::Result<Output>>();
    thread::spawn(move || done.send(child.wait_with_output()));
    match waited.recv_timeout(BUILD_MAX) {
        Ok(output) => output.expect("cargo can be waited for"),
        Err(_) => panic!("cargo {words:?} (process {id}) takes longer than {BUILD_MAX:?}"),
    }
}
