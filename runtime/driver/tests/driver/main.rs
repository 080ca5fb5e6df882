//! The driver from outside: its server over real HTTP, its client against it, its store on a disk.

mod additions;
mod browser;
mod client;
mod clock;
mod closing;
mod command;
mod faults;
mod http;
mod jobs;
mod keychain;
mod leaving;
mod login;
mod noise;
mod power;
mod protocol;
mod real;
mod replay;
mod restart;
mod simulation;
mod store;
mod tampering;
mod terminal;
mod traced;
mod trouble;
mod version_two;
