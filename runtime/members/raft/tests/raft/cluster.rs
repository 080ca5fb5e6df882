//! Groups of three members and more, in one process or over TCP, on simulated disks or in folders.

mod alone;
mod answered;
mod arguments;
mod backups;
mod chaos;
mod failover;
mod group;
mod identity;
mod lost_disks;
mod members;
mod requests;
mod rolled_back;
mod slow;
mod snapshots;
mod tcp;
mod versions;
