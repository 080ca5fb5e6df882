//! What a mount passes on besides locks: names, attributes, contents.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use rustix::fs::{FallocateFlags, Mode, OFlags, fallocate, seek};
use rustix::io::Errno;

use crate::Test;
use crate::locks::open;
use crate::shell::as_nobody;
use crate::support::{Folder, Mounted};

pub(crate) const TESTS: &[Test] = &[
    ("names_are_passed_on", names),
    ("attributes_are_passed_on", attributes),
    ("contents_are_passed_on", contents),
    ("a_tree_is_copied_and_is_the_same", tree),
    ("other_users_have_the_rights_that_the_files_have", users),
    ("access_lists_hold", access_lists),
    ("what_is_not_passed_on_is_what_the_readme_says", not_passed_on),
    ("names_are_kept_where_that_is_asked_for", kept_names),
    ("the_umask_is_the_programs_own", umask),
    ("a_file_is_never_given_to_who_did_not_make_it", made_by_others),
];

fn scene() -> (Folder, Mounted) {
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    (backing, mount)
}

fn names() {
    let (backing, mount) = scene();
    let path = |name: &str| mount.join(name);
    fs::create_dir(path("folder")).expect("a folder");
    fs::write(path("folder/file"), "text").expect("a file");
    fs::hard_link(path("folder/file"), path("other")).expect("a link");
    assert_eq!(fs::metadata(path("other")).expect("it is there").nlink(), 2);
    symlink("folder/file", path("symbolic")).expect("a link");
    assert_eq!(fs::read_link(path("symbolic")).expect("a link"), Path::new("folder/file"));
    assert_eq!(fs::read_to_string(path("symbolic")).expect("it leads somewhere"), "text");
    fs::rename(path("other"), path("renamed")).expect("it is renamed");
    assert!(!path("other").exists() && backing.join("renamed").exists());
    fs::write(path("target"), "old").expect("a file");
    fs::rename(path("renamed"), path("target")).expect("it replaces the other");
    assert_eq!(fs::read_to_string(path("target")).expect("a file"), "text");
    assert!(fs::remove_dir(path("folder")).is_err(), "it is not empty");
    let mut open = File::open(path("folder/file")).expect("a file");
    fs::remove_file(path("folder/file")).expect("it is removed");
    fs::remove_file(path("target")).expect("it is removed");
    let mut text = String::new();
    open.read_to_string(&mut text).expect("an open file stays");
    assert_eq!(text, "text");
    fs::remove_dir(path("folder")).expect("it is empty");
    for n in 0..2000 {
        File::create(path(&format!("many-{n}"))).expect("a file");
    }
    let mut all: Vec<_> = fs::read_dir(&mount.path)
        .expect("a folder")
        .map(|entry| entry.expect("a name").file_name())
        .collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 2001, "each name once, and `symbolic`");
    let is_gone = fs::metadata(path("nothing")).expect_err("it is not there");
    assert_eq!(is_gone.kind(), std::io::ErrorKind::NotFound);
}

fn attributes() {
    let (backing, mount) = scene();
    let (path, behind) = (mount.join("file"), backing.join("file"));
    let file = open(&path);
    file.set_permissions(fs::Permissions::from_mode(0o640)).expect("they are set");
    let time = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 123_456_789);
    file.set_modified(time).expect("it is set");
    std::os::unix::fs::chown(&path, Some(1234), Some(4321)).expect("it is set");
    for path in [&path, &behind] {
        let found = fs::metadata(path).expect("it is there");
        assert_eq!(found.mode() & 0o7777, 0o640);
        assert_eq!((found.uid(), found.gid()), (1234, 4321));
        assert_eq!(found.modified().expect("it has one"), time);
    }
    assert_eq!(
        fs::metadata(&path).expect("it is there").ino(),
        fs::metadata(&behind).expect("it is there").ino()
    );
    let mut space = Command::new("stat");
    let space = space.args(["-f", "-c", "%b %l"]).arg(&path).output().expect("it runs");
    let mut same = Command::new("stat");
    let same = same.args(["-f", "-c", "%b %l"]).arg(&behind).output().expect("it runs");
    assert_eq!(space.stdout, same.stdout);
}

fn contents() {
    let (backing, mount) = scene();
    let (path, behind) = (mount.join("file"), backing.join("file"));
    let data: Vec<u8> = (0..1_000_000_u32).flat_map(u32::to_le_bytes).collect();
    let mut file = open(&path);
    file.write_all(&data).expect("it is written");
    assert!(fs::read(&path).expect("it is read") == data);
    assert!(fs::read(&behind).expect("it is read") == data);
    file.set_len(10).expect("it is cut");
    file.set_len(20).expect("it is lengthened");
    let mut expected = data[..10].to_vec();
    expected.resize(20, 0);
    assert_eq!(fs::read(&path).expect("it is read"), expected);
    let mut appends = [(); 2].map(|()| {
        let mut options = OpenOptions::new();
        options.append(true).open(&path).expect("it opens")
    });
    for _ in 0..100 {
        appends[0].write_all(b"a").expect("it is appended");
        appends[1].write_all(b"b").expect("it is appended");
    }
    assert_eq!(fs::read(&path).expect("it is read")[20..], *b"ab".repeat(100));
    file.seek(SeekFrom::Start(1 << 40)).expect("it is far");
    file.write_all(b"end").expect("it has a hole");
    let mut end = [0; 3];
    file.read_exact_at(&mut end, 1 << 40).expect("it is read");
    assert_eq!(end, *b"end");
    file.sync_all().expect("it is synced");
    let truncated = OpenOptions::new().write(true).truncate(true).open(&path);
    drop(truncated.expect("it opens"));
    assert_eq!(fs::metadata(&behind).expect("it is there").len(), 0);
}

/// This crate, copied onto the mount by a program and compared.
fn tree() {
    let (_backing, mount) = scene();
    let run = |program: &str, arguments: &[&str]| {
        let status = Command::new(program).args(arguments).status().expect("it runs");
        assert!(status.success(), "{program} {arguments:?}");
    };
    let (from, to) = (env!("CARGO_MANIFEST_DIR"), mount.join("copy"));
    let to = to.to_str().expect("it is text");
    run("cp", &["-a", from, to]);
    run("diff", &["-r", from, to]);
    run("rm", &["-r", to]);
}

/// What differs from the file system behind, and why, stands in the README.
fn not_passed_on() {
    let (backing, mount) = scene();
    let found = |folder: &Path| {
        let file = open(&folder.join("file"));
        file.set_len(1 << 20).expect("it is a hole");
        file.write_all_at(b"x", 1 << 19).expect("with a byte in it");
        let open = |flags| rustix::fs::open(folder, flags, Mode::RUSR | Mode::WUSR).map(|_| ());
        (
            seek(&file, rustix::fs::SeekFrom::Data(0)),
            seek(&file, rustix::fs::SeekFrom::Hole(0)),
            fallocate(&file, FallocateFlags::COLLAPSE_RANGE, 0, 4096),
            fallocate(&file, FallocateFlags::INSERT_RANGE, 0, 4096),
            open(OFlags::TMPFILE | OFlags::RDWR),
        )
    };
    let refused = Err(Errno::OPNOTSUPP);
    assert_eq!(found(&mount.path), (Ok(0), Ok(1 << 20), refused, refused, refused));
    let (data, hole, ..) = found(&backing.0);
    assert_eq!((data, hole), (Ok(1 << 19), Ok(0)), "the file system behind knows holes");
}

/// A program beside a mount removes files: the mount shows that at once, unless it keeps names. It
/// gets to know them with the listing of their folder.
fn kept_names() {
    for (arguments, is_kept) in [(&[][..], false), (&["--keep-names=100"], true)] {
        let backing = Folder::new();
        for n in 0..1000 {
            fs::write(backing.join(&format!("file-{n}")), vec![b'x'; n]).expect("a file");
        }
        let mount = Mounted::start(&backing.0, arguments);
        let list = || {
            let entries = fs::read_dir(&mount.path).expect("a folder");
            let mut all: Vec<_> = entries.map(|entry| entry.expect("a name").file_name()).collect();
            all.sort_unstable();
            all
        };
        // The kernel asks for more than names with the first ones, and after one was looked up.
        assert_eq!(list().len(), 1000, "each name once");
        for n in [0, 500] {
            let size =
                fs::symlink_metadata(mount.join(&format!("file-{n}"))).map(|file| file.len());
            assert_eq!(size.expect("it is there"), n, "the size of file {n}");
        }
        let is_there = |n: usize| fs::symlink_metadata(mount.join(&format!("file-{n}"))).is_ok();
        for n in [0, 500] {
            fs::remove_file(backing.join(&format!("file-{n}"))).expect("it is removed");
            assert_eq!(is_there(n), is_kept, "file {n} with {arguments:?}");
        }
        let kept = (600..1000).filter(|n| {
            fs::remove_file(backing.join(&format!("file-{n}"))).expect("it is removed");
            is_there(*n)
        });
        assert_eq!(kept.count() > 3, is_kept, "those that were only listed, with {arguments:?}");
        fs::remove_file(mount.join("file-1")).expect("it is removed");
        fs::rename(mount.join("file-2"), mount.join("file-3")).expect("it is renamed");
        assert!(!is_there(1) && !is_there(2) && is_there(3), "what the mount does itself is seen");
        assert_eq!(list().len(), 596);
    }
}

/// A file that all may read, but for one user.
fn access_lists() {
    let (backing, mount) = scene();
    let behind = backing.join("file");
    fs::write(&behind, "x").expect("a file");
    fs::set_permissions(&behind, fs::Permissions::from_mode(0o664)).expect("they are set");
    // Version 2; the owner, a user, the group, the mask, all others: tag, rights, who.
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, who) in [
        (1_u16, 6_u16, u32::MAX),
        (2, 0, 65534),
        (4, 6, u32::MAX),
        (16, 6, u32::MAX),
        (32, 4, u32::MAX),
    ] {
        list.extend(tag.to_le_bytes());
        list.extend(rights.to_le_bytes());
        list.extend(who.to_le_bytes());
    }
    let flags = rustix::fs::XattrFlags::empty();
    if rustix::fs::setxattr(&behind, "system.posix_acl_access", &list, flags).is_err() {
        return println!("  the file system of temporary files has no access lists");
    }
    let reads =
        |folder: &Path| as_nobody(folder, "cat file").output().expect("it runs").status.success();
    fs::set_permissions(&backing.0, fs::Permissions::from_mode(0o755)).expect("they are set");
    assert!(!reads(&backing.0), "the list holds behind");
    assert!(!reads(&mount.path), "and in the mount");
}

fn umask() {
    let (_backing, mount) = scene();
    let line = "umask 0; touch file; mkdir folder; umask 027; touch other";
    let status = Command::new("sh").args(["-c", line]).current_dir(&mount.path).status();
    assert!(status.expect("it runs").success());
    for (name, mode) in [("file", 0o666), ("folder", 0o777), ("other", 0o640)] {
        let found = fs::metadata(mount.join(name)).expect("it is there").mode();
        assert_eq!(found & 0o7777, mode, "{name}");
    }
}

/// A user asks to create a file all the time, which root creates behind the mount.
fn made_by_others() {
    let (backing, mount) = scene();
    let (behind, through) = (backing.join("all"), mount.join("all"));
    fs::create_dir(&behind).expect("a folder");
    fs::set_permissions(&behind, fs::Permissions::from_mode(0o1777)).expect("they are set");
    let mut thief = as_nobody(&through, "while :; do : >> file; done").spawn().expect("it runs");
    let mut made = 0;
    while made < 2000 {
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(behind.join("file"));
        // The user may have been the first.
        if let Ok(file) = file {
            made += 1;
            (0..10_000).for_each(|_| std::hint::spin_loop());
            assert_eq!(file.metadata().expect("it is open").uid(), 0, "it is root's");
        }
        let _gone = fs::remove_file(behind.join("file"));
    }
    thief.kill().expect("it runs");
    thief.wait().expect("it ends");
}

fn users() {
    let (_backing, mount) = scene();
    let (secret, public) = (mount.join("secret"), mount.join("public"));
    fs::write(&secret, "x").expect("a file");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).expect("they are set");
    fs::create_dir(&public).expect("a folder");
    fs::set_permissions(&public, fs::Permissions::from_mode(0o1777)).expect("they are set");
    let may = |line: &str| as_nobody(&mount.path, line).output().expect("it runs").status.success();
    assert!(!may("cat secret"));
    assert!(may("echo mine > public/file && mkdir public/folder && ln -s x public/link"));
    for name in ["file", "folder", "link"] {
        let made = fs::symlink_metadata(public.join(name)).expect("it is there");
        assert_eq!((made.uid(), made.gid()), (65534, 65534), "{name}");
    }
}
