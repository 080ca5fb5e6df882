//! The line of members in front of a lock. Its places are locks of their own, which the core grants
//! like all others: who waits for a lock takes the last place, and then each place before it as
//! soon as that is free. Only who has the first one asks for the lock, and keeps that place for all
//! callers of its share. So members are served in their order, without a message for it.
//!
//! The line decides about nothing but order: without it, or with a place that was lost, a lock
//! still has one holder.

use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use turnstile_host::Rng;

use crate::turns::locks::Turn;
use crate::turns::pause::pause;
use crate::view::GroupView;

/// The most places in line: of more members that want a lock, those behind the line are drawn.
const PLACES_MAX: u64 = 8;

/// The last place in the line for a lock: each other member has one, and who has the lock has the
/// first one, number 0.
fn places(views: &watch::Receiver<GroupView>) -> u64 {
    let others = views.borrow().members.len().saturating_sub(1);
    PLACES_MAX.min(others as u64)
}

/// Waits in line for a lock until it is held.
pub(crate) async fn wait(mut turn: Turn, mut views: watch::Receiver<GroupView>) -> Turn {
    let since = Instant::now();
    views.mark_unchanged();
    if turn.is_first_in_line() {
        // A member that has just come has it: it was free when it was asked for.
        poll(&mut turn, since, &mut views).await;
        turn.count();
        return turn;
    }
    let mut last = None;
    for place in (0..=places(&views)).rev() {
        let mut next = turn.place(place).await;
        poll(&mut next, since, &mut views).await;
        // The place behind it is free now.
        last = Some(next);
    }
    poll(&mut turn, since, &mut views).await;
    turn.begin_share(last);
    turn
}

/// Takes a lock if it is free now, and nobody is in line for it after a share of this process.
pub(crate) async fn try_now(mut turn: Turn, views: watch::Receiver<GroupView>) -> Option<Turn> {
    let mut last = None;
    let is_used = !turn.is_first_in_line() && turn.has_had_its_share();
    for place in (0..=places(&views)).rev().filter(|_| is_used) {
        let mut next = turn.place(place).await;
        if !next.ask().await {
            return None;
        }
        last = Some(next);
    }
    if !turn.ask().await {
        return None;
    }
    if is_used {
        turn.begin_share(last)
    } else {
        turn.count()
    }
    Some(turn)
}

/// Asks for a lock until it is granted.
async fn poll(turn: &mut Turn, since: Instant, views: &mut watch::Receiver<GroupView>) {
    let mut rng = Rng::from_entropy();
    while !turn.ask().await {
        let pause = pause(since.elapsed(), turn.wanted());
        // Whoever held it may not be in a new view.
        if let Ok(Err(_)) = timeout(rng.between(pause / 2, pause), views.changed()).await {
            // The member has left: nothing changes any more.
            sleep(pause).await;
        }
    }
}
