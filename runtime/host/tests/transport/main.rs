//! The transports under faults: what arrives, what is handed back, and what is counted.

mod inbox;
mod local;
mod pipes;
mod quiet;
