//! A process that makes system calls for a test: this program again, with another argument.
//!
//! It has one thread. It reads a call from its input, makes it, and writes the answer: `ok`, or the
//! name of the error. A call that waits is answered when its wait is over. `SIGUSR1` does nothing
//! but end a wait (there is no `SA_RESTART`).

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, kill, sigaction};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork};
use rustix::fs::{FlockOperation, flock};

use crate::locks::{Kind, description};
use crate::posix::call::{ActorCall, BETWEEN, Family, LockBytes, OpenAccess, Whence};
use crate::support::SOON;

/// The first argument of an actor. The second is the path of its file.
pub(crate) const ARGUMENT: &str = "actor";

/// How many descriptors an actor may have.
pub(crate) const SLOTS: usize = 4;

/// The answer to a call that did what it was to do, and names nothing.
pub(crate) const OK: &str = "ok";

/// An actor, as its test has it. It is killed with it.
pub(crate) struct Actor {
    process: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Actor {
    /// Starts an actor for a file.
    pub(crate) fn start(path: &Path) -> Self {
        let program = env::current_exe().expect("this program has a path");
        let mut command = Command::new(program);
        command.arg(ARGUMENT).arg(path).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("this program starts");
        let input = process.stdin.take().expect("it is a pipe");
        let output = process.stdout.take().expect("it is a pipe");
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { process, input, answers }
    }

    /// The number of its process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Lets it make a call.
    pub(crate) fn send(&mut self, call: &ActorCall) {
        writeln!(self.input, "{call}").expect("it reads its calls");
    }

    /// The answer, if there is one by now.
    pub(crate) fn answer_now(&self) -> Option<String> {
        self.answers.try_recv().ok()
    }

    /// The answer, which is to come soon.
    pub(crate) fn answer(&self) -> Result<String, String> {
        let late = |_| format!("no answer within {SOON:?}");
        self.answers.recv_timeout(SOON).map_err(late)
    }

    /// Whether it waits in a call for a lock.
    pub(crate) fn is_in_lock_call(&self) -> bool {
        let call = fs::read_to_string(format!("/proc/{}/syscall", self.id())).unwrap_or_default();
        let number = call.split(' ').next().and_then(|number| number.parse().ok());
        matches!(number, Some(libc::SYS_fcntl | libc::SYS_flock))
    }

    /// Ends its wait.
    pub(crate) fn interrupt(&self) {
        let process = i32::try_from(self.id()).expect("process numbers are small");
        kill(Pid::from_raw(process), Signal::SIGUSR1).expect("it runs");
    }

    /// Kills it. Returns `false` if it does not end soon.
    pub(crate) fn kill(&mut self) -> bool {
        let _dead = self.process.kill();
        let late = Instant::now() + SOON;
        while self.process.try_wait().ok().flatten().is_none() {
            if Instant::now() > late {
                return false;
            }
            thread::park_timeout(Duration::from_micros(100));
        }
        true
    }
}

impl Drop for Actor {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Makes the calls of the input until it ends.
pub(crate) fn serve() -> ExitCode {
    let path = env::args_os().nth(2).expect("its second argument is a path").into();
    answer_signals();
    let mut served = ServedActor { path, slots: Default::default() };
    for line in io::stdin().lines().map_while(Result::ok) {
        println!("{}", served.answer(&ActorCall::parse(&line)));
    }
    ExitCode::SUCCESS
}

extern "C" fn nothing(_signal: libc::c_int) {}

#[expect(unsafe_code, reason = "the handler does nothing, at whatever time it is called")]
fn answer_signals() {
    let handler = SigHandler::Handler(nothing);
    let action = SigAction::new(handler, SaFlags::empty(), SigSet::empty());
    // SAFETY: see above.
    unsafe { sigaction(Signal::SIGUSR1, &action) }.expect("there is such a signal");
}

/// An actor, as it has itself.
struct ServedActor {
    path: PathBuf,
    slots: [Option<File>; SLOTS],
}

impl ServedActor {
    fn answer(&mut self, call: &ActorCall) -> String {
        self.make(call).unwrap_or_else(|error| format!("{error:?}"))
    }

    fn make(&mut self, call: &ActorCall) -> Result<String, Errno> {
        match call {
            ActorCall::Open { slot, access } => {
                self.slots[*slot] = Some(self.open(*access).map_err(errno)?);
            }
            ActorCall::Dup { slot, to } => {
                self.slots[*to] = Some(self.file(*slot)?.try_clone().map_err(errno)?);
            }
            ActorCall::Close { slot } => drop(self.slots[*slot].take().ok_or(Errno::EBADF)?),
            ActorCall::Seek { slot, to } => {
                self.file(*slot)?.seek(SeekFrom::Start(*to)).map_err(errno)?;
            }
            ActorCall::Truncate { slot, size } => {
                self.file(*slot)?.set_len(*size).map_err(errno)?;
            }
            ActorCall::Lock { slot, family, waits, bytes } => {
                lock(self.file(*slot)?, *family, *waits, *bytes)?;
            }
            ActorCall::Test { slot, family, bytes } => {
                return test(self.file(*slot)?, *family, *bytes);
            }
            ActorCall::Flock { slot, waits, kind } => {
                flock(self.file(*slot)?, operation(*kind, *waits)).map_err(|e| errno(e.into()))?;
            }
            ActorCall::Fork(calls) => return Ok(self.fork(calls)),
        }
        Ok(OK.into())
    }

    fn file(&self, slot: usize) -> Result<&File, Errno> {
        self.slots[slot].as_ref().ok_or(Errno::EBADF)
    }

    fn open(&self, access: OpenAccess) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(access != OpenAccess::WriteOnly).write(access != OpenAccess::ReadOnly);
        options.open(&self.path)
    }

    /// Lets a child make calls. It inherits all descriptors, and has ended at the answer.
    #[expect(unsafe_code, reason = "this process has one thread")]
    fn fork(&mut self, calls: &[ActorCall]) -> String {
        let (mut output, mut input) = io::pipe().expect("there are pipes");
        // SAFETY: see above.
        match unsafe { fork() }.expect("there are processes") {
            ForkResult::Child => {
                let answers: Vec<String> = calls.iter().map(|call| self.answer(call)).collect();
                let answers = answers.join(BETWEEN);
                input.write_all(answers.as_bytes()).expect("the parent reads");
                std::process::exit(0);
            }
            ForkResult::Parent { child } => {
                drop(input);
                let mut answers = String::new();
                output.read_to_string(&mut answers).expect("the child writes text");
                waitpid(child, None).expect("it is a child");
                answers
            }
        }
    }
}

fn errno(error: io::Error) -> Errno {
    Errno::from_raw(error.raw_os_error().unwrap_or_default())
}

const fn operation(kind: Kind, waits: bool) -> FlockOperation {
    match (kind, waits) {
        (Kind::Read, true) => FlockOperation::LockShared,
        (Kind::Read, false) => FlockOperation::NonBlockingLockShared,
        (Kind::Write, true) => FlockOperation::LockExclusive,
        (Kind::Write, false) => FlockOperation::NonBlockingLockExclusive,
        (Kind::Unlock, _) => FlockOperation::Unlock,
    }
}

fn lock(file: &File, family: Family, waits: bool, bytes: LockBytes) -> Result<(), Errno> {
    let lock = to_flock(bytes);
    let set = match (family, waits) {
        (Family::Process, false) => FcntlArg::F_SETLK(&lock),
        (Family::Process, true) => FcntlArg::F_SETLKW(&lock),
        (Family::Description, false) => FcntlArg::F_OFD_SETLK(&lock),
        (Family::Description, true) => FcntlArg::F_OFD_SETLKW(&lock),
    };
    fcntl(file, set).map(|_| ())
}

/// The lock that `fcntl` names: its type, its bytes, and its process.
fn test(file: &File, family: Family, bytes: LockBytes) -> Result<String, Errno> {
    let mut lock = to_flock(bytes);
    let test = match family {
        Family::Process => FcntlArg::F_GETLK(&mut lock),
        Family::Description => FcntlArg::F_OFD_GETLK(&mut lock),
    };
    fcntl(file, test)?;
    let kind = match i32::from(lock.l_type) {
        libc::F_UNLCK => return Ok("free".into()),
        libc::F_RDLCK => Kind::Read,
        libc::F_WRLCK => Kind::Write,
        other => return Ok(format!("type {other}")),
    };
    let libc::flock { l_whence, l_start, l_len, l_pid, .. } = lock;
    Ok(format!("{kind:?} {l_whence} {l_start} {l_len}{PROCESS}{l_pid}"))
}

/// What is before the number of a process in an answer.
pub(crate) const PROCESS: &str = " of process ";

fn to_flock(LockBytes { kind, whence, start, length }: LockBytes) -> libc::flock {
    let whence = match whence {
        Whence::Set => libc::SEEK_SET,
        Whence::Cur => libc::SEEK_CUR,
        Whence::End => libc::SEEK_END,
    };
    let whence = i16::try_from(whence).expect("it is small");
    libc::flock { l_whence: whence, ..description(kind, start, length) }
}
