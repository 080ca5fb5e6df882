//! Set-user-id and set-group-id bits, and capabilities of files: whoever changes a file takes them,
//! as on the file system behind.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::Test;
use crate::shell::{Talk, as_nobody, as_root, said};
use crate::support::{Folder, Mounted};

pub(crate) const TESTS: &[Test] = &[
    ("set_id_bits_are_cleared_as_on_the_file_system_behind", set_id_bits),
    ("set_id_bits_that_another_mount_has_set_are_cleared", set_by_another_mount),
    ("a_mount_by_root_has_the_restrictions_of_the_file_system_behind", restrictions),
    ("a_mount_of_a_user_takes_bits_from_files_of_others", mount_of_a_user),
    ("file_capabilities_are_removed_as_on_the_file_system_behind", capabilities),
];

/// Changes of a file, as lines of a shell.
const CHANGES: &[&str] = &[
    "echo x > file",
    "echo x >> file",
    "echo x 1<> file",
    "truncate -s 2 file",
    "truncate -s 20 file",
    "perl -e 'truncate \"file\", 3 or die'",
    "fallocate -l 10000 file",
    "fallocate -p -l 1 file",
    "dd if=/etc/hostname of=file conv=notrunc bs=1 count=1 2>&-",
    "dd if=/etc/hostname of=file conv=notrunc oflag=append bs=1 count=1 2>&-",
    "touch file",
    "cat file",
];

/// A change through shared memory, which is not a write.
const WRITES_TO_MEMORY: &str = "perl -e '
    open(my $file, \"+<\", \"file\") or die;
    my ($address, $length) = (syscall(9, 0, 10, 3, 1, fileno($file), 0), 10);
    die if $address == -1;
    syscall(0, fileno(STDIN), $address, 1) == 1 or die;
    syscall(26, $address, 10, 4) == 0 or die' < /etc/hostname && head -c 1 file && sync file";

/// Modes whose bits are cleared, in part, and not.
const MODES: &[u32] = &[0o6777, 0o4777, 0o2777, 0o2767, 0o6766, 0o1777];

/// What is left of a mode after a change by a user.
fn left(folder: &Path, mode: u32, change: &str, is_root: bool) -> String {
    let path = folder.join("file");
    fs::write(&path, "0123456789").expect("a file");
    fs::set_permissions(&path, Permissions::from_mode(mode)).expect("they are set");
    let command = if is_root { as_root(folder, change) } else { as_nobody(folder, change) };
    let outcome = said(command).map(|_| ());
    let mode = fs::metadata(&path).expect("it is there").permissions().mode() & 0o7777;
    format!("{outcome:?}, {mode:o}")
}

fn set_id_bits() {
    let (plain, backing) = (Folder::open_to_all(), Folder::open_to_all());
    let mount = Mounted::start(&backing.0, &[]);
    let mut cleared = 0;
    for mode in MODES {
        let owners = ["chown 1:1 file", "chown :1 file", "chmod g+x file"];
        for change in CHANGES.iter().chain(&owners) {
            for is_root in [false, true] {
                let [on_plain, on_mount] =
                    [&plain.0, &mount.path].map(|folder| left(folder, *mode, change, is_root));
                let who = if is_root { "root" } else { "a user" };
                assert_eq!(on_mount, on_plain, "{mode:o} after `{change}` by {who}");
                cleared += u32::from(!on_mount.ends_with(&format!("{mode:o}")));
            }
        }
    }
    assert!(cleared > 30, "bits are cleared {cleared} times");
}

/// A mount that has seen the file before it got the bits clears them all the same.
fn set_by_another_mount() {
    let backing = Folder::open_to_all();
    let mounts = [(); 2].map(|()| Mounted::start(&backing.0, &[]));
    let path = mounts[0].join("file");
    fs::write(&path, "0123456789").expect("a file");
    fs::set_permissions(&path, Permissions::from_mode(0o777)).expect("they are set");
    let script = "exec 3>>file; echo ready; read line; echo x >&3; stat -L -c %a /proc/self/fd/3";
    let mut user = as_nobody(&mounts[1].path, script);
    let mut user = Talk::start(&mut user);
    assert_eq!(user.line(), "ready");
    fs::set_permissions(&path, Permissions::from_mode(0o6777)).expect("they are set");
    user.say("go");
    assert_eq!(user.line(), "777", "what the mount shows at once");
    let mode = fs::metadata(backing.join("file")).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o7777, 0o777, "what is behind");
}

fn capabilities() {
    let (plain, backing) = (Folder::open_to_all(), Folder::open_to_all());
    let mount = Mounted::start(&backing.0, &[]);
    let left = |folder: &Path, change: &str, is_root: bool| {
        let path = folder.join("file");
        let _gone = fs::remove_file(&path);
        fs::write(&path, "0123456789").expect("a file");
        fs::set_permissions(&path, Permissions::from_mode(0o777)).expect("they are set");
        said(as_root(folder, "setcap cap_net_raw+ep file")).expect("it is set");
        assert_eq!(
            said(as_root(folder, "getcap file")).expect("it is read").trim(),
            "file cap_net_raw=ep"
        );
        let command = if is_root { as_root(folder, change) } else { as_nobody(folder, change) };
        let outcome = said(command).map(|_| ());
        (outcome, said(as_root(folder, "getcap file")).expect("it is read"))
    };
    let others = ["chown 1:1 file", "setcap -r file", WRITES_TO_MEMORY];
    for change in CHANGES.iter().chain(&others) {
        for is_root in [false, true] {
            let [on_plain, on_mount] =
                [&plain.0, &mount.path].map(|folder| left(folder, change, is_root));
            assert_eq!(on_mount, on_plain, "after `{change}`, by root: {is_root}");
        }
    }
}

/// Programs get the rights of their owners, and devices are opened, where that is so behind.
fn restrictions() {
    let uses = |folder: &Path| {
        let line = "rm -f own null; cp /usr/bin/id own && chown 1 own && chmod 4755 own; \
            mknod -m 666 null c 1 3";
        said(as_root(folder, line)).expect("root may");
        [said(as_nobody(folder, "./own -u")), said(as_nobody(folder, "echo x > null"))]
    };
    for options in ["suid,dev,exec", "nosuid,dev,exec", "suid,nodev,exec", "suid,dev,noexec"] {
        let backing = Folder::new();
        let mut mount = std::process::Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "none"]).arg(&backing.0);
        assert!(mount.status().expect("it runs").success(), "a tmpfs that is {options}");
        let mount = Mounted::start(&backing.0, &[]);
        let (behind, mounted) = (uses(&backing.0), uses(&mount.path));
        drop(mount);
        let mut unmount = std::process::Command::new("umount");
        assert!(unmount.arg(&backing.0).status().expect("it runs").success());
        assert_eq!(mounted, behind, "{options}");
    }
}

/// A user mounts a directory, and writes to files that are root's, through which it may not change
/// their bits and capabilities itself.
fn mount_of_a_user() {
    let folder = Folder::open_to_all();
    fs::copy(env!("CARGO_BIN_EXE_rangefs"), folder.join("rangefs")).expect("a program");
    let make = "mkdir -m 777 backing mount; chown 1 mount; cd backing; \
        for n in 1 2 3; do echo 0123456789 > $n; done; chmod 6777 1 2; chmod 666 3; \
        for n in 1 2 3; do setcap cap_net_raw+ep $n; done";
    said(as_root(&folder.0, make)).expect("files of root");
    // Where root alone may use the device, others get one of their own.
    let script = "mknod -m 666 fuse c 10 229 && mount --bind fuse /dev/fuse && exec \
        setpriv --reuid 1 --regid 1 --clear-groups sh -c './rangefs backing mount | { read line; \
        cd mount && echo x 1<> 1; echo $?; echo y > 2; echo $?; echo z >> 3; echo $?; \
        chmod 700 1 || echo refused; stat -c \"%n %a %u %s\" 1 2 3; \
        umask 027; echo > new; stat -c \"%a %u\" new; cd ..; fusermount3 -u mount; }' 2>&-";
    let mut command = std::process::Command::new("unshare");
    command.args(["--mount", "sh", "-c", script]).current_dir(&folder.0);
    let found = said(command).expect("it runs");
    let shown = ["0", "0", "0", "refused", "1 777 0 11", "2 777 0 2", "3 666 0 13", "640 1"];
    assert_eq!(found.lines().collect::<Vec<_>>(), shown);
    let left = said(as_root(&folder.0, "getcap backing/*; stat -c %a backing/1 backing/2"));
    assert_eq!(left, Ok("777\n777".into()));
}
