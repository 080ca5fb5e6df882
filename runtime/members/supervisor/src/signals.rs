//! Signal handling: which signals are caught, stay ignored, or take their default action.
//!
//! The caller decides which signals are forwarded to the command. Unsafe code: the standard library
//! cannot set signal dispositions.

use std::io;
use std::mem::zeroed;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Pid, Signal, getpid};
use tokio::signal::unix::{self, SignalKind};

/// The meaning of a signal.
pub(crate) enum SignalMeaning {
    /// Terminate, by this signal.
    End(Signal),
    /// Stop, for example by Ctrl-Z if the command does not have the terminal.
    Stop,
    /// A child has stopped, continued or exited.
    OfChild,
}

/// The signals that this process catches: SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGTSTP and SIGCHLD.
/// One that was ignored when the program started stays ignored.
pub struct Signals {
    term: SignalWatch,
    int: SignalWatch,
    quit: SignalWatch,
    hup: SignalWatch,
    stop: SignalWatch,
    child: SignalWatch,
}

impl Signals {
    /// Catches the signals, within a tokio runtime.
    ///
    /// # Errors
    /// When the system refuses it.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            term: SignalWatch::open(Signal::TERM)?,
            int: SignalWatch::open(Signal::INT)?,
            quit: SignalWatch::open(Signal::QUIT)?,
            hup: SignalWatch::open(Signal::HUP)?,
            stop: SignalWatch::open(Signal::TSTP)?,
            child: SignalWatch(Some(unix::signal(SignalKind::child())?)),
        })
    }

    /// The next signal to terminate. Stop signals are handled internally.
    pub async fn end(&mut self) -> Signal {
        loop {
            match self.next().await {
                SignalMeaning::End(signal) => return signal,
                SignalMeaning::Stop => drop(raise_default(Signal::TSTP, SignalTarget::Process)),
                SignalMeaning::OfChild => {}
            }
        }
    }

    pub(crate) async fn next(&mut self) -> SignalMeaning {
        tokio::select! {
            () = self.term.hear() => SignalMeaning::End(Signal::TERM),
            () = self.int.hear() => SignalMeaning::End(Signal::INT),
            () = self.quit.hear() => SignalMeaning::End(Signal::QUIT),
            () = self.hup.hear() => SignalMeaning::End(Signal::HUP),
            () = self.stop.hear() => SignalMeaning::Stop,
            () = self.child.hear() => SignalMeaning::OfChild,
        }
    }
}

/// Catches a signal; `None` if it was ignored when the program started, for example under `nohup`.
/// It then stays ignored in the command, too.
struct SignalWatch(Option<unix::Signal>);

impl SignalWatch {
    fn open(signal: Signal) -> io::Result<Self> {
        if is_ignored(signal) {
            return Ok(Self(None));
        }
        unix::signal(SignalKind::from_raw(signal.as_raw())).map(Some).map(Self)
    }

    async fn hear(&mut self) {
        match &mut self.0 {
            // `recv` never returns `None` for signals.
            Some(signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    }
}

/// The target of a signal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SignalTarget {
    /// This process.
    Process,
    /// Its process group, which a shell with job control treats as the job.
    Group,
}

/// Set when this process is continued.
static GOES_ON: AtomicBool = AtomicBool::new(false);

extern "C" fn go_on(_signal: libc::c_int) {
    GOES_ON.store(true, Ordering::SeqCst);
}

/// Performs the default action of a caught signal: stops this process until it is continued, or
/// terminates it. Returns `false` if the kernel did not stop it, because its process group is
/// orphaned.
pub(crate) fn raise_default(signal: Signal, target: SignalTarget) -> bool {
    GOES_ON.store(false, Ordering::SeqCst);
    let hears: extern "C" fn(libc::c_int) = go_on;
    let heard = dispose(Signal::CONT, hears as libc::sighandler_t);
    let before = dispose(signal, libc::SIG_DFL);
    let id = match target {
        SignalTarget::Process => Pid::as_raw(Some(getpid())),
        SignalTarget::Group => 0,
    };
    #[expect(unsafe_code, reason = "a signal is not sent to one's own group otherwise")]
    // SAFETY: the arguments are numbers.
    unsafe {
        libc::kill(id, signal.as_raw());
    }
    restore(signal, &before);
    restore(Signal::CONT, &heard);
    GOES_ON.load(Ordering::SeqCst)
}

/// Whether this process currently ignores a signal.
pub(crate) fn is_ignored(signal: Signal) -> bool {
    #[expect(unsafe_code, reason = "the standard library knows no dispositions")]
    // SAFETY: all zeroes are a valid `sigaction`, and the pointer is to a local variable.
    unsafe {
        let mut now: libc::sigaction = zeroed();
        libc::sigaction(signal.as_raw(), std::ptr::null(), &raw mut now);
        now.sa_sigaction == libc::SIG_IGN
    }
}

/// Ignores a signal.
pub(crate) fn ignore(signal: Signal) {
    dispose(signal, libc::SIG_IGN);
}

/// Sets the disposition of a signal, and returns the previous one.
fn dispose(signal: Signal, handler: libc::sighandler_t) -> libc::sigaction {
    #[expect(unsafe_code, reason = "the standard library knows no dispositions")]
    // SAFETY: all zeroes are a valid `sigaction` without flags, both pointers are to local
    // variables, and the only handler that is ever set writes to an atomic.
    unsafe {
        let (mut new, mut before): (libc::sigaction, libc::sigaction) = (zeroed(), zeroed());
        new.sa_sigaction = handler;
        libc::sigaction(signal.as_raw(), &raw const new, &raw mut before);
        before
    }
}

fn restore(signal: Signal, before: &libc::sigaction) {
    #[expect(unsafe_code, reason = "the standard library knows no dispositions")]
    // SAFETY: the value was returned by the system call itself.
    unsafe {
        libc::sigaction(signal.as_raw(), before, null_mut());
    }
}
