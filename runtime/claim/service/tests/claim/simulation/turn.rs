//! A client's turn: it gets the lock, writes under it, gives it back.

use std::time::Duration;

use turnstile_claim::client::{Claim, Error, ErrorKind, LockClient, Rng};

use super::outcome::Event;
use super::run::{LOCK, Seen};

/// Gets the lock, writes under it, gives it back.
pub(crate) async fn turn(
    lock_client: &LockClient,
    number: usize,
    rng: &mut Rng,
    world: &Seen,
) -> Result<(), Error> {
    let timeout = Duration::from_millis(200 + rng.number() % 3_000);
    world.borrow_mut().waits[number] = true;
    // The data of a real client has the number of its process, which no seed repeats.
    let asked = lock_client.claim(LOCK).timeout(timeout).data(&number).await;
    world.borrow_mut().waits[number] = false;
    let claim = match asked {
        Ok(claim) => claim,
        // Somebody else had it; or a server that has lost its memory of a claim says 404.
        Err(error) if error.cause.may_pass() => {
            let tally = world.borrow().tally.clone();
            if error.cause == ErrorKind::TimedOut {
                tally.note(Event::TimedOut);
            } else if let ErrorKind::Unreachable(why) = &error.cause
                && why.contains(": 429 ")
            {
                // It was asked to come later until its timeout.
                tally.note(Event::TurnedAway);
            }
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let token = claim.fencing_token().expect("this server mints tokens");
    {
        let mut world = world.borrow_mut();
        let (newest, holder) = world.newest;
        let is_in_order = token > newest || (token, number) == (newest, holder);
        assert!(is_in_order || world.revoking.contains(&token), "{token} after {newest}");
        world.newest = world.newest.max((token, number));
        world.tally.note(Event::Acquired);
    }
    for _ in 0..rng.number() % 6 {
        if !act(&claim, token, number, rng, world).await {
            break;
        }
    }
    if !claim.is_held() {
        let world = world.borrow();
        world.tally.note(Event::Lost);
        if world.revoked.contains_key(&token) {
            world.tally.note(Event::LostToRevocation);
        }
    }
    match rng.number() % 3 {
        0 => drop(claim),
        _ => {
            // That the claim was lost before, or the server forgot it, is no news here.
            let _lost = claim.release().await;
        }
    }
    // Whoever finds the queue full asks each second: there has to be room at times.
    tokio::time::sleep(Duration::from_millis(rng.number() % 300)).await;
    Ok(())
}

/// Reads and writes back. Now and then the client stands still in between, and does not look
/// whether it still holds the lock: only the fence can tell.
async fn act(claim: &Claim, token: u64, number: usize, rng: &mut Rng, world: &Seen) -> bool {
    if !claim.is_held() {
        return false;
    }
    let (fenced, unfenced) = {
        let mut world = world.borrow_mut();
        world.check_holder(token, number);
        (world.fenced.read(token), world.unfenced.read(token).expect("it has no fence"))
    };
    let stall_ms = if rng.number().is_multiple_of(12) { rng.number() % 1_500 } else { 0 };
    tokio::time::sleep(Duration::from_millis(2 + rng.number() % 30 + stall_ms)).await;
    let is_stalled = stall_ms > 0;
    if !is_stalled && !claim.is_held() {
        return false;
    }
    let mut world = world.borrow_mut();
    if is_stalled {
        world.tally.note(Event::ClientStalled);
    } else {
        world.check_holder(token, number);
    }
    if let Some(read) = fenced {
        world.fenced.write(token, read);
    }
    world.unfenced.write(token, unfenced);
    if world.is_calm {
        world.calm_turns[number] += 1;
    }
    true
}

impl super::run::World {
    /// Whoever believes to hold the lock is the only one; unless it was taken away, which it may
    /// not know for as long as a lease lasts.
    fn check_holder(&self, token: u64, number: usize) {
        let now = turmoil::sim_elapsed().expect("in a simulation");
        if let Some(revoked) = self.revoked.get(&token) {
            assert!(
                now <= *revoked + self.ttl,
                "it was revoked at {revoked:?}, and is held at {now:?}"
            );
        }
        if !self.revoking.contains(&token) {
            assert_eq!(self.newest, (token, number), "two hold the lock at once");
        }
    }
}
