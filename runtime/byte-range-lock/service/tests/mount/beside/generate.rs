//! Random calls, of few names, so that they meet.

use std::io::SeekFrom;

use rustix::fs::{Access, FallocateFlags, FileType, OFlags, RenameFlags, XattrFlags};
use turnstile_host::Rng;

use super::call::{
    AttributeCall, FileCall, NameCall, OpenFileCall, PathCall, SLOTS, Stamp, Value, XattrCall,
};
use crate::posix::generate::{below, pick};

/// The names that most calls are about.
const PATHS: &[&str] = &["a", "a", "b", "b", "c", "d", "d/a", "d/a", "d/e", "d/e/a", "s"];

/// Names that are rarely right.
const ODD_PATHS: &[&str] = &[".", "", "a/", "d/", "d/.", "d/..", "d/../a", "a/b", "./a", LONG];

/// A name that is too long.
const LONG: &str = match std::str::from_utf8(&[b'x'; 256]) {
    Ok(name) => name,
    Err(_) => unreachable!(),
};

/// Places in a file, and lengths: some are at, or beyond, the ends of pages.
const PLACES: &[u64] = &[0, 1, 10, 4090, 4096, 5000, 8192, 70_000, 1 << 33];
const LENGTHS: &[usize] = &[0, 1, 9, 100, 4096, 5000, 70_000];

const MODES: &[u32] = &[
    0o644, 0o600, 0o666, 0o777, 0o755, 0o000, 0o444, 0o222, 0o4755, 0o2755, 0o2745, 0o6777, 0o1777,
    0o2777, 0o640,
];

const ATTRIBUTES: &[&str] = &[
    "user.a",
    "user.a",
    "user.b",
    "trusted.a",
    "security.a",
    "system.posix_acl_access",
    "system.posix_acl_access",
    "system.posix_acl_default",
    "security.capability",
    "none",
];

/// Users, and their groups. The last one has a group of the second one, too.
pub(crate) const USERS: [u32; 3] = [0, 1001, 1002];

fn path(rng: &mut Rng) -> &'static str {
    if rng.chance(0.03) { pick(rng, ODD_PATHS) } else { pick(rng, PATHS) }
}

/// Whether a path may lead to the folder itself, whose attributes nobody looks up.
pub(crate) fn is_own_folder(path: &str) -> bool {
    matches!(path, "." | "" | "d/.." | "d/.")
}

fn slot(rng: &mut Rng) -> usize {
    usize::try_from(below(rng, SLOTS as u64)).expect("there are few")
}

/// What is there at first: files and a folder of users.
pub(crate) fn first() -> [(usize, FileCall); 6] {
    let flags = OFlags::RDWR | OFlags::CREATE;
    let open = |slot, path, mode| FileCall::Open { slot, path, flags, mode };
    [
        (0, FileCall::OnPath { path: "d", call: PathCall::Name(NameCall::MakeDirectory(0o777)) }),
        (0, FileCall::OnPath { path: "d", call: PathCall::Attribute(AttributeCall::Chmod(0o777)) }),
        (0, open(0, "a", 0o666)),
        (1, open(0, "d/a", 0o666)),
        (1, open(1, "b", 0o666)),
        (2, open(0, "d/c", 0o640)),
    ]
}

/// A call of some user.
pub(crate) fn call(rng: &mut Rng) -> FileCall {
    match below(rng, 100) {
        0..20 => open(rng),
        20..22 => FileCall::Close { slot: slot(rng) },
        22..52 => FileCall::OnOpen { slot: slot(rng), call: on_open(rng) },
        52..54 => FileCall::Copy { from: slot(rng), to: slot(rng), length: pick(rng, LENGTHS) },
        54..56 => FileCall::Umask(pick(rng, &[0, 0o022, 0o027, 0o077])),
        56..78 => FileCall::OnPath { path: path(rng), call: PathCall::Name(on_name(rng)) },
        _ => FileCall::OnPath { path: path(rng), call: on_attributes(rng) },
    }
}

fn open(rng: &mut Rng) -> FileCall {
    let mut flags = pick(rng, &[OFlags::RDONLY, OFlags::WRONLY, OFlags::RDWR, OFlags::RDWR]);
    for (flag, chance) in [
        (OFlags::CREATE, 0.7),
        (OFlags::EXCL, 0.05),
        (OFlags::TRUNC, 0.2),
        (OFlags::APPEND, 0.3),
        (OFlags::NOFOLLOW, 0.1),
        (OFlags::DIRECTORY, 0.03),
        (OFlags::SYNC, 0.05),
    ] {
        if rng.chance(chance) {
            flags |= flag;
        }
    }
    // A pipe waits for nobody.
    flags |= OFlags::NONBLOCK;
    FileCall::Open { slot: slot(rng), path: path(rng), flags, mode: pick(rng, MODES) }
}

fn on_open(rng: &mut Rng) -> OpenFileCall {
    use OpenFileCall as Call;
    let (at, length) = (pick(rng, PLACES), pick(rng, LENGTHS));
    let byte = u8::try_from(below(rng, 255)).expect("it is small") + 1;
    match below(rng, 16) {
        0 => Call::Read(length),
        1 | 2 => Call::ReadAt(at, length),
        3..6 => Call::Write(length, byte),
        6 | 7 => Call::WriteAt(at, length, byte),
        8 => Call::SetAppend(rng.chance(0.5)),
        9 => {
            let offset = pick(rng, &[0, 1, -1, 5000, -5000]);
            Call::Seek(pick(
                rng,
                &[SeekFrom::Start(at), SeekFrom::Current(offset), SeekFrom::End(offset)],
            ))
        }
        10 => Call::Truncate(at),
        11 => Call::Allocate { mode: allocation(rng), at, length: length as u64 },
        12 => pick(rng, &[Call::Stat, Call::Sync]),
        13 => Call::Chmod(pick(rng, MODES)),
        14 => {
            let (user, group) = owners(rng);
            Call::Chown(user, group)
        }
        _ => Call::Times(stamp(rng), stamp(rng)),
    }
}

fn allocation(rng: &mut Rng) -> FallocateFlags {
    pick(
        rng,
        &[
            FallocateFlags::empty(),
            FallocateFlags::KEEP_SIZE,
            FallocateFlags::KEEP_SIZE | FallocateFlags::PUNCH_HOLE,
            FallocateFlags::ZERO_RANGE,
            FallocateFlags::ZERO_RANGE | FallocateFlags::KEEP_SIZE,
            FallocateFlags::PUNCH_HOLE,
        ],
    )
}

/// A new owner, a new group, or both: the kernel does not pass on that nothing is changed.
fn owners(rng: &mut Rng) -> (Option<u32>, Option<u32>) {
    let owner = |rng: &mut Rng| pick(rng, &[0, USERS[1], USERS[2], 77]);
    match below(rng, 3) {
        0 => (Some(owner(rng)), None),
        1 => (None, Some(owner(rng))),
        _ => (Some(owner(rng)), Some(owner(rng))),
    }
}

fn stamp(rng: &mut Rng) -> Option<Stamp> {
    let past = Stamp::At(1_000_000_000, 123_456_789);
    pick(rng, &[None, Some(Stamp::Now), Some(past), Some(Stamp::At(1, 0)), Some(past)])
}

fn on_name(rng: &mut Rng) -> NameCall {
    let to = path(rng);
    match below(rng, 16) {
        0 | 1 => NameCall::Link { to, follows: rng.chance(0.3) },
        2 => NameCall::Symlink { target: to },
        3 => NameCall::ReadLink,
        4..8 => NameCall::Rename {
            to,
            flags: pick(
                rng,
                &[
                    RenameFlags::empty(),
                    RenameFlags::empty(),
                    RenameFlags::empty(),
                    RenameFlags::NOREPLACE,
                    RenameFlags::EXCHANGE,
                ],
            ),
        },
        8 => NameCall::Unlink,
        9 | 10 => NameCall::RemoveDirectory,
        11..14 => NameCall::MakeDirectory(pick(rng, &[0o755, 0o777, 0o700, 0o1777, 0o2777])),
        14 => {
            let kinds = [
                FileType::Fifo,
                FileType::Socket,
                FileType::RegularFile,
                FileType::CharacterDevice,
            ];
            NameCall::MakeNode(pick(rng, &kinds), pick(rng, MODES))
        }
        _ => NameCall::List,
    }
}

fn on_attributes(rng: &mut Rng) -> PathCall {
    if rng.chance(0.4) {
        return PathCall::Xattr(on_xattrs(rng));
    }
    let follows = rng.chance(0.6);
    PathCall::Attribute(match below(rng, 10) {
        0 | 1 => AttributeCall::Stat { follows },
        2 => AttributeCall::Access(pick(
            rng,
            &[Access::EXISTS, Access::READ_OK, Access::WRITE_OK, Access::EXEC_OK],
        )),
        3 => AttributeCall::Truncate(pick(rng, &[0, 1, 5000, 70_000, -1])),
        4 | 5 => AttributeCall::Chmod(pick(rng, MODES)),
        6 | 7 => {
            let (user, group) = owners(rng);
            AttributeCall::Chown { user, group, follows }
        }
        _ => AttributeCall::Times { access: stamp(rng), change: stamp(rng), follows },
    })
}

fn on_xattrs(rng: &mut Rng) -> XattrCall {
    let name = pick(rng, ATTRIBUTES);
    match below(rng, 6) {
        0..3 => XattrCall::Set {
            name,
            value: value(rng, name),
            flags: pick(rng, &[XattrFlags::empty(), XattrFlags::CREATE, XattrFlags::REPLACE]),
        },
        3 => XattrCall::Read { name, size: pick(rng, &[0, 2, 100, 65_536]) },
        4 => XattrCall::List { size: pick(rng, &[0, 2, 4000]) },
        _ => XattrCall::Remove(name),
    }
}

fn value(rng: &mut Rng, name: &str) -> Value {
    if name == "security.capability" && rng.chance(0.8) {
        // Version 2, effective: cap_net_raw.
        return Value([&0x0200_0001_u32.to_le_bytes()[..], &[0, 0x20, 0, 0], &[0; 12]].concat());
    }
    if !name.starts_with("system.") || rng.chance(0.1) {
        return Value(vec![1; pick(rng, &[0, 1, 3, 100, 3000])]);
    }
    // Version 2; the owner, a user, the group, a group, the mask, all others: tag, rights, who.
    let right = |rng: &mut Rng| u16::try_from(below(rng, 8)).expect("it is small");
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, who) in [
        (1_u16, u32::MAX),
        (2, USERS[1]),
        (4, u32::MAX),
        (8, USERS[2]),
        (16, u32::MAX),
        (32, u32::MAX),
    ] {
        list.extend(tag.to_le_bytes());
        list.extend(right(rng).to_le_bytes());
        list.extend(who.to_le_bytes());
    }
    Value(list)
}
