//! A figure that plays: frames one after the other, each with what is told of it. The window and an animated file play the same frames for the same times.

use super::palette::Role;
use super::scene::{LINE, Measure, Scene};
use super::{font, raster};
use base::error::Result;

/// What is shown at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// What is told above the picture.
    pub lines: Vec<String>,
    /// The picture.
    pub scene: Scene,
    /// For how long.
    pub milliseconds: u32,
}

/// Frames in their order. The last one is the whole picture: it is what stands still.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Film {
    /// At least one, for there to be something to see.
    pub frames: Vec<Frame>,
    /// What it counts: "27 loads and stores".
    pub told: String,
}

impl Film {
    /// How long it plays, in milliseconds, the last frame included.
    #[must_use]
    pub fn milliseconds(&self) -> u32 {
        self.frames.iter().map(|frame| frame.milliseconds).sum()
    }

    /// Which frame is shown so many milliseconds after the begin, and for how many more; it plays over and over.
    #[must_use]
    pub fn at(&self, milliseconds: f64) -> (usize, f64) {
        let mut left = milliseconds.max(0.0) % f64::from(self.milliseconds().max(1));
        for (index, frame) in self.frames.iter().enumerate() {
            let length = f64::from(frame.milliseconds);
            if left < length {
                return (index, length - left);
            }
            left -= length;
        }
        (self.frames.len().saturating_sub(1), 0.0)
    }

    /// The same, no higher than so: one factor for all frames, as the picture must not jump from one to the next.
    #[must_use]
    pub fn within(mut self, height: f64) -> Self {
        let highest = self.frames.iter().map(|frame| frame.scene.height).fold(1.0, f64::max);
        let factor = (height / highest).min(1.0);
        for frame in &mut self.frames {
            frame.scene = std::mem::take(&mut frame.scene).scaled(factor);
        }
        self
    }
}

/// The width of a film as a file, and the margin around it.
pub const FILM_WIDTH: f64 = 1100.0;
const MARGIN: f64 = 16.0;
const TEXT: f64 = 12.0;
/// Lines above the picture: what lies below does not jump from frame to frame.
const LINES: f64 = 3.0;

/// Films one after the other, each under its title, as an animated GIF. `lay_out` makes them [`FILM_WIDTH`] units wide.
///
/// # Errors
/// Where a frame cannot be encoded.
pub fn film_gif(lay_out: impl FnOnce(Measure<'_>) -> Vec<(String, Film)>) -> Result<Vec<u8>> {
    let page = |title: &str, frame: Frame, measure: Measure<'_>| {
        let mut page = Scene::new(FILM_WIDTH + 2.0 * MARGIN, MARGIN);
        let write = |page: &mut Scene, text: &str, role| {
            page.paragraph(text, (MARGIN, FILM_WIDTH), TEXT, role, measure);
        };
        if !title.is_empty() {
            write(&mut page, title, Role::Strong);
        }
        let top = page.height;
        frame.lines.iter().for_each(|line| write(&mut page, line, Role::Text));
        page.height = page.height.max(top + LINES * TEXT * LINE);
        page.below(frame.scene, MARGIN);
        page.height += MARGIN;
        (page, frame.milliseconds)
    };
    let films = lay_out(&font::measure).into_iter();
    let mut scenes: Vec<_> = films
        .flat_map(|(title, film)| film.frames.into_iter().map(|frame| page(&title, frame, &font::measure)).collect::<Vec<_>>())
        .collect();
    let height = scenes.iter().map(|(scene, _)| scene.height).fold(1.0, f64::max);
    for (scene, _) in &mut scenes {
        scene.height = height;
    }
    raster::gif(&scenes)
}

#[cfg(test)]
mod tests {
    use super::{Film, Frame, film_gif};
    use crate::plot::Scene;

    fn film(lengths: &[u32]) -> Film {
        let frame = |(index, milliseconds): (usize, &u32)| Frame {
            lines: vec![format!("frame {index}")],
            scene: Scene::new(10.0, 10.0 * (index + 1) as f64),
            milliseconds: *milliseconds,
        };
        Film { frames: lengths.iter().enumerate().map(frame).collect(), told: String::new() }
    }

    #[test]
    fn each_frame_is_shown_for_its_time_over_and_over() {
        let film = film(&[100, 200, 700]);
        for (at, (index, left)) in [(0.0, (0, 100.0)), (99.0, (0, 1.0)), (100.0, (1, 200.0)), (999.0, (2, 1.0)), (1050.0, (0, 50.0))] {
            let found = film.at(at);
            assert!(found.0 == index && (found.1 - left).abs() < 1e-9, "{at}: {found:?}");
        }
        assert_eq!(Film::default().at(5.0).0, 0);
    }

    #[test]
    fn all_frames_are_made_smaller_by_one_factor() {
        let heights = |film: Film| film.frames.iter().map(|frame| frame.scene.height).collect::<Vec<_>>();
        assert_eq!(heights(film(&[1, 1, 1]).within(15.0)), [5.0, 10.0, 15.0]);
        assert_eq!(heights(film(&[1, 1]).within(100.0)), [10.0, 20.0], "never enlarged");
    }

    #[test]
    fn a_file_has_every_frame_of_every_film_in_one_size() {
        let films = |_: crate::plot::Measure<'_>| vec![("before".to_owned(), film(&[100, 300])), ("after".to_owned(), film(&[100]))];
        let gif = film_gif(films).expect("drawn");
        let decoder = image::codecs::gif::GifDecoder::new(std::io::Cursor::new(gif)).expect("a GIF");
        let frames: Vec<_> = image::AnimationDecoder::into_frames(decoder).map(|frame| frame.expect("a frame")).collect();
        let delays: Vec<_> = frames.iter().map(|frame| frame.delay().numer_denom_ms().0).collect();
        assert_eq!(delays, [100, 300, 100]);
        assert!(frames.windows(2).all(|pair| pair[0].buffer().dimensions() == pair[1].buffer().dimensions()));
    }
}
