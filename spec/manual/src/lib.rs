#![doc = include_str!("../README.md")]

pub mod explain;
pub mod page;
pub mod schema;
