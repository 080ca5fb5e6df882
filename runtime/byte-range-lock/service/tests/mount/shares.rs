//! What one user may take of a mount, and what is left for the others.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::Test;
use crate::shell::{Talk, as_nobody, as_root, as_user, said};
use crate::support::{Folder, Mounted, until};

pub(crate) const TESTS: &[Test] = &[
    ("a_user_with_20_000_open_files_leaves_the_mount_to_others", many_open_files),
    ("a_user_is_refused_more_files_than_its_share", share),
    ("a_share_is_given_back", given_back),
    ("files_beyond_the_number_of_descriptors_are_walked_through", walked_through),
    ("files_are_walked_through_while_a_program_has_others_by_path", held_by_path),
    ("directories_beyond_the_number_of_descriptors_are_walked_through", directories),
    ("what_is_removed_behind_a_mount_is_no_users_share", removed_behind),
    ("a_mount_takes_as_many_descriptors_as_the_system_permits", limit),
];

/// The program of a user who opens files of a folder until it is refused, and keeps them.
const OPENS: &str = "exec perl -e '$| = 1; my @files; my $n = 0;
    while ($n < $ARGV[0]) { open(my $file, \"<\", \"many/$n\") or last; push @files, $file; $n++ }
    print \"$n $!\\n\"; <STDIN>' ";

/// Starts that program for so many files.
fn opener(folder: &Path, user: u32, files: usize) -> Talk {
    Talk::start(&mut as_user(user, folder, &format!("{OPENS}{files}")))
}

/// A folder of files that all may read.
fn make(folder: &Folder, files: usize) {
    fs::create_dir(folder.join("many")).expect("a folder");
    for n in 0..files {
        File::create(folder.join(&format!("many/{n}"))).expect("a file");
    }
}

fn many_open_files() {
    let backing = Folder::open_to_all();
    make(&backing, 20_000);
    let mount = Mounted::start(&backing.0, &[]);
    let mut greedy = opener(&mount.path, 1, 20_000);
    // All that this process may have are 20,000 and fewer on some machines.
    let opened: usize = greedy.line().split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
    assert!(opened > 100, "{opened} files are open");
    said(as_nobody(&mount.path, "echo x > mine && cat mine many/17")).expect("another user");
    said(as_root(&mount.path, "echo x > roots && cat roots many/17 && ls")).expect("root");
}

fn share() {
    let backing = Folder::open_to_all();
    make(&backing, 300);
    let mount = Mounted::start(&backing.0, &["--files-per-user=100"]);
    let mut greedy = opener(&mount.path, 1, 300);
    assert_eq!(greedy.line(), "100 Too many open files in system");
    let mut other = opener(&mount.path, 2, 50);
    assert!(other.line().starts_with("50 "), "another user has a share of its own");
    let mut root = Talk::start(&mut as_root(&mount.path, &format!("{OPENS}300")));
    assert!(root.line().starts_with("300 "), "root has no limit");
    let made = said(as_user(1, &mount.path, "echo x > mine"));
    assert!(made.is_err() && !backing.join("mine").exists(), "nothing is made: {made:?}");
    said(as_user(2, &mount.path, "echo x > mine && cat mine && ls")).expect("the other user");
}

fn given_back() {
    let backing = Folder::open_to_all();
    make(&backing, 300);
    let mount = Mounted::start(&backing.0, &["--files-per-user=100"]);
    for _ in 0..3 {
        let mut greedy = opener(&mount.path, 1, 100);
        assert!(greedy.line().starts_with("100 "));
        drop(greedy);
        // The kernel tells of the last close of a file when its program is gone.
        until("the files are closed", || said(as_user(1, &mount.path, "cat many/7")).is_ok());
    }
}

fn walked_through() {
    let backing = Folder::open_to_all();
    make(&backing, 4_000);
    let mount = Mounted::start(&backing.0, &["--files-per-user=500"]);
    let line = "stat -c %i many/* > /dev/null && find . -type f -size 0 | wc -l";
    let found = said(as_user(1, &mount.path, line));
    assert_eq!(found, Ok("4000".into()), "more files than the user may have");
}

/// The kernel cannot forget the oldest files, since a program has them, which are more than half of
/// what the user may have.
fn held_by_path() {
    let backing = Folder::open_to_all();
    make(&backing, 4_000);
    let mount = Mounted::start(&backing.0, &["--files-per-user=500"]);
    // By O_PATH.
    let holds = "exec perl -e 'use Fcntl; $| = 1; my @files; for my $n (0..599) {
        sysopen(my $file, \"many/$n\", 0x200000) or die $!; push @files, $file }
        print \"held\\n\"; <STDIN>'";
    let mut holder = Talk::start(&mut as_user(1, &mount.path, holds));
    assert_eq!(holder.line(), "held");
    for _ in 0..2 {
        let found = said(as_user(1, &mount.path, "stat -c %i many/* | wc -l"));
        assert_eq!(found, Ok("4000".into()), "more files than the user may have");
    }
}

/// More directories than a user may have that the kernel remembers. One that was opened again is
/// the same to who is in it.
fn directories() {
    let backing = Folder::open_to_all();
    for n in 0..3_000 {
        fs::create_dir_all(backing.join(&format!("{}/{n}", n % 30))).expect("a folder");
    }
    let mount = Mounted::start(&backing.0, &["--files-per-user=500"]);
    let mode = fs::Permissions::from_mode(0o777);
    fs::set_permissions(backing.join("7/7"), mode).expect("it is there");
    let line = "cd 7/7 && for n in 1 2; do find ../.. -type d | wc -l; done && pwd -P && \
                mkdir in && ls";
    let found = said(as_user(1, &mount.path, line));
    let here = format!("3031\n3031\n{}\nin", mount.join("7/7").display());
    assert_eq!(found, Ok(here), "more directories than the user may have");
}

/// Directories that somebody removes in the backing directory, half of them renamed by the mount
/// before: more than a user may have that the kernel remembers.
fn removed_behind() {
    let backing = Folder::open_to_all();
    let mount = Mounted::start(&backing.0, &["--files-per-user=100"]);
    for turn in 0..20 {
        let line = format!(
            "for n in $(seq {0} {1}); do mkdir -p $n.new/within && mv $n.new $n && touch $n/file \
             || exit 1; done",
            turn * 30,
            turn * 30 + 29
        );
        let made = said(as_user(1, &mount.path, &line));
        made.unwrap_or_else(|error| panic!("turn {turn}: {error}"));
        for n in turn * 30..turn * 30 + 30 {
            fs::remove_dir_all(backing.join(&n.to_string())).expect("it is there");
        }
    }
}

fn limit() {
    let backing = Folder::new();
    let mount = Mounted::start(&backing.0, &[]);
    // Root may exceed what it was given, unless it has lost that right, as in a container.
    let line = "ulimit -Hn $(cat /proc/sys/fs/nr_open) 2>&-; ulimit -Hn";
    let most = said(as_root(&backing.0, line)).expect("a number");
    let limits = fs::read_to_string(format!("/proc/{}/limits", mount.process.id()));
    let limits = limits.expect("it runs");
    let open = limits.lines().find(|line| line.starts_with("Max open files")).expect("a limit");
    let columns: Vec<&str> = open.split_whitespace().skip(3).take(2).collect();
    assert_eq!(columns, [&most, &most], "{open}");
}
