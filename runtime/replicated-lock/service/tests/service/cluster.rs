//! Groups of three members in one process, on simulated disks, with cuts and restarts; and what one
//! member makes of its log and of its contacts.

mod applied;
mod group;
mod hand_over;
mod late;
mod partition;
mod presence;
mod sessions;
mod snapshots;
mod walk;
