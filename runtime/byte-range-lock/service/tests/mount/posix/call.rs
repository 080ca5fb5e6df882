//! The calls of an actor, each as a line of text: what it reads, and what a failure lists.

use std::fmt::{self, Debug, Display};

use crate::locks::Kind;

/// A system call, or several of them by a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ActorCall {
    Open { slot: usize, access: OpenAccess },
    Dup { slot: usize, to: usize },
    Close { slot: usize },
    Seek { slot: usize, to: u64 },
    Truncate { slot: usize, size: u64 },
    Lock { slot: usize, family: Family, waits: bool, bytes: LockBytes },
    Test { slot: usize, family: Family, bytes: LockBytes },
    Flock { slot: usize, waits: bool, kind: Kind },
    Fork(Vec<ActorCall>),
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenAccess {
    ReadOnly,
    WriteOnly,
    Both,
}

/// Whose locks `fcntl` sets: of the process, or of the open file description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Process,
    Description,
}

/// From where the start of a lock is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whence {
    Set,
    Cur,
    End,
}

/// A lock as `fcntl` takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LockBytes {
    pub(crate) kind: Kind,
    pub(crate) whence: Whence,
    pub(crate) start: i64,
    pub(crate) length: i64,
}

const KINDS: [Kind; 3] = [Kind::Read, Kind::Write, Kind::Unlock];
const ACCESSES: [OpenAccess; 3] = [OpenAccess::ReadOnly, OpenAccess::WriteOnly, OpenAccess::Both];
const FAMILIES: [Family; 2] = [Family::Process, Family::Description];
const WHENCES: [Whence; 3] = [Whence::Set, Whence::Cur, Whence::End];

/// What is between the calls of a child, and between its answers.
pub(crate) const BETWEEN: &str = "; ";

const TRY: &str = "try";
const WAIT: &str = "wait";

const fn patience(waits: bool) -> &'static str {
    if waits { WAIT } else { TRY }
}

impl Display for LockBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, whence, start, length } = self;
        write!(f, "{kind:?} {whence:?} {start} {length}")
    }
}

impl Display for ActorCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { slot, access } => write!(f, "open {slot} {access:?}"),
            Self::Dup { slot, to } => write!(f, "dup {slot} {to}"),
            Self::Close { slot } => write!(f, "close {slot}"),
            Self::Seek { slot, to } => write!(f, "seek {slot} {to}"),
            Self::Truncate { slot, size } => write!(f, "truncate {slot} {size}"),
            Self::Lock { slot, family, waits, bytes } => {
                write!(f, "lock {slot} {family:?} {} {bytes}", patience(*waits))
            }
            Self::Test { slot, family, bytes } => write!(f, "test {slot} {family:?} {bytes}"),
            Self::Flock { slot, waits, kind } => {
                write!(f, "flock {slot} {} {kind:?}", patience(*waits))
            }
            Self::Fork(calls) => {
                let calls: Vec<String> = calls.iter().map(ToString::to_string).collect();
                write!(f, "fork {}", calls.join(BETWEEN))
            }
        }
    }
}

impl ActorCall {
    /// The call that a line says.
    pub(crate) fn parse(line: &str) -> Self {
        if let Some(calls) = line.strip_prefix("fork ") {
            return Self::Fork(calls.split(BETWEEN).map(Self::parse).collect());
        }
        let mut words = Words(line.split(' '));
        let (verb, slot) = (words.next(), words.number());
        match verb {
            "open" => Self::Open { slot, access: words.one_of(&ACCESSES) },
            "dup" => Self::Dup { slot, to: words.number() },
            "close" => Self::Close { slot },
            "seek" => Self::Seek { slot, to: words.number() },
            "truncate" => Self::Truncate { slot, size: words.number() },
            "lock" => {
                let (family, waits) = (words.one_of(&FAMILIES), words.next() == WAIT);
                Self::Lock { slot, family, waits, bytes: words.bytes() }
            }
            "test" => Self::Test { slot, family: words.one_of(&FAMILIES), bytes: words.bytes() },
            "flock" => {
                Self::Flock { slot, waits: words.next() == WAIT, kind: words.one_of(&KINDS) }
            }
            _ => panic!("no call begins with {verb}"),
        }
    }

    /// Whether the call may wait for other owners.
    pub(crate) fn waits(&self) -> bool {
        match self {
            Self::Lock { waits, bytes, .. } => *waits && bytes.kind != Kind::Unlock,
            Self::Flock { waits, kind, .. } => *waits && *kind != Kind::Unlock,
            Self::Open { .. }
            | Self::Dup { .. }
            | Self::Close { .. }
            | Self::Seek { .. }
            | Self::Truncate { .. }
            | Self::Test { .. }
            | Self::Fork(_) => false,
        }
    }

    /// The same call, which is refused where it would wait.
    pub(crate) fn without_waiting(mut self) -> Self {
        if let Self::Lock { waits, .. } | Self::Flock { waits, .. } = &mut self {
            *waits = false;
        }
        self
    }
}

/// The words of a line, which this program has written itself.
struct Words<'a>(std::str::Split<'a, char>);

impl<'a> Words<'a> {
    fn next(&mut self) -> &'a str {
        self.0.next().expect("each call has all of its words")
    }

    fn number<T: std::str::FromStr<Err: Debug>>(&mut self) -> T {
        self.next().parse().expect("it is a number")
    }

    fn one_of<T: Copy + Debug>(&mut self, all: &[T]) -> T {
        let word = self.next();
        let found = all.iter().find(|one| format!("{one:?}") == word);
        *found.expect("it is one of these words")
    }

    fn bytes(&mut self) -> LockBytes {
        LockBytes {
            kind: self.one_of(&KINDS),
            whence: self.one_of(&WHENCES),
            start: self.number(),
            length: self.number(),
        }
    }
}
