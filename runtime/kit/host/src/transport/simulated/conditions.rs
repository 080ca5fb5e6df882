//! The conditions of a link: delays, losses, duplicates and order.

use std::time::Duration;

/// The conditions of a link. Probabilities are from 0.0 to 1.0.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    /// The minimum delay of a message.
    pub delay_least: Duration,
    /// The maximum delay of a message, unless its receiver is busy. Delays are distributed
    /// uniformly.
    pub delay_most: Duration,
    /// The probability that a message is lost.
    pub loss: f64,
    /// The probability that a lost message is handed back to its sender as
    /// [`crate::transport::UnsentReason::Unreachable`], at the time when it would have arrived.
    pub told: f64,
    /// The probability that a message is duplicated.
    pub duplication: f64,
    /// Whether messages arrive in the order of sending. If not, their delays may reorder them.
    pub fifo: bool,
    /// The maximum number of messages in flight, from 0; further ones are handed back as
    /// [`crate::transport::UnsentReason::QueueFull`].
    pub queue: usize,
}

impl Default for Conditions {
    /// Delays of 1 to 10 ms, in order; at most 4096 messages in flight.
    fn default() -> Self {
        Self {
            delay_least: Duration::from_millis(1),
            delay_most: Duration::from_millis(10),
            loss: 0.0,
            told: 0.0,
            duplication: 0.0,
            fifo: true,
            queue: 4096,
        }
    }
}
