//! Panics of cores: a step that panics has an outcome like any other.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether this thread is in a step of a core.
    static IS_STEPPING: Cell<bool> = const { Cell::new(false) };
    /// The panic of the step.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Carries out a step of a core. `Err`: it panicked; what it said, and where. Nothing is printed.
pub(crate) fn caught(step: impl FnOnce()) -> Result<(), String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(
            move |panic| {
                if IS_STEPPING.get() { PANIC.set(words(panic)) } else { usual(panic) }
            },
        ));
    });
    IS_STEPPING.set(true);
    let done = catch_unwind(AssertUnwindSafe(step));
    IS_STEPPING.set(false);
    done.map_err(|_| PANIC.take())
}

fn words(panic: &PanicHookInfo<'_>) -> String {
    let said = panic.payload_as_str().unwrap_or("without a message");
    let place = panic.location().map(|place| format!(" ({place})"));
    format!("{said}{}", place.unwrap_or_default())
}
