//! The program `turnstile`, run as its users run it.

mod asked;
mod bounds;
mod broken;
mod command;
mod command_line;
mod contract;
mod counterexamples;
mod examples;
mod explore;
mod import;
mod new;
mod odd_input;
mod refusal;
mod repeat;
mod rust;
mod together;
mod watch;
