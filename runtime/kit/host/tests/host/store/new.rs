//! Files and directories that are there as a whole, or not at all.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use turnstile_host::store::{NewDirectory, NewFile, has_files};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the directory is ours");
    }
    fs::create_dir_all(&folder).expect("the directory is ours");
    folder
}

#[test]
fn a_file_that_is_not_kept_is_removed() {
    let path = folder("file").join("f");
    let mut file = NewFile::create(&path).expect("it is new");
    file.write_all(b"half").expect("there is room");
    let error = NewFile::create(&path).expect_err("it is there");
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert!(error.to_string().contains("/new/file/f is there already"), "{error}");
    drop(file);
    assert!(!path.exists(), "what is incomplete is removed");
    let mut file = NewFile::create(&path).expect("it is new");
    file.write_all(b"whole").expect("there is room");
    assert_eq!(file.path(), path);
    file.keep().expect("the directory is there");
    assert_eq!(fs::read(&path).expect("it is kept"), b"whole");
    let mode = fs::metadata(&path).expect("it is kept").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "only its owner may read it");
}

#[test]
fn a_directory_replaces_the_wanted_one_when_it_is_kept() {
    let folder = folder("directory");
    let wanted = folder.join("d");
    assert!(!has_files(&wanted).expect("it can be read"));
    let interrupted = NewDirectory::begin(&wanted).expect("none is there");
    fs::create_dir(interrupted.path()).expect("it is begun");
    fs::write(interrupted.path().join("half"), "").expect("there is room");
    drop(interrupted);
    assert!(!wanted.exists());
    // An empty one may be there.
    fs::create_dir(&wanted).expect("the directory is ours");
    let new = NewDirectory::begin(&wanted).expect("it is empty");
    assert!(!new.path().exists(), "what was interrupted is removed");
    fs::create_dir(new.path()).expect("it is begun");
    fs::write(new.path().join("whole"), "").expect("there is room");
    let beside = new.path().to_owned();
    new.keep().expect("it can be renamed");
    assert!(wanted.join("whole").exists() && !beside.exists());
    assert!(has_files(&wanted).expect("it can be read"));
    let error = NewDirectory::begin(&wanted).expect_err("it has files");
    assert!(error.to_string().contains("/new/directory/d is not empty"), "{error}");
    // A file in its place cannot be read as a directory.
    let error = has_files(&wanted.join("whole")).expect_err("it is a file");
    assert!(error.to_string().contains("/d/whole: "), "{error}");
    assert!(NewDirectory::begin(&wanted.join("whole")).is_err());
}
