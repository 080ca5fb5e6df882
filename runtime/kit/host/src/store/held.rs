//! The content of a directory: an image, and the changes of the logs after it.
//!
//! It is read key by key, so that it need not fit into memory.

use std::io;

use super::batch::Visitor;
use super::changes::Changes;
use super::directory::Directory;
use super::files::Files;
use crate::store::format::frame::Position;
use crate::store::format::image::ImageFile;

/// An image, if there is one, and the changes after it.
#[derive(Debug, Default)]
pub(super) struct HeldNotes {
    pub image: Option<ImageFile>,
    /// Sorted.
    pub changes: Changes,
}

impl HeldNotes {
    /// The current image, without the logs after it.
    pub(super) fn latest(directory: &dyn Directory, files: &Files) -> io::Result<Self> {
        let image = ImageFile::latest(directory, files)?;
        Ok(Self { image, changes: Changes::default() })
    }

    /// The position of the chain up to which the image has all writes; the start if there is no
    /// image.
    pub(super) fn position(&self) -> Position {
        self.image.as_ref().map_or(Position::default(), ImageFile::position)
    }

    /// Calls `each` for all keys in order.
    pub(super) fn read(&self, directory: &dyn Directory, each: Visitor<'_>) -> io::Result<()> {
        let mut changes = self.changes.iter().peekable();
        if let Some(image) = &self.image {
            image.read(directory, &mut |key, value| {
                while let Some((key, value)) = changes.next_if(|(changed, _)| *changed < key) {
                    value.map_or(Ok(()), |value| each(key, value))?;
                }
                match changes.next_if(|(changed, _)| *changed == key) {
                    Some((_, Some(value))) => each(key, value),
                    Some((_, None)) => Ok(()),
                    None => each(key, value),
                }
            })?;
        }
        for (key, value) in changes {
            value.map_or(Ok(()), |value| each(key, value))?;
        }
        Ok(())
    }
}
