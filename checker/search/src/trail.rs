//! A path through a state graph, by the fingerprints of its states.

use std::collections::BTreeMap;

use crate::transition_system::Fairness;

/// A path through the state graph, or a lasso: the fingerprints of its states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trail {
    /// The states, from an initial one on.
    pub fingerprints: Vec<u64>,
    /// Of a lasso: the step, from 0, at which the cycle begins; the number of steps if the last
    /// state is repeated forever.
    pub loop_from: Option<usize>,
    /// Of a lasso: the fairness conditions that a step of the cycle must discharge, by step.
    pub discharges: BTreeMap<usize, Vec<Fairness>>,
}

impl Trail {
    /// A finite path.
    #[must_use]
    pub fn of(fingerprints: Vec<u64>) -> Self {
        Self { fingerprints, loop_from: None, discharges: BTreeMap::new() }
    }
}
