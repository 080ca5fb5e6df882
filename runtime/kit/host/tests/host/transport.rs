//! The transports under faults: what arrives, what is handed back, and what is counted.

mod certificates;
mod disturbed;
mod inbox;
mod local;
mod many;
mod newcomers;
mod pipes;
mod quiet;
mod raw;
mod refused;
mod restart;
mod self_signed;
mod silence;
mod simulated;
mod slow;
mod tls;
mod warnings;
