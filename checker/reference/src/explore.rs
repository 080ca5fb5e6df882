//! A world in stateright's Explorer: of a system, or of a table that runs alone.

use std::net::SocketAddr;
use std::sync::Arc;

use stateright::Model as _;
use turnstile_world::World;
use turnstile_world::parts::Op;
use turnstile_world::state::Action;
use turnstile_world::words::action_words;

use crate::model::{Model, TooManyProperties};

/// Serves a world until the process ends, if `ready` returns true.
///
/// # Errors
///
/// It has more properties than the Explorer shows.
pub fn explore(
    world: World,
    listen: SocketAddr,
    ready: impl FnOnce() -> bool,
) -> Result<(), TooManyProperties> {
    let action_text =
        |world: &World, at, op: &Op| action_words(world, &Action { at, op: op.clone() });
    let model = Model::new(Arc::new(world))?.with_action_text(action_text);
    if ready() {
        model.checker().serve(listen);
    }
    Ok(())
}
