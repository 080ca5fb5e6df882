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
mod protocol;
mod real;
mod replay;
mod restart;
mod simulation;
mod store;
mod terminal;
mod traced;
mod trouble;
