//! What the panel shows, taken out of the window's state.

use super::prepare::Source;
use super::settings::{Against, PicturesSettings};
use crate::app::state::State;
use base::texts::filled;
use engine::{Target, Task};
use model::{Channels, Labelled, Verification};
use pictures::{Picture, luma};
use std::fmt::Display;
use std::sync::Arc;
use view::plot::units::grouped;

/// Pictures and what is said of them. Everything may be missing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs<'a> {
    /// The picture's name.
    pub name: &'a str,
    /// As loaded.
    pub original: Option<&'a Arc<Picture>>,
    /// The newest output; may belong to a picture before this one.
    pub filtered: Option<&'a Arc<Picture>>,
    /// What the output should be.
    pub reference: Option<&'a Arc<Picture>>,
    /// What computed the output.
    pub made_by: Option<&'a Target>,
    /// How the output compares with the reference.
    pub verification: Option<Verification>,
    /// The channels that were computed, which the original may have others than.
    pub channels: Option<Channels>,
    /// The output is not what is chosen now.
    pub is_old: bool,
    /// A newer one is on its way.
    pub is_awaited: bool,
}

impl<'a> Inputs<'a> {
    /// Out of the state; `reference` from [`LastReference`].
    #[must_use]
    pub fn new(state: &'a State, reference: Option<&'a Arc<Picture>>) -> Self {
        Self {
            name: state.picture.as_ref().map_or("", |opened| &opened.name),
            original: state.picture.as_ref().map(|opened| &opened.picture.picture),
            filtered: state.shown.as_ref().map(|shown| &shown.executed.output),
            reference,
            made_by: state.shown.as_ref().map(|shown| &shown.task.target),
            verification: state.shown.as_ref().and_then(|shown| shown.verified.as_ref()).map(|verified| verified.verification),
            channels: state.shown.as_ref().map(|shown| shown.task.spec.channels),
            is_old: state.is_old(),
            is_awaited: state.is_picture_awaited(),
        }
    }

    /// The difference that is chosen, where both pictures are there and of one size.
    #[must_use]
    pub fn difference(&self, settings: &PicturesSettings) -> Option<Source> {
        let against = match settings.against {
            Against::Original => self.original,
            Against::Reference => self.reference,
        }?;
        let filtered = self.filtered?;
        let is_same_size = (filtered.width_px(), filtered.height_px()) == (against.width_px(), against.height_px());
        is_same_size.then(|| Source::Difference { filtered: Arc::clone(filtered), against: Arc::clone(against), gain: settings.gain })
    }

    /// The original in the channels that are computed: of one in color its gray where that is.
    #[must_use]
    pub fn original_source(&self) -> Option<Source> {
        let original = Arc::clone(self.original?);
        Some(if self.is_luma() { Source::Luma(original) } else { Source::Picture(original) })
    }

    /// The filter computes the gray of an original in color.
    fn is_luma(&self) -> bool {
        self.channels == Some(Channels::Gray) && self.original.is_some_and(|original| original.channels() == Channels::Rgb)
    }

    /// A pixel of the original in the channels that are computed.
    #[must_use]
    pub fn original_pixel(&self, x: usize, y: usize) -> Option<Vec<u8>> {
        let pixel = self.original?.pixel(x, y)?;
        Some(if self.is_luma() { vec![luma(pixel.try_into().ok()?)] } else { pixel.to_vec() })
    }

    /// "600 × 400 RGB", or "600 × 400 gray of RGB" where that is computed.
    #[must_use]
    pub fn original_text(&self) -> String {
        let Some(original) = self.original else { return String::new() };
        match (original.channels(), self.channels) {
            (Channels::Rgb, Some(Channels::Gray)) => {
                filled("window.pictures.as-gray", &[("width", &original.width_px()), ("height", &original.height_px())])
            }
            (Channels::Gray, Some(Channels::Rgb)) => filled("window.pictures.as-rgb", &[("size", &size_text(original))]),
            _ => size_text(original),
        }
    }

    /// How much of the output differs from the reference: "0 of 720,000 bytes differ". `None` before the check.
    #[must_use]
    pub fn verification_text(&self) -> Option<String> {
        let (verification, filtered) = (self.verification?, self.filtered?);
        Some(if verification.max_difference == 0 {
            filled("window.pictures.none-differs", &[("total", &grouped(filtered.bytes().len()))])
        } else {
            let (differing, total) = (grouped(verification.differing_pixels), grouped(verification.total_pixels));
            let key = if verification.tolerance == 0 { "window.pictures.some-differ" } else { "window.pictures.some-differ-by-more" };
            let values: [(&str, &dyn Display); 4] =
                [("count", &differing), ("total", &total), ("tolerance", &verification.tolerance), ("most", &verification.max_difference)];
            filled(key, &values)
        })
    }

    /// The variant's name, or the CPU competitor's.
    #[must_use]
    pub fn made_by_text(&self) -> String {
        match self.made_by {
            None => String::new(),
            Some(Target::Device { variant, .. }) => variant.to_string(),
            Some(Target::Cpu(engine)) => engine.label().to_owned(),
        }
    }
}

/// "600 × 400 RGB".
#[must_use]
pub fn size_text(picture: &Picture) -> String {
    let channels = picture.channels().label();
    let size = format!("{} × {} {channels}", picture.width_px(), picture.height_px());
    if picture.alpha().is_some() { filled("window.pictures.with-alpha", &[("size", &size)]) } else { size }
}

/// The reference of the filter as it is set. All variants share it, so it outlasts a switch of stages, while the next output is
/// there and not yet checked.
#[derive(Default)]
pub struct LastReference(Option<(Task, Arc<Picture>)>);

impl LastReference {
    /// Takes a newer one from the state, and forgets one that does not fit what is shown.
    pub fn follow(&mut self, state: &State) {
        let Some(shown) = &state.shown else {
            self.0 = None;
            return;
        };
        if let Some(verified) = &shown.verified {
            self.0 = Some((shown.task.clone(), Arc::clone(&verified.reference)));
        } else if self.0.as_ref().is_some_and(|(task, _)| (&task.spec, &task.picture) != (&shown.task.spec, &shown.task.picture)) {
            self.0 = None;
        }
    }

    /// The reference, where it is known.
    #[must_use]
    pub fn get(&self) -> Option<&Arc<Picture>> {
        self.0.as_ref().map(|(_, reference)| reference)
    }
}

#[cfg(test)]
mod tests {
    use super::{Inputs, Source};
    use model::{Channels, Verification};
    use pictures::Picture;
    use std::sync::Arc;

    #[test]
    fn an_output_that_is_right_is_told_in_bytes_and_another_by_its_difference() {
        let output = Arc::new(Picture::from_fn(600, 400, Channels::Rgb, |_, _, _| 0));
        let right = Verification {
            differing_pixels: 0,
            total_pixels: 240_000,
            max_difference: 0,
            first_differing: None,
            tolerance: 0,
            ..Verification::default()
        };
        let told =
            |verification| Inputs { filtered: Some(&output), verification: Some(verification), ..Inputs::default() }.verification_text();
        assert_eq!(told(right).as_deref(), Some("0 of 720,000 bytes differ from the reference"));
        let within = Verification { max_difference: 1, tolerance: 1, ..right };
        assert_eq!(told(within).as_deref(), Some("0 of 240,000 pixels differ by more than 1 from the reference, at most by 1"));
        let wrong = Verification { differing_pixels: 12, max_difference: 200, ..right };
        assert_eq!(told(wrong).as_deref(), Some("12 of 240,000 pixels differ from the reference, at most by 200"));
    }

    #[test]
    fn an_original_is_shown_in_the_channels_that_are_computed() {
        let color = Arc::new(Picture::from_fn(2, 2, Channels::Rgb, |_, _, channel| [255, 0, 0][channel]));
        let of = |channels| Inputs { original: Some(&color), channels: Some(channels), ..Inputs::default() };
        let (rgb, gray) = (of(Channels::Rgb), of(Channels::Gray));
        assert_eq!((rgb.original_source(), rgb.original_text().as_str()), (Some(Source::Picture(Arc::clone(&color))), "2 × 2 RGB"));
        assert_eq!(gray.original_source(), Some(Source::Luma(Arc::clone(&color))));
        assert_eq!(gray.original_text(), "2 × 2 gray of RGB");
        // 77 / 256 of 255, rounded.
        assert_eq!((rgb.original_pixel(0, 0), gray.original_pixel(0, 0)), (Some(vec![255, 0, 0]), Some(vec![77])));
    }
}
