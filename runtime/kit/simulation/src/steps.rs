//! Members hear what they were not made to hear: strangers, answers that come twice, views that do
//! not have them, timers that nobody armed. They go on as they were, and know what is armed.

use std::collections::BTreeSet;

use proptest::prelude::*;
use turnstile_step::{Core, Effect, EffectOf, Input, InputOf, Out};

use crate::visit;

/// One step of a core, whose state shows each of its numbers to a visit; returns its effects.
pub fn step<C: Core>(core: &C, state: &mut C::State, input: InputOf<C>) -> Vec<EffectOf<C>> {
    let mut out = Out::default();
    core.step(state, input, &mut out);
    visit::check(state);
    out.effects
}

/// Arms and disarms the timers as the effects do.
pub fn follow<P, M, T: Ord + Copy, N, S>(
    armed: &mut BTreeSet<T>,
    effects: &[Effect<P, M, T, N, S>],
) {
    for effect in effects {
        match effect {
            Effect::Arm(timer) => drop(armed.insert(*timer)),
            Effect::Disarm(timer) => drop(armed.remove(timer)),
            Effect::Send { .. } | Effect::Save(_) | Effect::Notify(_) => {}
        }
    }
}

/// After each input, the timers that the effects have armed are those that the state holds.
pub fn knows_what_is_armed<C: Core>(
    core: &C,
    mut state: C::State,
    mut armed: BTreeSet<C::Timer>,
    inputs: Vec<InputOf<C>>,
    held: impl Fn(&C::State) -> BTreeSet<C::Timer>,
) -> Result<(), TestCaseError> {
    for input in inputs {
        if let Input::Fired(timer) = &input {
            // A timer fires once; that it was armed is not said.
            if !armed.remove(timer) {
                let before = state.clone();
                prop_assert_eq!(step(core, &mut state, input), []);
                prop_assert_eq!(&before, &state);
                continue;
            }
        }
        let effects = step(core, &mut state, input);
        follow(&mut armed, &effects);
        prop_assert_eq!(&armed, &held(&state));
    }
    Ok(())
}
