//! Extended attributes, as the file system behind has them, and the programs that copy them.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use rustix::fs::{XattrFlags, getxattr, lgetxattr, listxattr, lsetxattr, removexattr, setxattr};
use rustix::io::Errno;

use crate::Test;
use crate::shell::{as_nobody, as_root, said};
use crate::support::{Folder, Mounted};

pub(crate) const TESTS: &[Test] = &[
    ("extended_attributes_are_those_of_the_file_system_behind", calls),
    ("extended_attributes_are_refused_to_users_as_behind", users),
    ("copies_keep_extended_attributes", copies),
];

/// All answers about a file and a link, by calls.
fn answers(folder: &Path) -> Vec<String> {
    let (path, link) = (folder.join("file"), folder.join("link"));
    fs::write(&path, "text").expect("a file");
    symlink("file", &link).expect("a link");
    let mut answers = Vec::new();
    let mut note = |what: &str, answer: Result<usize, Errno>| {
        answers.push(format!("{what}: {:?}", answer.map_err(io::Error::from)));
    };
    let (empty, create, replace) = (XattrFlags::empty(), XattrFlags::CREATE, XattrFlags::REPLACE);
    let mut buffer = vec![0; 70_000];
    for name in ["user.a", "security.b", "trusted.c", "system.d", "other.e", "user.", "f"] {
        let mut set = |what: &str, value: &[u8], flags| {
            note(&format!("{what} {name}"), setxattr(&path, name, value, flags).map(|()| 0));
        };
        set("replace what is not there", b"v", replace);
        set("create", b"value", create);
        set("create what is there", b"other", create);
        set("replace", b"a value", replace);
        set("set", b"value", empty);
        set("set too much", &[1; 66_000], empty);
        for size in [0, 1, 4, 5, 6, 65_536, 65_537, 70_000] {
            let found = getxattr(&path, name, &mut buffer[..size]);
            let value = found.map_or(&[][..], |length| &buffer[..length]).to_vec();
            note(&format!("read {size} of {name} {value:?}"), found);
        }
        note(&format!("of a link {name}"), lsetxattr(&link, name, b"x", empty).map(|()| 0));
        note(&format!("of a link {name}"), lgetxattr(&link, name, &mut buffer[..]));
        let mut value = vec![0; 4096];
        for size in [0, 1, 2, 3] {
            note(&format!("length {size} {name}"), length(&path, name, size));
        }
        note(&format!("remove {name}"), removexattr(&path, name).map(|()| 0));
        note(&format!("remove again {name}"), removexattr(&path, name).map(|()| 0));
        note(&format!("empty {name}"), setxattr(&path, name, b"", empty).map(|()| 0));
        note(&format!("empty {name}"), getxattr(&path, name, &mut value[..]));
    }
    for size in [0, 1, 10, 1000] {
        let found = listxattr(&path, &mut buffer[..size]);
        let mut names: Vec<Vec<u8>> = buffer[..*found.as_ref().unwrap_or(&0)]
            .split(|byte| *byte == 0)
            .map(<[u8]>::to_vec)
            .collect();
        names.sort_unstable();
        note(&format!("list {size} {names:?}"), found);
    }
    answers
}

/// The answer of `getfattr`, whose first call asks for the length.
fn length(path: &Path, name: &str, size: usize) -> Result<usize, Errno> {
    let mut value = vec![0; size];
    if size == 0 {
        return rustix::fs::getxattr_query(path, name);
    }
    getxattr(path, name, &mut value[..])
}

fn calls() {
    let (plain, backing) = (Folder::new(), Folder::new());
    let mount = Mounted::start(&backing.0, &[]);
    let [on_plain, on_mount] = [answers(&plain.0), answers(&mount.path)];
    for (plain, mounted) in on_plain.iter().zip(&on_mount) {
        assert_eq!(mounted, plain);
    }
    assert!(on_plain.iter().any(|line| line.starts_with("read 5 of user.a [118, 97")));
}

fn users() {
    let (plain, backing) = (Folder::open_to_all(), Folder::open_to_all());
    let mount = Mounted::start(&backing.0, &[]);
    let answers = |folder: &Path| {
        for (name, mode) in [("readable", 0o644), ("writable", 0o666), ("secret", 0o600)] {
            fs::write(folder.join(name), "text").expect("a file");
            fs::set_permissions(folder.join(name), Permissions::from_mode(mode)).expect("set");
            for attribute in ["user.a", "trusted.b", "security.c"] {
                let flags = XattrFlags::empty();
                setxattr(folder.join(name), attribute, b"value", flags).expect("root may");
            }
        }
        let lines = [
            "getfattr -m - -d FILE",
            "getfattr -n user.a FILE",
            "getfattr -n trusted.b FILE",
            "getfattr -n security.c FILE",
            "getfattr -n security.capability FILE",
            "setfattr -n user.a -v new FILE",
            "setfattr -n user.z -v new FILE",
            "setfattr -n trusted.b -v new FILE",
            "setfattr -n security.c -v new FILE",
            "setfattr -x user.a FILE",
            "setfattr -x trusted.b FILE",
            "setfacl -m u:1:r FILE",
        ];
        let mut answers = Vec::new();
        for file in ["readable", "writable", "secret"] {
            for line in lines {
                let line = format!("{} 2>&1", line.replace("FILE", file));
                answers.push(format!("{line}: {:?}", said(as_nobody(folder, &line))));
            }
        }
        answers
    };
    let [on_plain, on_mount] = [answers(&plain.0), answers(&mount.path)];
    for (plain, mounted) in on_plain.iter().zip(&on_mount) {
        assert_eq!(mounted, plain);
    }
}

/// `cp -a` and `mv`, into a mount, within it, and out of it.
fn copies() {
    let (outside, backing) = (Folder::new(), Folder::new());
    let mount = Mounted::start(&backing.0, &[]);
    let make = "mkdir tree; echo x > tree/file; setfattr -n user.a -v value tree/file; \
        setfattr -n user.b -v other tree; setfattr -n trusted.c -v third tree/file; \
        setfacl -m u:1:rw tree/file; setfacl -d -m g:2:rx tree; setcap cap_net_raw+ep tree/file";
    said(as_root(&outside.0, make)).expect("a tree");
    let shown = |folder: &Path, name: &str| {
        let line = format!("cd {name} && getfattr -R -m - -d . && getcap -r . && getfacl -R .");
        said(as_root(folder, &line)).expect("it is read")
    };
    let expected = shown(&outside.0, "tree");
    for part in ["user.a=\"value\"", "trusted.c", "security.capability", "cap_net_raw=ep"] {
        assert!(expected.contains(part), "{part} in {expected}");
    }
    let (out, mounted) = (outside.0.display(), mount.path.display());
    for line in [
        format!("cp -a {out}/tree {mounted}/one"),
        format!("cp -a {mounted}/one {mounted}/two"),
        format!("mv {mounted}/two {mounted}/three"),
        format!("cp -a {mounted}/three {out}/four"),
        format!("mv {out}/four {mounted}/five"),
        format!("mv {mounted}/five {out}/six"),
    ] {
        let said = said(as_root(&outside.0, &format!("{line} 2>&1"))).expect("it runs");
        assert_eq!(said, "", "{line}");
    }
    for (folder, name) in [(&mount.path, "one"), (&mount.path, "three"), (&outside.0, "six")] {
        assert_eq!(shown(folder, name), expected, "{name}");
    }
}
