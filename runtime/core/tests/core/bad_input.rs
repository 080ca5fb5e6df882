//! Members hear what they were not made to hear: strangers, answers that come twice, views that do
//! not have them, timers that nobody armed. They go on as they were, and know what is armed.

mod group;
mod replicated;
