//! The picture at Start, small enough for the screen: made on a thread of its own, as nothing picture-sized runs on the window's.

use crate::app::background::Background;
use egui::{Color32, ColorImage, Context, TextureHandle, TextureOptions};
use engine::PictureRef;
use pictures::Picture;
use std::sync::Arc;

/// More pixels across are not on any half of a screen.
const MOST_WIDTH_PX: usize = 1600;

/// Before and after the filter, as textures.
#[derive(Default)]
pub struct Fill {
    textures: Background<Key, [TextureHandle; 2]>,
}

/// What the textures are of.
struct Key {
    original: PictureRef,
    /// Kept, so that its address stays its own.
    output: Arc<Picture>,
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.original == other.original && Arc::ptr_eq(&self.output, &other.output)
    }
}

impl Fill {
    /// Original and output; those of the last pair until the new ones are there.
    pub fn follow(&mut self, ctx: &Context, original: &PictureRef, output: &Arc<Picture>) -> Option<&[TextureHandle; 2]> {
        let wanted = Key { original: original.clone(), output: Arc::clone(output) };
        self.textures.follow(wanted, "start-picture", ctx, |key, ctx| {
            let texture = |name, picture| ctx.load_texture(name, small(picture), TextureOptions::LINEAR);
            [texture("start-original", &key.original.picture), texture("start-output", &key.output)]
        });
        self.textures.shown().map(|(_, textures)| textures)
    }
}

/// The picture at most [`MOST_WIDTH_PX`] wide, each pixel the mean of a square.
fn small(picture: &Picture) -> ColorImage {
    let factor = picture.width_px().div_ceil(MOST_WIDTH_PX).max(1);
    let [width, height] = [picture.width_px() / factor, picture.height_px() / factor].map(|side| side.max(1));
    let (channels, row_bytes, bytes) = (picture.channels().count(), picture.row_bytes(), picture.bytes());
    let mean = |x: usize, y: usize, channel: usize| {
        let at = |row: usize, column: usize| bytes.get(row * row_bytes + column * channels + channel).copied().map(u32::from);
        let square = (0..factor).flat_map(|dy| (0..factor).map(move |dx| (y * factor + dy, x * factor + dx)));
        let (sum, count) = square.filter_map(|(row, column)| at(row, column)).fold((0, 0), |(sum, count), byte| (sum + byte, count + 1));
        ((sum + count / 2) / u32::max(count, 1)) as u8
    };
    let color = |index: usize| {
        let (x, y) = (index % width, index / width);
        if channels == 1 { Color32::from_gray(mean(x, y, 0)) } else { Color32::from_rgb(mean(x, y, 0), mean(x, y, 1), mean(x, y, 2)) }
    };
    ColorImage::new([width, height], (0..width * height).map(color).collect())
}

#[cfg(test)]
mod tests {
    use super::small;
    use egui::Color32;
    use model::Channels;
    use pictures::Picture;

    #[test]
    fn a_picture_is_made_small_by_means_of_squares() {
        let picture = Picture::from_fn(4000, 6, Channels::Gray, |x, y, _| if (x + y) % 2 == 0 { 10 } else { 30 });
        let image = small(&picture);
        assert_eq!((image.size, image.pixels[0]), ([1333, 2], Color32::from_gray(19)));
        let picture = Picture::from_fn(3, 2, Channels::Rgb, |x, y, channel| (x + 10 * y + 100 * channel) as u8);
        assert_eq!(small(&picture).pixels[4], Color32::from_rgb(11, 111, 211));
    }
}
