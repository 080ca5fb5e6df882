#![doc = include_str!("../README.md")]
//! It reads no file, no clock and no font. Only [`docs`] touches a disk.

mod block;
pub mod diagram;
pub mod docs;
mod draw;
mod file_name;
mod focus;
mod format;
mod layout;
mod markdown;
mod matrix;
pub mod measure;
mod overview;
mod payload;
mod render;
mod sheet;
mod svg;
mod text;

pub use diagram::Diagram;
pub use draw::draw;
pub use focus::focus;
pub use format::Format;
pub use overview::overview;
pub use render::{picture, render};
pub use sheet::{Sheet, Version};
pub use svg::svg;
