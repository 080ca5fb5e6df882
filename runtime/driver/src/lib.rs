//! Gives cores a real network, a real store and real users.

pub mod store;
