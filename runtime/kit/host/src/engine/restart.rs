//! An engine that goes on from a state, or whose core starts again.

use turnstile_step::{Core, Input, OutOf};

use super::{Engine, Service, TimerOf};
use crate::clock::Moment;
use crate::timers::Timers;

impl<S: Service> Engine<S> {
    /// Continues an engine from its core's state and its armed timers, each with the time at which
    /// it fires.
    pub fn resume(
        core: S::Core,
        state: <S::Core as Core>::State,
        service: S,
        armed: impl IntoIterator<Item = (TimerOf<S>, u64)>,
    ) -> Self {
        let armed = armed.into_iter();
        let timers = Timers::unordered(armed.size_hint().0);
        let mut engine = Self { state, timers, ..Self::new(core, service, None) };
        for (timer, due_us) in armed {
            engine.timers.arm(timer, due_us);
        }
        engine.timers.order();
        engine
    }

    /// Restarts the core from saved state. `timers` is the expected number of timers, for which
    /// memory is reserved.
    pub fn restart(&mut self, now: Moment, saved: Option<<S::Core as Core>::Saved>, timers: usize) {
        self.timers = Timers::unordered(timers);
        self.apply(now, Input::Restart(saved), &mut S::Context::default());
        self.restarted();
    }

    /// Restarts the core from its own state, and with other options. `restart` is the core's: it
    /// has the effects and the state of a restart from what was saved of the state, and need not
    /// build the state again.
    pub fn restart_in_place(
        &mut self,
        now: Moment,
        core: S::Core,
        restart: impl FnOnce(&S::Core, &mut <S::Core as Core>::State, &mut OutOf<S::Core>),
    ) {
        self.core = core;
        self.timers = Timers::unordered(self.timers.len());
        let mut out = self.begin_step();
        restart(&self.core, &mut self.state, &mut out);
        let mut context = S::Context::default();
        self.end_step(now, true, &mut context, out);
        self.apply_next(now);
        self.restarted();
    }

    /// Timers can fire again. The restart has far more effects than later steps: its buffers are
    /// freed.
    fn restarted(&mut self) {
        self.timers.order();
        self.out = OutOf::<S::Core>::default();
    }
}
