//! Mutants of Rust code: a program that has all of them, each behind a switch, judges them by
//! recordings of the default worlds. What an operation reaches of the code is noted, so that a
//! mutant runs again only the operations that reach its place.

mod fate;
mod noted;
mod switches;
mod world;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use turnstile_search::bounds::NoProgress;
use turnstile_spec::system::System;

use crate::options::Options;
use crate::parallel::parallel_map;
use crate::registry::{SystemEntry, Systems};

pub use fate::Fate;
pub use switches::Switches;
pub use world::{Build, CodeWorld};

/// The states at which no further world is recorded before mutants run in those recorded.
const STATES_AT_ONCE: usize = 500_000;

/// Judges mutants in the default worlds of some systems. `done`: told of each mutant that is
/// killed, when it is.
///
/// # Errors
///
/// A world does not hold without a mutant, or cannot be searched.
pub fn judge(
    systems: &Systems,
    mutants: &[u32],
    (switches, threads): (&'static dyn Switches, usize),
    done: &(dyn Fn(u32, &Fate) + Sync),
) -> Result<BTreeMap<u32, Fate>, String> {
    let mut fates: BTreeMap<u32, Fate> =
        mutants.iter().map(|mutant| (*mutant, Fate::Unreached)).collect();
    for entry in systems.entries() {
        let file = entry.file.system().map_err(turnstile_report::text)?;
        let mut next: Vec<usize> =
            (0..file.worlds.len()).filter(|place| file.worlds[*place].default).collect();
        while !next.is_empty() {
            let mut worlds = recorded((entry, file), &mut next, (switches, threads))?;
            worlds.sort_by_key(CodeWorld::states);
            for world in &worlds {
                in_world(world, &mut fates, threads, done);
            }
        }
    }
    Ok(fates)
}

/// Records the next worlds, as many as fit into memory.
fn recorded<'w>(
    (entry, file): (&'w SystemEntry, &'w System),
    next: &mut Vec<usize>,
    (switches, threads): (&'static dyn Switches, usize),
) -> Result<Vec<CodeWorld<'w>>, String> {
    let states = AtomicUsize::new(0);
    let results = parallel_map(threads, next, |&place, _| {
        if states.load(Ordering::Relaxed) >= STATES_AT_ONCE {
            return None;
        }
        let named = &file.worlds[place];
        let build: Build<'_> = Box::new(|| {
            let world = entry.world(file, named, &Options::new(&NoProgress));
            world.map_err(|refusal| refusal.to_string())
        });
        let name = format!("{}/{}", file.name, named.name);
        let world = CodeWorld::new(name.clone(), build, switches);
        let count = world.as_ref().map_or(0, CodeWorld::states);
        switches.recorded(&name, count);
        states.fetch_add(count, Ordering::Relaxed);
        Some(world)
    });
    let mut worlds = Vec::new();
    for (place, result) in std::mem::take(next).into_iter().zip(results) {
        match result {
            Some(world) => worlds.push(world?),
            None => next.push(place),
        }
    }
    Ok(worlds)
}

/// Judges the mutants that are alive in one world.
fn in_world(
    world: &CodeWorld<'_>,
    fates: &mut BTreeMap<u32, Fate>,
    threads: usize,
    done: &(dyn Fn(u32, &Fate) + Sync),
) {
    let open = fates
        .iter()
        .filter(|(mutant, fate)| !matches!(fate, Fate::Killed { .. }) && world.reaches(**mutant));
    let open: Vec<u32> = open.map(|(mutant, _)| *mutant).collect();
    let results = parallel_map(threads, &open, |&mutant, _| {
        let result = world.judge(mutant);
        if let Some(fate @ Fate::Killed { .. }) = &result {
            done(mutant, fate);
        }
        result
    });
    for (mutant, result) in open.into_iter().zip(results) {
        let fate = fates.get_mut(&mutant).expect("it is one of them");
        *fate = match (result, &*fate) {
            (Some(killed @ Fate::Killed { .. }), _) => killed,
            // It may be killed by another world, and is not known to survive this one.
            (_, undecided @ Fate::Undecided { .. }) => undecided.clone(),
            (Some(undecided @ Fate::Undecided { .. }), _) => undecided,
            (_, Fate::Survived { differs_in: Some(world) }) => {
                Fate::Survived { differs_in: Some(world.clone()) }
            }
            (Some(survived), _) => survived,
            (None, _) => Fate::Survived { differs_in: None },
        };
    }
}
