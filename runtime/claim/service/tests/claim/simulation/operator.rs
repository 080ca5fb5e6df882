//! An operator who looks who holds the lock, and takes it away now and then.

use std::time::Duration;

use turmoil::Sim;
use turnstile_claim::client::{Clock, LockClient, LockClientBuilder, Rng};
use turnstile_claim::wire::claim::ClaimSeen;

use super::network::connector;
use super::outcome::Event;
use super::run::{DISTURBED, LOCK, SERVER_URL, Seen};

/// A request takes no longer; a partition would have it wait.
const PATIENCE: Duration = Duration::from_millis(300);

pub(super) fn host_operator(sim: &mut Sim<'_>, seed: u64, world: &Seen) {
    let world = world.clone();
    sim.host("operator", move || {
        let world = world.clone();
        async move {
            let mut builder = LockClientBuilder::new(SERVER_URL);
            builder.connector = connector();
            builder.clock = Clock::new(|| Duration::ZERO);
            builder.rng = Rng::seeded(seed.rotate_left(11));
            let mut rng = builder.rng.clone();
            let lock_client = builder.build()?;
            loop {
                tokio::time::sleep(Duration::from_millis(50 + rng.number() % 600)).await;
                if turmoil::sim_elapsed().expect("in a simulation") < DISTURBED {
                    // Whoever does not answer in time may have done it, or not.
                    let _done = tokio::time::timeout(PATIENCE, revoke(&lock_client, &world)).await;
                }
            }
        }
    });
}

/// Takes the lock from who holds it, if somebody does and the server answers.
async fn revoke(lock_client: &LockClient, world: &Seen) {
    let Ok(list) = lock_client.list(Some(LOCK), Some("active"), 1).await else { return };
    let list: Vec<ClaimSeen> = LockClient::read(&list).expect("a list of claims");
    let Some(claim) = list.first() else { return };
    let token = claim.fencing_token.expect("this server mints tokens");
    // From here on it may be so, whatever is heard of it.
    world.borrow_mut().revoking.insert(token);
    if lock_client.revoke(&claim.url).await.is_ok() {
        let now = turmoil::sim_elapsed().expect("in a simulation");
        let mut world = world.borrow_mut();
        world.revoked.entry(token).or_insert(now);
        world.tally.note(Event::Revoked);
    }
}
