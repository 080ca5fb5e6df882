//! Whether a file is a table or a system.

use turnstile_spec::{File, Source};

fn is_system(text: &str) -> bool {
    matches!(File::read(Source::new("file.yaml", text)), File::System(_))
}

#[test]
fn a_file_is_a_system_by_its_key() {
    assert!(is_system("system: door\n"));
    assert!(is_system("\u{feff}{about: a door, system: door}\n"));
    // Neither a word inside of a text nor a key of an inner mapping.
    assert!(!is_system("about: |\n  system:\nmachine: door\n"));
    assert!(!is_system("about: \"a\nsystem: b\"\n"));
    assert!(!is_system("states:\n  system: {}\n"));
    assert!(!is_system("- system: door\n"));
    assert!(!is_system(""));
}

#[test]
fn what_cannot_be_read_is_a_system_as_far_as_it_was_read() {
    assert!(is_system("system: door\nroles: [\n"));
    assert!(is_system("system: [\n"));
    assert!(!is_system("machine: [\nsystem: door\n"));
    let File::System(read) = File::read(Source::new("file.yaml", "system: door\nroles: [\n"))
    else {
        panic!("it has the key");
    };
    assert!(read.is_err());
}
