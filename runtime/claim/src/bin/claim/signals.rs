//! The signals that end and stop programs: heard, left ignored where they were, and suffered.
//!
//! Which of them goes to the command is not decided here. Unsafe code: the standard library knows
//! no dispositions of signals.

use std::io;
use std::mem::zeroed;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Pid, Signal, getpid};
use tokio::signal::unix::{self, SignalKind};

/// What a signal tells.
pub(super) enum Told {
    /// To end, by this signal.
    End(Signal),
    /// To stop, as by Ctrl-Z at a terminal that the command does not have.
    Stop,
    /// That a child has stopped, gone on or ended.
    OfChild,
}

/// Where signals are heard.
pub(super) struct Signals {
    term: Ear,
    int: Ear,
    quit: Ear,
    hup: Ear,
    stop: Ear,
    child: Ear,
}

impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            term: Ear::open(Signal::TERM)?,
            int: Ear::open(Signal::INT)?,
            quit: Ear::open(Signal::QUIT)?,
            hup: Ear::open(Signal::HUP)?,
            stop: Ear::open(Signal::TSTP)?,
            child: Ear(Some(unix::signal(SignalKind::child())?)),
        })
    }

    /// The next signal to end. To stop is done at once.
    pub(super) async fn end(&mut self) -> Signal {
        loop {
            match self.next().await {
                Told::End(signal) => return signal,
                Told::Stop => drop(suffer(Signal::TSTP, Whom::Process)),
                Told::OfChild => {}
            }
        }
    }

    pub(super) async fn next(&mut self) -> Told {
        tokio::select! {
            () = self.term.hear() => Told::End(Signal::TERM),
            () = self.int.hear() => Told::End(Signal::INT),
            () = self.quit.hear() => Told::End(Signal::QUIT),
            () = self.hup.hear() => Told::End(Signal::HUP),
            () = self.stop.hear() => Told::Stop,
            () = self.child.hear() => Told::OfChild,
        }
    }
}

/// Hears one signal; none where it was ignored when the program began, as `nohup` has it. Then
/// the command ignores it, too.
struct Ear(Option<unix::Signal>);

impl Ear {
    fn open(signal: Signal) -> io::Result<Self> {
        if is_ignored(signal) {
            return Ok(Self(None));
        }
        unix::signal(SignalKind::from_raw(signal.as_raw())).map(Some).map(Self)
    }

    async fn hear(&mut self) {
        match &mut self.0 {
            // A stream of signals never ends.
            Some(signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    }
}

/// Who is to suffer a signal.
#[derive(Clone, Copy)]
pub(super) enum Whom {
    /// This process.
    Process,
    /// Its process group: the job that it is of, where a shell runs jobs.
    Group,
}

/// Set when something lets this process go on.
static GOES_ON: AtomicBool = AtomicBool::new(false);

extern "C" fn go_on(_signal: libc::c_int) {
    GOES_ON.store(true, Ordering::SeqCst);
}

/// Has a signal do what it does to a program that does not hear it: stop it, until it is let go
/// on, or end it. False where the system has spared it: it stops no group that nobody could let go
/// on.
pub(super) fn suffer(signal: Signal, whom: Whom) -> bool {
    GOES_ON.store(false, Ordering::SeqCst);
    let hears: extern "C" fn(libc::c_int) = go_on;
    let heard = dispose(Signal::CONT, hears as libc::sighandler_t);
    let before = dispose(signal, libc::SIG_DFL);
    let id = match whom {
        Whom::Process => Pid::as_raw(Some(getpid())),
        Whom::Group => 0,
    };
    #[expect(unsafe_code, reason = "a signal is not sent to one's own group otherwise")]
    // SAFETY: it takes numbers only.
    unsafe {
        libc::kill(id, signal.as_raw());
    }
    restore(signal, &before);
    restore(Signal::CONT, &heard);
    GOES_ON.load(Ordering::SeqCst)
}

/// Whether a signal does nothing to this process, now.
pub(super) fn is_ignored(signal: Signal) -> bool {
    #[expect(unsafe_code, reason = "the standard library knows no dispositions")]
    // SAFETY: all zeroes are a disposition, and the place that is written to is ours.
    unsafe {
        let mut now: libc::sigaction = zeroed();
        libc::sigaction(signal.as_raw(), std::ptr::null(), &raw mut now);
        now.sa_sigaction == libc::SIG_IGN
    }
}

/// Ignores a signal.
pub(super) fn ignore(signal: Signal) {
    dispose(signal, libc::SIG_IGN);
}

/// Says what a signal does, and returns what it did.
fn dispose(signal: Signal, handler: libc::sighandler_t) -> libc::sigaction {
    #[expect(unsafe_code, reason = "the standard library knows no dispositions")]
    // SAFETY: all zeroes are a disposition without flags, both places are ours, and the only
    // handler that is ever given writes to an atomic.
    unsafe {
        let (mut new, mut before): (libc::sigaction, libc::sigaction) = (zeroed(), zeroed());
        new.sa_sigaction = handler;
        libc::sigaction(signal.as_raw(), &raw const new, &raw mut before);
        before
    }
}

fn restore(signal: Signal, before: &libc::sigaction) {
    #[expect(unsafe_code, reason = "the standard library knows no dispositions")]
    // SAFETY: it is what the system itself has returned.
    unsafe {
        libc::sigaction(signal.as_raw(), before, null_mut());
    }
}
