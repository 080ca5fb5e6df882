//! What a directory holds: an image, and what logs behind it have changed.
//!
//! It is read one key after the other, so that nobody needs room for all of it.

use std::io;

use super::Each;
use super::changes::Changes;
use super::directory::Directory;
use super::files::Files;
use super::frame::Position;
use super::image::ImageFile;

/// An image, if there is one, and the changes behind it.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub image: Option<ImageFile>,
    /// Sorted.
    pub changes: Changes,
}

impl Held {
    /// The image that counts, without the logs behind it.
    pub(super) fn latest(directory: &dyn Directory, files: &Files) -> io::Result<Self> {
        let image = ImageFile::latest(directory, files)?;
        Ok(Self { image, changes: Changes::default() })
    }

    /// Which place of the chain the image stands for: the beginning, where there is none.
    pub(super) fn position(&self) -> Position {
        self.image.as_ref().map_or(Position::default(), ImageFile::position)
    }

    /// Tells all keys in their order.
    pub(super) fn read(&self, directory: &dyn Directory, each: Each<'_>) -> io::Result<()> {
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
