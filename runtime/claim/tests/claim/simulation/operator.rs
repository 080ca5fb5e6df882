//! An operator who looks who holds the lock, and takes it away now and then.

use std::time::Duration;

use turmoil::Sim;
use turnstile_claim::client::{Clock, Dice, Manager, Setup};
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
            let mut setup = Setup::new(SERVER_URL);
            setup.connector = connector();
            setup.clock = Clock::new(|| Duration::ZERO);
            setup.dice = Dice::seeded(seed.rotate_left(11));
            let mut dice = setup.dice.clone();
            let manager = setup.build()?;
            loop {
                tokio::time::sleep(Duration::from_millis(50 + dice.number() % 600)).await;
                if turmoil::sim_elapsed().expect("in a simulation") < DISTURBED {
                    // Whoever does not answer in time may have done it, or not.
                    let _done = tokio::time::timeout(PATIENCE, revoke(&manager, &world)).await;
                }
            }
        }
    });
}

/// Takes the lock from who holds it, if somebody does and the server answers.
async fn revoke(manager: &Manager, world: &Seen) {
    let Ok(list) = manager.list(Some(LOCK), Some("active"), 1).await else { return };
    let list: Vec<ClaimSeen> = Manager::read(&list).expect("a list of claims");
    let Some(claim) = list.first() else { return };
    let token = claim.fencing_token.expect("this server mints tokens");
    // From here on it may be so, whatever is heard of it.
    world.borrow_mut().revoking.insert(token);
    if manager.revoke(&claim.url).await.is_ok() {
        let now = turmoil::sim_elapsed().expect("in a simulation");
        let mut world = world.borrow_mut();
        world.revoked.entry(token).or_insert(now);
        world.tally.note(Event::Revoked);
    }
}
