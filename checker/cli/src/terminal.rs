//! The terminal: what may be drawn on it, and the progress line on standard error.
//!
//! It prints no results. If standard error is no terminal, nothing is drawn.

use std::io::{IsTerminal, Write as _, stderr, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mimalloc::MiMalloc;
use turnstile_allocation::Counting;
use turnstile_search::bounds::{Progress, ProgressSnapshot};
use turnstile_world::trace::grouped;

use crate::report::paint::{Paint, WIDTH};
use crate::report::text::bytes;

/// Its counts tell what a search has needed.
#[global_allocator]
static ALLOCATOR: Counting<MiMalloc> = Counting(MiMalloc);

/// Between two drawings of the line.
const PAUSE: Duration = Duration::from_millis(100);

/// Set by the first Ctrl-C; the second one ends the process.
static IS_STOPPED: AtomicBool = AtomicBool::new(false);

/// How results may look.
pub(crate) fn paint() -> Paint {
    let is_terminal = stdout().is_terminal();
    let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let width = if is_terminal { width().unwrap_or(WIDTH) } else { WIDTH };
    Paint { width, is_coloured: is_terminal && !is_plain }
}

/// The columns of the terminal behind standard error, less an indent; nothing if it is none.
pub(crate) fn error_width() -> Option<usize> {
    stderr().is_terminal().then(|| width().unwrap_or(WIDTH) - 2)
}

fn width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0).max(40))
}

/// From now on Ctrl-C ends searches, with the verdicts so far.
pub(crate) fn stop_on_interrupt() {
    let caught = ctrlc::set_handler(|| {
        if IS_STOPPED.swap(true, Ordering::Relaxed) {
            // The status that a shell gives to what a second interrupt ended.
            std::process::exit(130);
        }
    });
    if let Err(error) = caught {
        let _ =
            writeln!(stderr(), "turnstile: Ctrl-C will end the process without verdicts: {error}");
    }
}

/// Whether the searches were interrupted.
pub(crate) fn is_stopped() -> bool {
    IS_STOPPED.load(Ordering::Relaxed)
}

/// The progress line, and the memory that a search may ask for.
pub(crate) struct ProgressLine {
    is_drawn: bool,
    now: Mutex<ProgressState>,
}

struct ProgressState {
    title: String,
    begun: Instant,
    drawn: Instant,
    is_on_screen: bool,
}

impl ProgressState {
    /// Takes the line off the screen.
    fn clear(&mut self) {
        if self.is_on_screen {
            self.is_on_screen = false;
            let _ = write!(stderr(), "\r\u{1b}[K");
        }
    }
}

impl ProgressLine {
    /// A line that is drawn if standard error is a terminal.
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        let now =
            ProgressState { title: String::new(), begun: now, drawn: now, is_on_screen: false };
        Self { is_drawn: stderr().is_terminal(), now: Mutex::new(now) }
    }
}

impl ProgressLine {
    /// How far one of several searches is.
    pub(crate) fn show(&self, title: &str, begun: Instant, standing: ProgressSnapshot) {
        self.draw(PAUSE, |_| words(title, standing, begun.elapsed()));
    }

    /// Clears the line while another text is written.
    pub(crate) fn without<T>(&self, write: impl FnOnce() -> T) -> T {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.clear();
        write()
    }

    /// Redraws the line, at most once in `pause`.
    fn draw(&self, pause: Duration, words: impl FnOnce(&ProgressState) -> String) {
        if !self.is_drawn {
            return;
        }
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if now.drawn.elapsed() < pause {
            return;
        }
        now.drawn = Instant::now();
        now.is_on_screen = true;
        let words = words(&now);
        let room = width().unwrap_or(WIDTH).saturating_sub(1);
        let line: String = words.chars().take(room).collect();
        let _ = write!(stderr(), "\r\u{1b}[K{line}");
    }
}

impl Progress for ProgressLine {
    fn begin(&self, title: &str) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        title.clone_into(&mut now.title);
        now.begun = Instant::now();
        now.drawn = now.begun;
        drop(now);
        turnstile_allocation::reset();
    }

    fn update(&self, standing: ProgressSnapshot) {
        self.draw(PAUSE, |now| words(&now.title, standing, now.begun.elapsed()));
    }

    fn message(&self, words: &str) {
        self.draw(Duration::ZERO, |_| words.to_owned());
    }

    fn end(&self) {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn is_stopped(&self) -> bool {
        is_stopped()
    }

    fn allocated(&self) -> u64 {
        turnstile_allocation::held()
    }

    fn peak(&self) -> u64 {
        turnstile_allocation::peak()
    }
}

/// `claim/loss  120,345 states, 98,000/s, depth 23, frontier 4,567, growing × 1.12 a level, 9 MiB`.
fn words(title: &str, standing: ProgressSnapshot, since: Duration) -> String {
    let seconds = since.as_secs_f64().max(0.001);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate for a person needs three digits"
    )]
    let rate = (standing.states as f64 / seconds) as u64;
    let mut words = vec![
        format!("{title}  {} states", grouped(standing.states)),
        format!("{}/s", grouped(rate)),
        format!("depth {}", grouped(standing.level)),
    ];
    if let Some(frontier) = standing.frontier {
        words.push(format!("frontier {}", grouped(frontier)));
        words.extend(trend(frontier, standing.growth));
    }
    words.push(bytes(standing.memory));
    words.join(", ")
}

/// The trend of the levels' sizes, and an estimate of the states that remain.
fn trend(frontier: u64, growth: f64) -> Option<String> {
    if growth <= 0.0 {
        return None;
    }
    if growth >= 1.0 {
        return Some(format!("growing × {growth:.2} a level"));
    }
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate"
    )]
    let more = (frontier as f64 / (1.0 - growth)).min(u64::MAX as f64) as u64;
    Some(format!("shrinking × {growth:.2} a level: about {} more", grouped(more)))
}

#[cfg(test)]
mod tests {
    use super::{Duration, ProgressSnapshot, words};

    #[track_caller]
    fn says(frontier: Option<u64>, growth: f64, expected: &str) {
        let memory = 45 << 20;
        let standing = ProgressSnapshot { states: 120_345, level: 23, frontier, growth, memory };
        assert_eq!(words("claim/loss", standing, Duration::from_secs(2)), expected);
    }

    #[test]
    fn the_line_says_how_far_it_is_and_where_it_goes() {
        let start = "claim/loss  120,345 states, 60,172/s, depth 23";
        says(
            Some(4_567),
            1.123,
            &format!("{start}, frontier 4,567, growing × 1.12 a level, 45.0 MiB"),
        );
        let more = "shrinking × 0.50 a level: about 9,134 more";
        says(Some(4_567), 0.5, &format!("{start}, frontier 4,567, {more}, 45.0 MiB"));
        says(Some(4_567), 0.0, &format!("{start}, frontier 4,567, 45.0 MiB"));
        says(None, 0.0, &format!("{start}, 45.0 MiB"));
    }
}
