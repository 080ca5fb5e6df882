//! Groups of three members in one process, on simulated disks, with cuts and restarts.

mod group;
mod hand_over;
mod late;
mod partition;
mod snapshots;
mod walk;
