//! The picture of a benchmark, by how it can be had again. Pixels may be private, and are never kept.

use model::Channels;
use pictures::Picture;
use serde::{Deserialize, Serialize};

/// Where a picture comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PictureOrigin {
    /// The program generates it.
    Generated,
    /// The sample of that name, repeated like tiles.
    Sample(String),
    /// A person's own.
    Own,
}

impl PictureOrigin {
    /// That of the picture which sizes are filled with; `None` generates. A sample is known by its pixels, whatever its file is called.
    #[must_use]
    pub fn of(picture: Option<&Picture>) -> Self {
        let Some(picture) = picture else { return Self::Generated };
        let sample = pictures::samples().iter().find(|sample| sample_in(sample, picture.channels()).as_ref() == Some(picture));
        sample.map_or(Self::Own, |sample| Self::Sample(sample.name.to_owned()))
    }

    /// The picture of that size; `None` for a person's own, and for a sample that is not there.
    #[must_use]
    pub fn picture(&self, (width_px, height_px): (usize, usize), channels: Channels) -> Option<Picture> {
        let sample = match self {
            Self::Generated => None,
            Self::Sample(name) => Some(sample_in(pictures::samples().iter().find(|sample| sample.name == *name)?, channels)?),
            Self::Own => return None,
        };
        Some(pictures::filled(sample.as_ref(), width_px, height_px, channels))
    }
}

fn sample_in(sample: &pictures::Sample, channels: Channels) -> Option<Picture> {
    sample.load().ok().map(|loaded| loaded.picture.to_channels(channels).with_alpha(None))
}

#[cfg(test)]
mod tests {
    use super::PictureOrigin;
    use model::Channels;
    use pictures::Picture;

    #[test]
    fn a_sample_is_known_by_its_pixels_and_can_be_had_again() {
        let camera = pictures::samples()[1].load().expect("built in").picture;
        for channels in Channels::ALL {
            let picture = camera.to_channels(channels);
            let origin = PictureOrigin::of(Some(&picture));
            assert_eq!(origin, PictureOrigin::Sample("camera.png".to_owned()));
            assert_eq!(origin.picture((600, 20), channels), Some(pictures::tile(&picture, 600, 20)));
            assert_eq!(origin.picture((512, 512), channels), Some(picture));
        }
    }

    #[test]
    fn a_generated_picture_can_be_had_again_and_a_persons_own_can_not() {
        let generated = PictureOrigin::of(None).picture((30, 20), Channels::Gray);
        assert_eq!(generated, Some(pictures::generate(30, 20, Channels::Gray, 1)));
        let own = Picture::from_fn(3, 2, Channels::Rgb, |x, y, _| (x + y) as u8);
        assert_eq!(PictureOrigin::of(Some(&own)), PictureOrigin::Own);
        assert_eq!(PictureOrigin::Own.picture((3, 2), Channels::Rgb), None);
        assert_eq!(PictureOrigin::Sample("gone.png".to_owned()).picture((3, 2), Channels::Rgb), None);
    }
}
